import type { Instant } from "../../base/clock.ts";
import type { Protected } from "../../concurrency/immutability.ts";
import { guardedUntil, stateOfGuardKey, versionKey } from "../../store/keys/blob.ts";
import { keyAfter } from "../../store/keys/pack.ts";
import type { Reader } from "../../store/kv.ts";
import type { BlobRecord } from "../../store/records/blob.ts";
import { blobRecord } from "../../store/records/blob-bytes.ts";
import { checkNoPendingCopy, hasImmutability, readState, type Selector, type State } from "./blobs.ts";
import { putContainer, readContainer } from "./containers.ts";
import type { BlobContext } from "./context.ts";
import { BLOB_LIMITS } from "./limits.ts";
import type { BlobRef, ContainerRef } from "./names.ts";
import { putState } from "./replace-blob.ts";

/** One state of a blob. */
export interface StateRef {
  readonly ref: BlobRef;
  readonly selector: Selector;
}

/** Changes the policy or the legal hold of a state. It makes no new ETag. */
export async function changeImmutability(
  blobs: BlobContext,
  { ref, selector }: StateRef,
  change: (state: State, now: Instant) => BlobRecord,
): Promise<void> {
  await blobs.store.write(async (write) => {
    const state = await readState(write, ref, selector);
    checkNoPendingCopy(state.record);
    putState(write, state, selector, change(state, write.now()));
  });
}

/*
 * The rest serves the operator's commands, which run on a stopped server. None of it is an operation of the
 * protocol.
 */

/** What protected a state before the operator released it. */
export type Released = Protected & StateRef;

/** Removes the policy, locked or not, and the legal hold of a state. Undefined when it has neither. */
export async function releaseImmutability(
  blobs: BlobContext,
  { ref, selector }: StateRef,
): Promise<Released | undefined> {
  let released: Released | undefined;
  await changeImmutability(blobs, { ref, selector }, ({ record }) => {
    const { immutability, hasLegalHold, ...rest } = record;
    if (immutability === undefined && hasLegalHold === undefined) return record;
    released = {
      ref,
      selector,
      ...(immutability === undefined ? {} : { immutability }),
      ...(hasLegalHold === undefined ? {} : { hasLegalHold }),
    };
    return rest;
  });
  return released;
}

/** Each state of a blob in the container that a policy or a legal hold protects now. */
export async function* protectedStates(blobs: BlobContext, ref: ContainerRef): AsyncGenerator<StateRef> {
  let after: string | undefined;
  for (;;) {
    const page = await blobs.store.read(async (read) => {
      const { id } = await readContainer(read, ref);
      const range = guardedUntil(id, read.now());
      const from = after === undefined ? range.from : keyAfter(after);
      const entries = await read.take({ ...range, from }, BLOB_LIMITS.releasedStatesPerStep);
      const states: StateRef[] = [];
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
): Promise<StateRef> {
  const blobRef = { ...ref, blob };
  if (at === undefined) return { ref: blobRef, selector: {} };
  const stored = await read.get(versionKey(container, blob, at));
  const isSnapshot = stored !== undefined && blobRecord.unpack(stored).stateKind === "snapshot";
  return { ref: blobRef, selector: isSnapshot ? { snapshot: at } : { version: at } };
}

/** Whether this state has a policy, expired or not, or a legal hold. Throws BlobNotFound. */
export async function isProtected(blobs: BlobContext, { ref, selector }: StateRef): Promise<boolean> {
  return blobs.store.read(async (read) => hasImmutability((await readState(read, ref, selector)).record));
}

/** Allows policies and legal holds on the blobs of an existing container. */
export async function enableImmutability(blobs: BlobContext, ref: ContainerRef): Promise<void> {
  await blobs.store.write(async (write) => {
    const record = await readContainer(write, ref);
    putContainer(write, ref, { ...record, hasVersionLevelImmutability: true });
  });
}
