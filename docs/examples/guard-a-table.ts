import { setTimeout as pause } from "node:timers/promises";
import { type BlockBlobClient, RestError } from "@azure/storage-blob";

const LEASE_SECONDS = 15;

/**
 * Runs `work` while holding the lease of `guard`, a blob that represents a table. Every client that changes
 * the table calls this function, so one of them works at a time and the others wait. When a holder dies, its
 * lease runs out and another client acquires it.
 */
export async function whileGuarded<T>(guard: BlockBlobClient, work: () => Promise<T>): Promise<T> {
  // The first client creates the blob; the condition keeps later ones from overwriting a leased blob.
  await guard.upload("", 0, { conditions: { ifNoneMatch: "*" } }).catch(ignore(409, 412));
  const lease = guard.getBlobLeaseClient();
  while (!(await lease.acquireLease(LEASE_SECONDS).then(() => true, ignore(409)))) await pause(20);
  // Renew well before the lease runs out, so that slow work keeps it.
  const renewal = setInterval(() => lease.renewLease().catch(ignore(409)), (LEASE_SECONDS * 1_000) / 3);
  try {
    return await work();
  } finally {
    clearInterval(renewal);
    await lease.releaseLease().catch(ignore(409));
  }
}

/** Ignores the expected statuses and passes on every other error. */
function ignore(...statuses: number[]): (error: unknown) => undefined {
  return (error) => {
    if (error instanceof RestError && statuses.includes(error.statusCode ?? 0)) return undefined;
    throw error;
  };
}
