import { type CacheState } from "../../concurrency/cache-lease.ts";
import type { CacheEntry } from "../caches.ts";
import { type Reply, type Request } from "../request.ts";
import type { SmbServer } from "../server.ts";
export declare function cacheOfLevel(level: number): CacheState | undefined;
export declare function levelOfCache(state: CacheState): number;
/** Tells the holder of a cache to give it up. Without a connection to tell it on, its opens are in the way and go. */
export declare function sendBreak(server: SmbServer, entry: CacheEntry, to: CacheState, isAnswerNeeded: boolean): void;
/** The client's answer. Both forms come under one command and are told apart by their size. */
export declare function oplockBreakAcknowledgement(request: Request): Reply;
