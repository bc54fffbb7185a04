import { Refusal, throwIf } from "../../base/refusals.ts";
import type { Revision } from "../../base/revision.ts";
import { type Conditions, failingCondition, type SourceUse } from "../../concurrency/conditions.ts";
import { checkLeaseRead, checkLeaseWrite } from "../../concurrency/lease.ts";
import { containerKey } from "../../store/keys/blob.ts";
import type { MaybePromise, Reader, SyncReader, Writer } from "../../store/kv.ts";
import { type ContainerRecord, containerRecord } from "../../store/records/blob.ts";
import { RecordDecodeCache } from "../../store/records/record-decode-cache.ts";
import { leaseOf } from "../lease-action.ts";
import type { BlobContext } from "./context.ts";
import type { ContainerRef } from "./names.ts";

/** What the operations on containers have in common. */

const containers = new RecordDecodeCache(containerRecord.unpack);

export async function findContainer(read: Reader, ref: ContainerRef): Promise<ContainerRecord | undefined> {
  const key = containerKey(ref.account, ref.container);
  const stored = await read.get(key);
  return stored === undefined ? undefined : containers.unpack(key, stored);
}

/** The first step of every request for a blob. Throws ContainerNotFound. */
export function readContainerSync(read: SyncReader, ref: ContainerRef): ContainerRecord {
  const key = containerKey(ref.account, ref.container);
  const stored = read.get(key);
  if (stored === undefined) throw new Refusal("ContainerNotFound");
  return containers.unpack(key, stored);
}

export function readContainer(read: Reader, ref: ContainerRef): MaybePromise<ContainerRecord> {
  return read.view((records) => readContainerSync(records, ref));
}

export function putContainer(write: Writer, ref: ContainerRef, record: ContainerRecord): void {
  write.put(containerKey(ref.account, ref.container), containerRecord.pack(record));
}

/** The lease id and the conditions a request carries. */
export interface Guards {
  readonly conditions: Conditions;
  readonly leaseId: string | undefined;
  /** Of a copy, which has codes of its own for conditions on its target. */
  readonly use?: SourceUse;
}

export interface GuardedContainer extends Guards {
  readonly ref: ContainerRef;
}

/**
 * A container's lease reserves its deletion and nothing else. Other operations need no lease id, but one that
 * is sent must match. The lease is checked before the conditions, as on blobs.
 */
export function checkContainer(
  read: Pick<Reader, "now">,
  container: ContainerRecord,
  { conditions, leaseId }: Guards,
  use: "delete" | "other",
): void {
  const check = use === "delete" ? checkLeaseWrite : checkLeaseRead;
  throwIf(check(leaseOf(container), leaseId, read.now(), "Container"));
  if (failingCondition(conditions, container) !== undefined) throw new Refusal("ConditionNotMet");
}

/** Changes a container's record and gives it a new revision. */
export function changeContainer(
  blobs: BlobContext,
  request: GuardedContainer,
  change: (record: ContainerRecord) => Omit<ContainerRecord, "revision">,
): Promise<Revision> {
  return blobs.store.write(async (write) => {
    const record = await readContainer(write, request.ref);
    checkContainer(write, record, request, "other");
    const revision = write.revision(record.revision);
    putContainer(write, request.ref, { ...change(record), revision });
    return revision;
  });
}
