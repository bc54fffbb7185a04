import { Refusal } from "../../base/refusals.ts";
import type { FileService } from "../../services/file/file-service.ts";
import type { AuthContext } from "../auth/authenticate.ts";
import type { CopySourceFetcher } from "../common/copy-source-fetcher.ts";
import type { CommonServices } from "../common/service-operations.ts";
import type { Headers, HttpRequest } from "../exchange.ts";
import type { Operation, Permission } from "../operation.ts";

/** What the handlers of the File service are given. */
export interface FileServices extends CommonServices {
  readonly files: FileService;
  /** For the SAS in the address of a copy or rename source. */
  readonly auth: AuthContext;
  /** For sources that are on other servers, or at other services of this one. */
  readonly sources: CopySourceFetcher;
}

export type FileRow = Operation<FileServices>;

type Given = Pick<FileRow, "name" | "method" | "resource" | "permission" | "handle"> & Partial<FileRow>;

/** A row with what most rows have. The File service knows no conditional headers: it says so. */
export function row(given: Given): FileRow {
  return {
    returnsEtag: false,
    conditions: [],
    lease: "none",
    body: "none",
    bodyBytesMax: 0,
    ok: [200],
    ...given,
    handle: (request, services) => handleUnconditionally(given.handle, request, services),
  };
}

const CONDITIONS = ["if-match", "if-none-match", "if-modified-since", "if-unmodified-since"];

/** Not async itself: a promise more for each request would be all it adds. */
function handleUnconditionally(
  handle: FileRow["handle"],
  request: HttpRequest,
  services: FileServices,
): ReturnType<FileRow["handle"]> {
  refuseConditions(request.headers);
  // The time that a client gives a call is what the call may wait for caches of SMB clients.
  const { timeout } = request;
  if (timeout === undefined) return handle(request, services);
  return handle(request, { ...services, files: services.files.within(timeout) });
}

function refuseConditions(headers: Headers): void {
  for (const name of CONDITIONS) {
    if (headers[name] !== undefined) throw new Refusal("ConditionHeadersNotSupported");
  }
}

/** A read that answers GET with and HEAD without its body. */
export function getAndHead(given: Omit<Given, "method">): FileRow[] {
  return [row({ ...given, method: "GET" }), row({ ...given, name: `${given.name}Head`, method: "HEAD" })];
}

export const onShare = (account: readonly string[], service: readonly string[] = []): Permission => ({
  type: "c",
  account,
  service,
});

export const onInode = (letters: readonly string[]): Permission => ({
  type: "o",
  account: letters,
  service: letters,
});
