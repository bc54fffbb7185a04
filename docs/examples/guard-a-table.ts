import { setTimeout as pause } from "node:timers/promises";
import { type BlockBlobClient, RestError } from "@azure/storage-blob";

const LEASE_SECONDS = 15;

/**
 * Runs `work` while holding the lease of `guard`, a blob that stands for a table. Everybody who changes the table
 * does it in here, so one of them works at a time; the others wait. A holder that dies is replaced when its lease
 * has run out.
 */
export async function whileGuarded<T>(guard: BlockBlobClient, work: () => Promise<T>): Promise<T> {
  // Made by whoever comes first; a second upload would meet the lease of the first.
  await guard.upload("", 0, { conditions: { ifNoneMatch: "*" } }).catch(ignore(409, 412));
  const lease = guard.getBlobLeaseClient();
  while (!(await lease.acquireLease(LEASE_SECONDS).then(() => true, ignore(409)))) await pause(20);
  // Renewed well before it runs out, so that slow work keeps what it holds.
  const renewal = setInterval(() => lease.renewLease().catch(ignore(409)), (LEASE_SECONDS * 1_000) / 3);
  try {
    return await work();
  } finally {
    clearInterval(renewal);
    await lease.releaseLease().catch(ignore(409));
  }
}

/** An answer that is expected here is no error. */
function ignore(...statuses: number[]): (error: unknown) => undefined {
  return (error) => {
    if (error instanceof RestError && statuses.includes(error.statusCode ?? 0)) return undefined;
    throw error;
  };
}
