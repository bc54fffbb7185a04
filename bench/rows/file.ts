import { converse } from "../converse.ts";
import { drive, type Measured } from "../load.ts";
import type { Row } from "../rows.ts";
import type { Contender } from "../servers.ts";
import { type PlainRequest, signed } from "../sign.ts";
import { type RunOptions, throughput, transfer, upload } from "../transfers.ts";

/**
 * Files in one share. Azurite has no File service, so a bare server is the only yardstick: for large
 * transfers the one that keeps files, for all else the one that does nothing.
 */
const KIB = 1_024;
const MIB = 1_024 * KIB;
const WITH_BYTES = { "x-ms-version": "2026-06-06" };

const createShare: PlainRequest = { method: "PUT", path: "/bench", query: { restype: "share" } };

function createFile(path: string, size: number, body?: Buffer): PlainRequest {
  const headers = { "x-ms-type": "file", "x-ms-content-length": String(size), ...WITH_BYTES };
  return { method: "PUT", path: `/bench/${path}`, headers, ...(body === undefined ? {} : { body }) };
}

function putRange(path: string, from: number, body: Buffer): PlainRequest {
  const range = `bytes=${from}-${from + body.length - 1}`;
  const headers = { "x-ms-write": "update", "x-ms-range": range };
  return { method: "PUT", path: `/bench/${path}`, query: { comp: "range" }, headers, body };
}

const SMALL = Buffer.alloc(1 * KIB, 0x61);
const PAGE = Buffer.alloc(4 * KIB, 0x62);
const COUNT = 1_000;

let created = 0;

const prepared = new WeakMap<Contender, Set<string>>();

/** Once for each server: sends these one after another on a few connections. */
async function prepare(contender: Contender, what: string, requests: readonly PlainRequest[]): Promise<void> {
  const known = prepared.get(contender) ?? new Set();
  prepared.set(contender, known);
  if (contender.name === "bare" || known.has(what)) return;
  known.add(what);
  const port = contender.ports.file;
  const ready = requests.map((request) => signed({ ...request, service: "file" }, port));
  // The first one makes what the others need.
  await converse({
    port,
    connections: 1,
    seconds: 60,
    request: (_, reply) => (reply === undefined ? ready[0] : undefined),
  });
  let next = 1;
  await converse({ port, connections: 32, seconds: 600, request: () => ready[next++] });
}

function overPrepared(
  what: string,
  before: () => readonly PlainRequest[],
  requests: () => readonly PlainRequest[],
) {
  return async (contender: Contender, { connections, seconds }: RunOptions): Promise<Measured> => {
    await prepare(contender, what, before());
    const port = contender.ports.file;
    const ready = requests().map((request) => signed({ ...request, service: "file" }, port));
    return drive({ port, requests: ready, connections, seconds });
  };
}

const LISTED = 100_000;
const pad = (n: number): string => String(n).padStart(6, "0");

const fillDirectory = (name: string, count: number): PlainRequest[] => [
  createShare,
  { method: "PUT", path: `/bench/${name}`, query: { restype: "directory" } },
  ...Array.from({ length: count }, (_, n) => createFile(`${name}/file-${pad(n)}`, 0)),
];

/** Pages of 5,000 through 100,000 entries, from the first to the last and again. */
async function listAll(contender: Contender, { seconds }: RunOptions): Promise<Measured> {
  await prepareTree(contender, "listed", LISTED);
  const port = contender.ports.file;
  const page = (marker: string): Buffer =>
    signed(
      {
        method: "GET",
        path: "/bench/listed",
        query: {
          restype: "directory",
          comp: "list",
          maxresults: "5000",
          ...(marker === "" ? {} : { marker }),
        },
        service: "file",
      },
      port,
    );
  return converse({
    port,
    connections: 2,
    seconds,
    request: (_, reply) => page(/<NextMarker>([^<]+)</.exec(reply ?? "")?.[1] ?? ""),
  });
}

/** A directory must be there before its files: one connection for the first two. */
async function prepareTree(contender: Contender, name: string, count: number): Promise<void> {
  const [share, directory, ...rest] = fillDirectory(name, count);
  await prepare(contender, `${name} share`, [share!, directory!]);
  await prepare(contender, name, [directory!, ...rest]);
}

/** A directory of 20,000 files goes back and forth between two names. */
async function renameDirectory(contender: Contender, { seconds }: RunOptions): Promise<Measured> {
  await prepareTree(contender, "one", 20_000);
  const port = contender.ports.file;
  const rename = (from: string, to: string): Buffer =>
    signed(
      {
        method: "PUT",
        path: `/bench/${to}`,
        query: { restype: "directory", comp: "rename" },
        headers: { "x-ms-file-rename-source": `http://127.0.0.1:${port}/devstoreaccount1/bench/${from}` },
        service: "file",
      },
      port,
    );
  const steps = [rename("one", "two"), rename("two", "one")];
  let at = 0;
  const measured = await converse({ port, connections: 1, seconds, request: () => steps[at++ % 2]! });
  // The next round begins where the directory is.
  if (contender.name !== "bare" && at % 2 === 1) {
    await converse({
      port,
      connections: 1,
      seconds: 5,
      request: (_, reply) => (reply === undefined ? steps[1] : undefined),
    });
  }
  return measured;
}

const LARGE = 4 * MIB;

/** Which 4 MiB of the file are written; the bare server, which has no ranges, gets a file for each. */
function putLargeRange({ name }: Contender, port: number, file: string, index: number) {
  const path = name === "bare" ? `/bench/${file}-${index}` : `/bench/${file}`;
  const range = `bytes=${index * LARGE}-${(index + 1) * LARGE - 1}`;
  const headers = { "x-ms-write": "update", "x-ms-range": range };
  return upload(port, { method: "PUT", path, query: { comp: "range" }, headers, service: "file" }, LARGE);
}

function transferred(
  contender: Contender,
  options: RunOptions,
  one: (port: number, turn: number) => ReturnType<typeof transfer>,
): Promise<Measured> {
  const prepare = async (port: number): Promise<void> => {
    if (contender.name === "bare") {
      await upload(port, { method: "PUT", path: "/bench/large" }, 64 * MIB);
      return;
    }
    await transfer(port, { ...createShare, service: "file" });
    await transfer(port, { ...createFile("sequence", 256 * MIB), service: "file" });
    await transfer(port, { ...createFile("large", 64 * MIB), service: "file" });
    for (let index = 0; index < 16; index++) await putLargeRange(contender, port, "large", index);
  };
  return throughput(contender, options, { service: "file", prepare, one, parallel: 4 });
}

const common = { service: "file", azurite: false, requests: () => [] } as const;
const share = [createShare] as const;

export const FILE_ROWS: readonly Row[] = [
  {
    ...common,
    name: "create with 1 KiB",
    replyBytes: 0,
    target: { ofBare: 0.4 },
    prepare: share,
    // More than a server can answer in one round: a name that comes a second time is an overwrite.
    requests: () => Array.from({ length: 120_000 }, () => createFile(`c-${++created}`, 1 * KIB, SMALL)),
  },
  {
    ...common,
    name: "get 1 KiB",
    replyBytes: 1 * KIB,
    target: { ofBare: 0.6 },
    run: overPrepared(
      "small",
      () => [createShare, ...Array.from({ length: COUNT }, (_, n) => createFile(`g-${n}`, 1 * KIB, SMALL))],
      () => Array.from({ length: 2_000 }, (_, n) => ({ method: "GET", path: `/bench/g-${n % COUNT}` })),
    ),
  },
  {
    ...common,
    name: "put range 4 KiB at random",
    replyBytes: 0,
    target: { ofBare: 0.4 },
    run: overPrepared(
      "random",
      () => [createShare, createFile("random", 256 * MIB)],
      () =>
        Array.from({ length: 2_000 }, (_, n) => putRange("random", ((n * 7_919) % 65_536) * 4 * KIB, PAGE)),
    ),
  },
  {
    ...common,
    name: "put range 4 MiB in sequence (MB/s)",
    replyBytes: 0,
    target: { ofBare: 0.7 },
    run: (contender, options) =>
      transferred(contender, options, (port, turn) => putLargeRange(contender, port, "sequence", turn % 64)),
  },
  {
    ...common,
    name: "get 64 MiB (MB/s)",
    replyBytes: 0,
    target: { ofBare: 0.7 },
    run: (contender, options) =>
      transferred(contender, options, (port) =>
        transfer(port, { method: "GET", path: "/bench/large", service: "file" }),
      ),
  },
  {
    ...common,
    name: "list 5,000 of 100,000",
    replyBytes: 450_000,
    target: { ofBare: 0.01 },
    run: listAll,
  },
  {
    ...common,
    name: "rename a directory of 20,000 files",
    replyBytes: 0,
    target: { ofBare: 0.05 },
    run: renameDirectory,
  },
];
