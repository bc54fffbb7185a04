import { type ByteRange, mayRead, mayWrite } from "../../src/concurrency/byte-range-lock.ts";
import type { FileService } from "../../src/services/file/file-service.ts";
import type { HandleId } from "../../src/services/file/opens/open-request.ts";
import { readOpens } from "../../src/services/file/stored-handles.ts";

/** Whether the locks of other handles let this one read or write here. */
export function mayAccess(
  files: FileService,
  { share, inode, id }: HandleId,
  range: ByteRange,
  use: "read" | "write",
): Promise<boolean> {
  return files.parts.store.ephemeral.read(async (read) => {
    const { locks } = await readOpens(read, share, inode);
    return use === "read" ? mayRead(locks, range, id) : mayWrite(locks, range, id);
  });
}

/** Whether the store has the record of a handle. */
export function hasHandle(files: FileService, { share, inode, id }: HandleId): Promise<boolean> {
  return files.parts.store.ephemeral.read(async (read) =>
    (await readOpens(read, share, inode)).handles.some(({ handle }) => handle === id),
  );
}
