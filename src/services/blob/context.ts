import { Semaphore } from "../../base/semaphore.ts";
import { CooperativeScheduler } from "../../base/yield-to-event-loop.ts";
import type { ServiceParts } from "../context.ts";
import { BLOB_LIMITS } from "./limits.ts";
import { ParquetReaders } from "./query/parquet-rows.ts";

export interface BlobOptions {
  /** Every overwrite, metadata change and deletion keeps the state before it as a version. */
  readonly isVersioned: boolean;
  /** Containers created from now on allow immutability policies and legal holds on their blobs. */
  readonly hasVersionLevelImmutability: boolean;
}

/** What the operations of the Blob service work on: each operation takes it as its first argument. */
export interface BlobContext extends ServiceParts, BlobOptions {
  /** Long lists and maps yield between their steps, so that other requests are served. */
  readonly scheduler: CooperativeScheduler;
  /** Limits how many long block lists are prepared at the same time, because each uses much memory. */
  readonly preparedLists: Semaphore;
  readonly parquetReaders: ParquetReaders;
}

export function blobContext(parts: ServiceParts, options: Partial<BlobOptions> = {}): BlobContext {
  return {
    ...parts,
    isVersioned: options.isVersioned ?? false,
    hasVersionLevelImmutability: options.hasVersionLevelImmutability ?? false,
    scheduler: new CooperativeScheduler(BLOB_LIMITS.listRestMillis),
    preparedLists: new Semaphore(BLOB_LIMITS.listsPreparedMax),
    parquetReaders: new ParquetReaders(),
  };
}
