import { Refusal } from "../../base/refusals.ts";
import { guardedUntil, stateOfGuardKey, versionKey } from "../../store/keys/blob.ts";
import { keyAfter } from "../../store/keys/pack.ts";
import type { Reader } from "../../store/kv.ts";
import { blobRecord } from "../../store/records/blob-bytes.ts";
import type { BlobService } from "./blob-service.ts";
import { readState } from "./blobs.ts";
import { findContainer, putContainer, readContainer } from "./containers.ts";
import type { OnState } from "./immutability.ts";
import { BLOB_LIMITS } from "./limits.ts";
import type { ContainerRef } from "./names.ts";

/**
 * For the operator's commands, which run on a store at rest: what of a container is held, and which containers may have
 * held blobs. Nothing here is an operation of the protocol.
 */

/** Every state of a blob in the container that a policy or a hold keeps now, found by the index of guards. */
export async function* heldStates(blobs: BlobService, ref: ContainerRef): AsyncGenerator<OnState> {
  let after: string | undefined;
  for (;;) {
    const page = await blobs.parts.store.read(async (read) => {
      const { id } = await readContainer(read, ref);
      const range = guardedUntil(id, read.now());
      const from = after === undefined ? range.from : keyAfter(after);
      const entries = await read.take({ ...range, from }, BLOB_LIMITS.releasedStatesPerStep);
      const states: OnState[] = [];
      for (const { key } of entries) states.push(await stateOf(read, ref, id, stateOfGuardKey(key)));
      return { states, last: entries.at(-1)?.key };
    });
    yield* page.states;
    if (page.last === undefined) return;
    after = page.last;
  }
}

async function stateOf(
  read: Reader,
  ref: ContainerRef,
  container: bigint,
  { blob, at }: ReturnType<typeof stateOfGuardKey>,
): Promise<OnState> {
  const place = { ...ref, blob };
  if (at === undefined) return { ref: place, selector: {} };
  const stored = await read.get(versionKey(container, blob, at));
  const isSnapshot = stored !== undefined && blobRecord.unpack(stored).stateKind === "snapshot";
  return { ref: place, selector: isSnapshot ? { snapshot: at } : { version: at } };
}

/** Whether a policy, ended or not, or a hold is on this state. Throws BlobNotFound. */
export async function isHeld(blobs: BlobService, { ref, selector }: OnState): Promise<boolean> {
  return blobs.parts.store.read(async (read) => {
    const { record } = await readState(read, ref, selector);
    return record.immutability !== undefined || record.hasLegalHold === true;
  });
}

/** Lets blobs of a container that is there be put under policies and holds. */
export async function enableImmutability(blobs: BlobService, ref: ContainerRef): Promise<void> {
  await blobs.parts.store.write(async (write) => {
    const record = await findContainer(write, ref);
    if (record === undefined) throw new Refusal("ContainerNotFound");
    putContainer(write, ref, { ...record, hasVersionLevelImmutability: true });
  });
}
