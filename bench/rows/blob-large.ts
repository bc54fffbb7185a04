import { MIB } from "../../src/base/limits.ts";
import { converse } from "../converse.ts";
import type { Measured } from "../load.ts";
import type { Row } from "../rows.ts";
import type { Contender } from "../servers.ts";
import { type PlainRequest, signed } from "../sign.ts";
import { type RunOptions, type Transfers, throughput, transfer, upload } from "../transfers.ts";

/** Large blobs, in MB a second, and long listings. */
const BLOCK_BLOB = { "x-ms-blob-type": "BlockBlob" };

/** Without a container and a large blob in it there is nothing to measure. */
async function makeLarge(port: number): Promise<void> {
  await transfer(port, { method: "PUT", path: "/bench", query: { restype: "container" } });
  await upload(port, { method: "PUT", path: "/bench/large", headers: BLOCK_BLOB }, 64 * MIB);
}

const ofBlobs = (one: Transfers["one"], parallel = 1): Transfers => ({
  service: "blob",
  prepare: makeLarge,
  one,
  parallel,
});

const LISTED = Number(process.env.HOLDFAST_BENCH_BLOBS ?? 1_000_000);
const nameOf = (index: number): string => `n${String(index).padStart(8, "0")}`;

async function fillWithBlobs(contender: Contender): Promise<void> {
  const port = contender.ports.blob;
  await transfer(port, { method: "PUT", path: "/many", query: { restype: "container" } });
  let next = 0;
  await converse({
    port,
    connections: 64,
    seconds: FILL_SECONDS_MAX,
    request: () => {
      if (next >= LISTED) return undefined;
      return signed({ method: "PUT", path: `/many/${nameOf(next++)}`, headers: BLOCK_BLOB }, port);
    },
  });
}

const FILL_SECONDS_MAX = 3_600;
const filled = new WeakSet<Contender>();

/** Pages of 5,000 at the start, in the middle and at the end; their times must be alike. */
async function listMany(contender: Contender, { seconds }: RunOptions): Promise<Measured> {
  const port = contender.ports.blob;
  const list = (prefix: string): PlainRequest => ({
    method: "GET",
    path: "/many",
    query: { restype: "container", comp: "list", maxresults: "5000", ...(prefix === "" ? {} : { prefix }) },
  });
  if (contender.name !== "bare" && !filled.has(contender)) {
    filled.add(contender);
    await fillWithBlobs(contender);
  }
  const places = { start: 0, middle: Math.floor(LISTED / 2), end: LISTED - 10_000 };
  const medians: string[] = [];
  const all: number[] = [];
  let errors = 0;
  for (const [place, index] of Object.entries(places)) {
    const took: number[] = [];
    const end = performance.now() + (seconds * 1_000) / 3;
    do {
      const begun = performance.now();
      // Ten thousand names share these characters: a full page, wherever it lies.
      const { status } = await transfer(port, list(nameOf(index).slice(0, 5)));
      if (status !== 200) errors++;
      took.push(performance.now() - begun);
    } while (performance.now() < end);
    took.sort((a, b) => a - b);
    medians.push(`${place} ${took[took.length >>> 1]!.toFixed(1)} ms`);
    all.push(...took);
  }
  console.log(`  ${contender.name}: ${medians.join(", ")}`);
  all.sort((a, b) => a - b);
  const p50Millis = all[all.length >>> 1]!;
  return { perSecond: 1_000 / p50Millis, errors, p50Millis, p99Millis: all.at(-1)! };
}

const large = { service: "blob", replyBytes: 0, azurite: true, requests: () => [] } as const;

export const LARGE_BLOB_ROWS: readonly Row[] = [
  {
    ...large,
    name: "GET blob 64 MiB (MB/s)",
    target: { ofBare: 0.8, overAzurite: 3 },
    run: (contender, options) =>
      throughput(
        contender,
        options,
        ofBlobs((port) => transfer(port, { method: "GET", path: "/bench/large" })),
      ),
  },
  {
    ...large,
    name: "PUT blob 256 MiB (MB/s)",
    target: { ofBare: 0.8, overAzurite: 3 },
    run: (contender, options) =>
      throughput(
        contender,
        options,
        ofBlobs((port, turn) => {
          const path = `/bench/up-${turn % 2}`;
          return upload(port, { method: "PUT", path, headers: BLOCK_BLOB }, 256 * MIB);
        }),
      ),
  },
  {
    ...large,
    name: "Put Block 8 MiB, 32 at once (MB/s)",
    target: { ofBare: 0.8, overAzurite: 3 },
    run: (contender, options) =>
      throughput(
        contender,
        options,
        ofBlobs((port, turn) => {
          const blockid = Buffer.from(String(turn % 32).padStart(6, "0")).toString("base64");
          const query = { comp: "block", blockid };
          return upload(port, { method: "PUT", path: "/bench/blocks", query }, 8 * MIB);
        }, 32),
      ),
  },
  {
    ...large,
    name: "list 5,000 of 1 million blobs (pages/s)",
    azurite: false,
    replyBytes: 4_300_000,
    target: { ofBare: 0.02 },
    run: listMany,
  },
];
