import { LIMITS } from "../../base/limits.ts";
import type { FileService } from "../../services/file/file-service.ts";
import { listShares } from "../../services/file/list-shares.ts";
import { findConnected } from "../../services/file/opens/share-facts.ts";
import type { FileSystem, Share, ShareEntry } from "../file-system.ts";
import type { ServiceHandle } from "./handle.ts";
import { ServiceShare } from "./share.ts";

/** The file service as the file system of the SMB front end. */
export class ServiceFileSystem implements FileSystem {
  readonly #files: FileService;
  readonly #handles = new Map<bigint, ServiceHandle>();

  constructor(files: FileService) {
    this.#files = files;
  }

  async shares(account: string): Promise<readonly ShareEntry[]> {
    const { shares } = await listShares(this.#files, {
      account,
      prefix: "",
      maxResults: LIMITS.listResultsMax,
      includesDeleted: false,
      includesSnapshots: false,
    });
    return shares
      .filter(({ facts }) => facts.settings.protocols === "SMB")
      .map(({ name }) => ({ name, comment: "" }));
  }

  /** Names of shares have no capital letters, whatever a client writes. */
  async share(account: string, name: string): Promise<Share | undefined> {
    const folded = name.toLowerCase();
    const record = await findConnected(this.#files, { account, share: folded });
    if (record?.settings.protocols !== "SMB") return undefined;
    return new ServiceShare(this.#files, account, folded, record, {
      opened: (handle) => this.#handles.set(handle.handle.id, handle),
      closed: (handle) => this.#handles.delete(handle.handle.id),
    });
  }
}
