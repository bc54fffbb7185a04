import { refuse, STATUS } from "../wire/status.ts";
import type { Open } from "./open.ts";

/**
 * CREATE requests with an id of their own (DH2Q): a client that lost the reply sends the same request again,
 * marked as a replay, and must not open the file twice. An id leads to a CREATE in progress, or to the open
 * that it made.
 */
type Creation = { readonly state: "pending" } | { readonly state: "open"; readonly open: Open };

const nameOf = (clientGuid: Buffer, createGuid: Buffer): string =>
  clientGuid.hexSlice() + createGuid.hexSlice();

export class CreateReplays {
  readonly #creations = new Map<string, Creation>();

  /** The open that an earlier CREATE of this id made; undefined for an id that is new. */
  find(clientGuid: Buffer, createGuid: Buffer, isReplay: boolean): Open | undefined {
    const creation = this.#creations.get(nameOf(clientGuid, createGuid));
    if (creation === undefined) return undefined;
    if (!isReplay) throw refuse(STATUS.DUPLICATE_OBJECTID);
    // The reply goes out on the connection of the first request; until then there is nothing to repeat.
    if (creation.state === "pending") throw refuse(STATUS.FILE_NOT_AVAILABLE);
    return creation.open;
  }

  /** Reserves the id until `end` (it opened nothing) or until `forget` of the open. */
  begin(clientGuid: Buffer, createGuid: Buffer): { opened(open: Open): void; end(): void } {
    const name = nameOf(clientGuid, createGuid);
    this.#creations.set(name, { state: "pending" });
    return {
      opened: (open) => {
        this.#creations.set(name, { state: "open", open });
        open.createName = name;
      },
      end: () => {
        if (this.#creations.get(name)?.state === "pending") this.#creations.delete(name);
      },
    };
  }

  forget(open: Open): void {
    if (open.createName !== undefined) this.#creations.delete(open.createName);
    open.createName = undefined;
  }
}
