import { hash } from "node:crypto";
import { Lazy } from "../base/lazy.ts";
import { blocksOf, LANE_BYTES_MAX, LANES, Md5Lanes } from "./md5-lanes.ts";

/** From this many on, computing in lanes is faster than one after another. */
const LANES_MIN = 3;

interface DigestRequest {
  readonly bytes: Uint8Array;
  resolve(digest: string): void;
}

/** Digests that are computed together, in lanes where their lengths allow it. */
class DigestQueue {
  readonly #lanes = new Lazy(() => new Md5Lanes());
  #requests: DigestRequest[] = [];

  get length(): number {
    return this.#requests.length;
  }

  /** Resolves with the digest in Base64 after `flush`. */
  add(bytes: Uint8Array): Promise<string> {
    return new Promise((resolve) => this.#requests.push({ bytes, resolve }));
  }

  readonly flush = (): void => {
    const requests = this.#requests;
    this.#requests = [];
    const [first] = requests;
    if (first === undefined) return;
    const blocks = blocksOf(first.bytes.length);
    // The usual case: clients that write many small buffers at once write buffers of one length.
    if (requests.length <= LANES && requests.every(({ bytes }) => blocksOf(bytes.length) === blocks))
      this.#resolveAlike(requests);
    else this.#resolveByBlocks(requests);
  };

  #resolveByBlocks(requests: readonly DigestRequest[]): void {
    const byBlocks = new Map<number, DigestRequest[]>();
    for (const request of requests) {
      const blocks = blocksOf(request.bytes.length);
      const alike = byBlocks.get(blocks);
      if (alike === undefined) byBlocks.set(blocks, [request]);
      else alike.push(request);
    }
    for (const alike of byBlocks.values())
      for (let from = 0; from < alike.length; from += LANES)
        this.#resolveAlike(alike.slice(from, from + LANES));
  }

  #resolveAlike(alike: readonly DigestRequest[]): void {
    if (alike.length < LANES_MIN || alike.some(({ bytes }) => bytes.length > LANE_BYTES_MAX)) {
      for (const { bytes, resolve } of alike) resolve(hash("md5", bytes, "base64"));
      return;
    }
    const digests = this.#lanes.value.digests(alike.map(({ bytes }) => bytes));
    for (let lane = 0; lane < alike.length; lane++) alike[lane]!.resolve(digests[lane]!);
  }
}

const committed = new DigestQueue();
const arrived = new DigestQueue();

/**
 * The MD5 in Base64, before this tick of the event loop ends. Requests that shared a commit continue at the
 * same moment, so their digests are computed together.
 */
export function md5Batched(bytes: Uint8Array): Promise<string> {
  if (committed.length === 0) queueMicrotask(committed.flush);
  return committed.add(bytes);
}

/**
 * The MD5 of a body that has just arrived. Bodies that arrive in one tick are computed in groups of eight,
 * the rest at the end of the tick. `inFlight` counts the requests of the caller, this one included: with
 * fewer than eight there is no group to wait for.
 */
export function md5OfArrived(bytes: Uint8Array, inFlight: number): string | Promise<string> {
  if (inFlight < LANES) return hash("md5", bytes, "base64");
  if (arrived.length === 0) setImmediate(arrived.flush);
  const digest = arrived.add(bytes);
  if (arrived.length === LANES) arrived.flush();
  return digest;
}
