import type { PayloadService } from "../payload/payload-service.ts";
/**
 * How the processes that share a directory agree that a file may go. An extent that is sealed and empty stays so,
 * and no snapshot taken from now on points into it; only readers that began earlier may need it.
 *
 *   reclaimer   puts a request { round, extents }
 *   everyone    waits until the reads that had begun have ended (each is short, and what it opened is pinned by
 *               then), lets go of idle descriptors, and answers { round, held: what its readers still pin }
 *   reclaimer   when all have answered this round: removes what nobody holds, asks again about the rest
 *
 * No clock is involved, so a clock set back cannot remove a file under a reader. Answers are ephemeral records: that
 * of a dead process vanishes with it. A process that is alone asks nobody.
 */
export declare class RemovalConsent {
    #private;
    constructor(payload: PayloadService);
    /** Before the first read of this process: its snapshots begin after every request there has been. */
    join(): Promise<void>;
    /** At an orderly end, when the last reader is gone: nobody waits for our answer any more. */
    leave(): Promise<void>;
    /** Answers the present request, once. Costs one read when there is nothing to answer. */
    answer(): Promise<void>;
    /** Which of these sealed and empty extents may go now. Asks the other processes about them, if there are any. */
    ask(extents: readonly bigint[]): Promise<bigint[]>;
}
