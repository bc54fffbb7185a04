import type { ChangeHub } from "../session/change-notification.ts";
import type { FileOpen } from "../session/open.ts";
import { NOTIFY_ACTION, NOTIFY_FILTER } from "./directory.ts";

/** How named streams are spelled to clients, and told to those who watch. */
export function streamNameOf(name: string): string {
  return `:${name}:$DATA`;
}

/** The path of an open with its stream, as it is shown. */
export function nameOf({ path, stream }: Pick<FileOpen, "path" | "stream">): string {
  const names = path.join("\\");
  return stream === undefined ? names : `${names}:${stream}`;
}

/** The same as a client may have written it: with the type that every stream has. */
export function isNameOf(open: Pick<FileOpen, "path" | "stream">, name: string): boolean {
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

/** Whoever watches the directory is told by the name of the file and that of the stream. */
export function notifyStream(changes: ChangeHub, open: FileOpen, event: StreamEvent): void {
  const { path, stream = "" } = open;
  const told = `${path.at(-1) ?? ""}${streamNameOf(stream)}`;
  changes.notify(open.tree.share!.id, [{ path: [...path.slice(0, -1), told], ...event }]);
}
