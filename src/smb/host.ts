import type { CacheConflict } from "../concurrency/cache-lease.ts";
import type { FileHandle, FileSystemHost } from "./file-system.ts";
import type { SmbServer } from "./server.ts";
import type { ChangeHub } from "./session/change-notification.ts";
import { closeOpen } from "./session/end-open.ts";

/**
 * What reaches SMB clients from outside: REST calls and clients of other nodes that need their caches, handles that
 * REST closes by force, what is done at other nodes in directories that they watch.
 */
export class ServerHost implements FileSystemHost {
  readonly #server: SmbServer;

  constructor(server: SmbServer) {
    this.#server = server;
  }

  handleEnded(share: bigint, handle: FileHandle): void {
    const opens = this.#server.inodes.find(share, handle.inode)?.opens ?? [];
    for (const open of opens) {
      if (open.file !== handle) continue;
      const { session } = open;
      if (session.opens.delete(open.fileId.volatile)) session.connection.openCount--;
      if (this.#server.durables.isKept(open)) void this.#server.durables.drop(open);
      else void closeOpen(this.#server, open);
    }
  }

  get changes(): ChangeHub {
    return this.#server.changes;
  }

  cutOff(): void {
    this.#server.cutOff();
  }

  breakCaches(share: bigint, inode: bigint, conflict: CacheConflict): Promise<void> | undefined {
    const { inodes } = this.#server;
    if (conflict === "sharing" || conflict === "remove")
      return inodes.resolveWhole(share, { inode }, conflict, () => false);
    const found = inodes.find(share, inode);
    return found && inodes.resolve(found, conflict, () => false);
  }
}
