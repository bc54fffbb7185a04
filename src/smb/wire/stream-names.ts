import { NOTIFY_ACTION, NOTIFY_FILTER } from "./directory.ts";

/** The path of an open, and its stream if it is one. */
interface OpenName {
  readonly path: readonly string[];
  readonly stream?: string | undefined;
}

/** The path with the stream, as clients see it. */
export function nameOf({ path, stream }: OpenName): string {
  const names = path.join("\\");
  return stream === undefined ? names : `${names}:${stream}`;
}

/** Whether a client may have written the name so: case is ignored, and the type $DATA is optional. */
export function isNameOf(open: OpenName, name: string): boolean {
  const own = nameOf(open).toUpperCase();
  const other = name.toUpperCase();
  return other === own || other === (open.stream === undefined ? `${own}::$DATA` : `${own}:$DATA`);
}

export const STREAM_EVENT = {
  ADDED: { action: NOTIFY_ACTION.ADDED_STREAM, filter: NOTIFY_FILTER.STREAM_NAME },
  REMOVED: { action: NOTIFY_ACTION.REMOVED_STREAM, filter: NOTIFY_FILTER.STREAM_NAME },
  WRITTEN: {
    action: NOTIFY_ACTION.MODIFIED_STREAM,
    filter: NOTIFY_FILTER.STREAM_SIZE | NOTIFY_FILTER.STREAM_WRITE,
  },
} as const;

type StreamEvent = (typeof STREAM_EVENT)[keyof typeof STREAM_EVENT];

interface ChangeHub {
  notify(share: bigint, events: readonly ({ readonly path: readonly string[] } & StreamEvent)[]): void;
}

/** Notifies watchers of the directory. The event names the file and the stream. */
export function notifyStream(
  changes: ChangeHub,
  open: OpenName & { readonly tree: { readonly share: { readonly id: bigint } | undefined } },
  event: StreamEvent,
): void {
  const { path, stream = "" } = open;
  const name = `${path.at(-1) ?? ""}:${stream}:$DATA`;
  changes.notify(open.tree.share!.id, [{ path: [...path.slice(0, -1), name], ...event }]);
}
