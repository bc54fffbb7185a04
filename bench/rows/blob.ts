import { converse } from "../converse.ts";
import { drive, type Measured } from "../load.ts";
import type { Row } from "../rows.ts";
import type { Contender } from "../servers.ts";
import { type PlainRequest, signed } from "../sign.ts";
import { LARGE_BLOB_ROWS } from "./blob-large.ts";
import { RANGE_ROWS } from "./blob-ranges.ts";

/** Small blobs: the cost of one request, and of many clients that want the same thing. */
const KIB_1 = Buffer.alloc(1_024, 0x61);
const blockBlob = { "x-ms-blob-type": "BlockBlob" };
const container: PlainRequest = { method: "PUT", path: "/bench", query: { restype: "container" } };
const put = (name: string, headers: Readonly<Record<string, string>> = {}): PlainRequest => ({
  method: "PUT",
  path: `/bench/${name}`,
  headers: { ...blockBlob, ...headers },
  body: KIB_1,
});

interface RunOptions {
  readonly connections: number;
  readonly seconds: number;
}

let rounds = 0;
const NEW_NAMES = 160_000;

const etagOf = (reply: string): string | undefined => /\r\netag: ("[^"]+")/i.exec(reply)?.[1];
const statusOf = (reply: string): number => Number(reply.slice(9, 12));

const WRITERS = 32;

/**
 * Each writer puts with the ETag it last saw; one that lost reads the blob and tries again. What counts is
 * the number of wins, and how long a request takes; how long a writer waits for its next win is luck
 * (decision 0030).
 */
async function contend(contender: Contender, { seconds }: RunOptions): Promise<Measured> {
  const port = contender.ports.blob;
  if (contender.name === "bare") {
    const requests = [signed(put("contended"), port)];
    return drive({ port, requests, connections: WRITERS, seconds });
  }
  let lost = 0;
  // Who asks for the same thing sends the same bytes: else what is measured is how fast the client signs.
  const read = signed({ method: "GET", path: "/bench/contended", query: { comp: "metadata" } }, port);
  let write = { etag: "", request: read };
  const measured = await converse({
    port,
    connections: WRITERS,
    seconds,
    request: (_, reply) => {
      const etag = reply === undefined || statusOf(reply) === 412 ? undefined : etagOf(reply);
      if (etag === undefined) return read;
      if (etag !== write.etag)
        write = { etag, request: signed(put("contended", { "If-Match": etag }), port) };
      return write.request;
    },
    isCounted: (reply) => statusOf(reply) === 201,
    timesRequests: true,
    isExpected: (reply) => {
      const isLost = statusOf(reply) === 412;
      if (isLost) lost++;
      return isLost;
    },
  });
  const tries = (lost / (measured.perSecond * seconds)).toFixed(1);
  console.log(
    `  ${contender.name}: ${Math.round(lost / seconds)} refused with 412 a second, ${tries} for each that won`,
  );
  return measured;
}

/** A lease taken and given back, each connection on a blob of its own. */
async function leases(contender: Contender, { connections, seconds }: RunOptions): Promise<Measured> {
  const port = contender.ports.blob;
  // The round before may have ended between the two.
  const round = ++rounds;
  const lease = (connection: number, headers: Readonly<Record<string, string>>): Buffer => {
    const path = `/bench/leased-${round}-${connection}`;
    return signed({ method: "PUT", path, query: { comp: "lease" }, headers }, port);
  };
  const acquire = { "x-ms-lease-action": "acquire", "x-ms-lease-duration": "-1" };
  const isReleased: boolean[] = [];
  const begun = new Set<number>();
  return converse({
    port,
    connections,
    seconds,
    request: (connection, reply) => {
      if (!begun.has(connection)) {
        begun.add(connection);
        return signed(put(`leased-${round}-${connection}`), port);
      }
      const id = /\r\nx-ms-lease-id: (\S+)/i.exec(reply ?? "")?.[1];
      isReleased[connection] = id !== undefined || (contender.name === "bare" && !isReleased[connection]);
      return isReleased[connection]
        ? lease(connection, { "x-ms-lease-action": "release", "x-ms-lease-id": id ?? "" })
        : lease(connection, acquire);
    },
    // One unit is both: what follows a release counts it.
    isCounted: (_, connection) => isReleased[connection] === true,
  });
}

export const BLOB_ROWS: readonly Row[] = [
  {
    name: "GET blob 1 KiB",
    service: "blob",
    replyBytes: 1_024,
    azurite: true,
    target: { ofBare: 0.7, overAzurite: 20 },
    prepare: [container, put("small")],
    requests: () => Array.from({ length: 2_000 }, () => ({ method: "GET", path: "/bench/small" })),
  },
  {
    name: "PUT blob 1 KiB, new",
    service: "blob",
    replyBytes: 0,
    azurite: true,
    target: { ofBare: 0.5, overAzurite: 20 },
    prepare: [container],
    requests: () => {
      const round = ++rounds;
      return Array.from({ length: NEW_NAMES }, (_, i) => put(`new-${round}-${i}`));
    },
  },
  {
    name: "PUT blob 1 KiB, overwrite",
    service: "blob",
    replyBytes: 0,
    azurite: true,
    target: { ofBare: 0.5, overAzurite: 20 },
    prepare: [container],
    requests: () => Array.from({ length: 2_000 }, (_, i) => put(`over-${i % 500}`)),
  },
  {
    name: "conditional PUT, 32 writers of one blob",
    service: "blob",
    replyBytes: 0,
    azurite: true,
    target: { ofBare: 0.02 },
    prepare: [container, put("contended")],
    requests: () => [],
    run: contend,
  },
  {
    name: "lease acquire and release",
    service: "blob",
    replyBytes: 0,
    azurite: true,
    target: { ofBare: 0.5, overAzurite: 20 },
    prepare: [container],
    requests: () => [],
    run: leases,
  },
  ...LARGE_BLOB_ROWS,
  ...RANGE_ROWS,
];
