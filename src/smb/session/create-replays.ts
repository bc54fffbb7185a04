import { refuse, STATUS } from "../wire/status.ts";
import type { FileOpen } from "./open.ts";

/**
 * CREATE requests with an id of their own (DH2Q): a client that lost the answer sends the same one again, marked as a
 * replay, and must not open the file twice. What is known of an id is that its CREATE is under way, or the open that
 * it made, for as long as that is open.
 */
type Creation = { readonly state: "underWay" } | { readonly state: "open"; readonly open: FileOpen };

const nameOf = (clientGuid: Buffer, createGuid: Buffer): string =>
  clientGuid.hexSlice() + createGuid.hexSlice();

export class CreateReplays {
  readonly #creations = new Map<string, Creation>();

  /** The open that an earlier CREATE of this id made; undefined for an id that is new. */
  find(clientGuid: Buffer, createGuid: Buffer, isReplay: boolean): FileOpen | undefined {
    const known = this.#creations.get(nameOf(clientGuid, createGuid));
    if (known === undefined) return undefined;
    if (!isReplay) throw refuse(STATUS.DUPLICATE_OBJECTID);
    // Its answer will come on the connection it was sent on; until then there is nothing to repeat.
    if (known.state === "underWay") throw refuse(STATUS.FILE_NOT_AVAILABLE);
    return known.open;
  }

  /** From here on the id is taken, until `end` (it opened nothing) or until the open it made is forgotten. */
  begin(clientGuid: Buffer, createGuid: Buffer): { opened(open: FileOpen): void; end(): void } {
    const name = nameOf(clientGuid, createGuid);
    this.#creations.set(name, { state: "underWay" });
    return {
      opened: (open) => {
        this.#creations.set(name, { state: "open", open });
        open.createName = name;
      },
      end: () => {
        if (this.#creations.get(name)?.state === "underWay") this.#creations.delete(name);
      },
    };
  }

  forget(open: FileOpen): void {
    if (open.createName !== undefined) this.#creations.delete(open.createName);
    open.createName = undefined;
  }
}
