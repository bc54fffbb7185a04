import { converse } from "../converse.ts";
import type { Measured } from "../load.ts";
import type { Row } from "../rows.ts";
import type { Contender } from "../servers.ts";
import { type PlainRequest, signed } from "../sign.ts";

/**
 * Entities of about 1 KiB, as the published targets count them, in one partition unless a row says otherwise.
 */
const JSON_TYPE = { "Content-Type": "application/json", Accept: "application/json;odata=nometadata" };
const TEXT = "x".repeat(800);

const createTable = (name: string): PlainRequest => ({
  method: "POST",
  path: "/Tables",
  headers: { ...JSON_TYPE, Prefer: "return-no-content" },
  body: Buffer.from(`{"TableName":"${name}"}`),
});

const entityPath = (table: string, row: string): string => `/${table}(PartitionKey='p',RowKey='${row}')`;

const properties = (n: number): string =>
  `"Name":"entity ${n}","Text":"${TEXT}","Count":${n},"Price":${n}.5,"Active":true,"Big@odata.type":"Edm.Int64","Big":"${n}"`;

let inserted = 0;

function insertInto(table: string): PlainRequest {
  const n = ++inserted;
  return {
    method: "POST",
    path: `/${table}`,
    headers: { ...JSON_TYPE, Prefer: "return-no-content" },
    body: Buffer.from(`{"PartitionKey":"p","RowKey":"${String(n).padStart(9, "0")}",${properties(n)}}`),
  };
}

/** Azurite slows with every entity it holds, so its rates say little without this; fewer flatter it. */
const HELD = 10_000;
const FEW = 1_000;
const pointRow = (n: number): string => `r${String(n).padStart(5, "0")}`;

/** Entities put in place once for each server, 100 at a time. */
const loaded = new WeakSet<Contender>();

async function load(contender: Contender, table: string, count: number): Promise<void> {
  if (contender.name === "bare" || loaded.has(contender)) return;
  loaded.add(contender);
  const port = contender.ports.table;
  const create = signed({ ...createTable(table), service: "table" }, port);
  await converse({
    port,
    connections: 1,
    seconds: 60,
    request: (_, reply) => (reply ? undefined : create),
  });
  let at = -100;
  const batch = (): Buffer | undefined => {
    at += 100;
    return at < count ? signed({ ...upserts(table, at), service: "table" }, port) : undefined;
  };
  // Azurite loses parts of batches that overlap.
  const connections = contender.name === "azurite" ? 1 : 4;
  const { errors } = await converse({ port, connections, seconds: 600, request: batch });
  if (errors > 0 || at < count)
    throw new Error(`${contender.name} was not filled: ${at} of ${count} entities`);
}

function upserts(table: string, from: number): PlainRequest {
  const lines = ["--batch_b", "Content-Type: multipart/mixed; boundary=changeset_c", ""];
  for (let n = from; n < from + 100; n++) {
    lines.push(
      "--changeset_c",
      "Content-Type: application/http",
      "Content-Transfer-Encoding: binary",
      "",
      `PUT http://127.0.0.1/devstoreaccount1${entityPath(table, pointRow(n))} HTTP/1.1`,
      "Content-Type: application/json",
      "Accept: application/json;odata=minimalmetadata",
      "DataServiceVersion: 3.0;",
      "",
      `{"PartitionKey":"p","RowKey":"${pointRow(n)}",${properties(n)}}`,
    );
  }
  lines.push("--changeset_c--", "--batch_b--", "");
  return {
    method: "POST",
    path: "/$batch",
    headers: { "Content-Type": "multipart/mixed; boundary=batch_b" },
    body: Buffer.from(lines.join("\r\n")),
  };
}

interface RunOptions {
  readonly connections: number;
  readonly seconds: number;
}

const ETAG = /\r\netag: ([^\r]*)/i;

/** Each connection writes an entity of its own again and again, naming the ETag it got last time. */
async function replaceWithEtag(contender: Contender, options: RunOptions, held: number): Promise<Measured> {
  await load(contender, "replace", held);
  const port = contender.ports.table;
  const heads = Array.from({ length: options.connections }, (_, connection) => {
    const body = Buffer.from(`{${properties(connection)}}`);
    const headers = { ...JSON_TYPE, "If-Match": "ETAG" };
    const path = entityPath("replace", pointRow(connection));
    return signed({ method: "PUT", path, headers, body, service: "table" }, port).toString();
  });
  // The signature of a Table request does not cover If-Match, so one is enough.
  const etags = heads.map(() => "*");
  return converse({
    port,
    ...options,
    request: (connection, reply) => {
      if (reply !== undefined) etags[connection] = ETAG.exec(reply)?.[1] ?? etags[connection]!;
      return Buffer.from(heads[connection]!.replace("ETAG", etags[connection]!));
    },
  });
}

/**
 * Everybody increments one entity: read, write with the ETag, again when somebody was faster. Counts
 * increments.
 */
async function contention(contender: Contender, options: RunOptions): Promise<Measured> {
  await load(contender, "contended", 100);
  const port = contender.ports.table;
  const path = entityPath("contended", pointRow(0));
  const get = signed({ method: "GET", path, headers: { Accept: JSON_TYPE.Accept }, service: "table" }, port);
  const put = signed(
    {
      method: "PUT",
      path,
      headers: { ...JSON_TYPE, "If-Match": "ETAG" },
      body: Buffer.from('{"Count":1}'),
      service: "table",
    },
    port,
  ).toString();
  const isWriting: boolean[] = [];
  return converse({
    port,
    ...options,
    isCounted: (reply, connection) => isWriting[connection] === true && !reply.startsWith("HTTP/1.1 412"),
    isExpected: (reply) => reply.startsWith("HTTP/1.1 412"),
    request: (connection, reply) => {
      isWriting[connection] = !(isWriting[connection] ?? true);
      if (!isWriting[connection] || reply === undefined) return get;
      return Buffer.from(put.replace("ETAG", ETAG.exec(reply)?.[1] ?? "*"));
    },
  });
}

const FILTERED = 100_000;
const NEXT_PARTITION = /\r\nx-ms-continuation-nextpartitionkey: ([^\r]*)/i;
const NEXT_ROW = /\r\nx-ms-continuation-nextrowkey: ([^\r]*)/i;

/** A filter that finds 100 of 100,000, all pages of it. Counts whole queries. */
async function filterAll(contender: Contender, options: RunOptions): Promise<Measured> {
  await load(contender, "filtered", FILTERED);
  const port = contender.ports.table;
  const filter = `Count ge ${FILTERED - 100}`;
  const page = (more: Record<string, string>): Buffer =>
    signed(
      {
        method: "GET",
        path: "/filtered()",
        query: { $filter: filter, ...more },
        headers: { Accept: JSON_TYPE.Accept },
        service: "table",
      },
      port,
    );
  const first = page({});
  return converse({
    port,
    seconds: options.seconds,
    connections: 2,
    isCounted: (reply) => !NEXT_PARTITION.test(reply),
    request: (_, reply) => {
      const partition = reply === undefined ? undefined : NEXT_PARTITION.exec(reply)?.[1];
      if (partition === undefined) return first;
      const row = NEXT_ROW.exec(reply!)?.[1];
      return page({ NextPartitionKey: partition, ...(row === undefined ? {} : { NextRowKey: row }) });
    },
  });
}

/** More than a server can answer in one round: an entity that comes a second time is refused. */
const REQUESTS = 200_000;
const MILLION = 1_000_000;

/** Ready requests over entities that are put in place first. */
function overLoaded(table: string, count: number, request: (n: number) => PlainRequest) {
  return async (contender: Contender, options: RunOptions): Promise<Measured> => {
    await load(contender, table, count);
    const port = contender.ports.table;
    const { drive } = await import("../load.ts");
    // Over all of them, however many they are.
    const requests = Array.from({ length: REQUESTS }, (_, n) =>
      signed({ ...request(Math.floor((n * count) / REQUESTS)), service: "table" }, port),
    );
    return drive({ port, requests, ...options });
  };
}

const common = { service: "table", azurite: true, requests: () => [] } as const;

const getPoint =
  (table: string) =>
  (n: number): PlainRequest => ({
    method: "GET",
    path: entityPath(table, pointRow(n)),
    headers: { Accept: JSON_TYPE.Accept },
  });

/** The three that the Table service is judged by, in tables of one size. */
function rowsWith(held: number): Row[] {
  const there = `${held.toLocaleString("en-US")} there`;
  return [
    {
      ...common,
      name: `insert entity 1 KiB, ${there}`,
      replyBytes: 0,
      target: { ofBare: 0.5, overAzurite: 20 },
      run: overLoaded("insert", held, () => insertInto("insert")),
    },
    {
      ...common,
      name: `replace entity with If-Match, ${there}`,
      replyBytes: 0,
      target: { ofBare: 0.5, overAzurite: 20 },
      run: (contender, options) => replaceWithEtag(contender, options, held),
    },
    {
      ...common,
      name: `point query 1 KiB, ${there}`,
      replyBytes: 1_024,
      target: { ofBare: 0.7, overAzurite: 20 },
      run: overLoaded("point", held, getPoint("point")),
    },
  ];
}

export const TABLE_ROWS: readonly Row[] = [
  ...rowsWith(HELD),
  ...rowsWith(FEW),
  {
    ...common,
    name: "insert entity 1 KiB, 1 million there",
    replyBytes: 0,
    azurite: false,
    target: { ofBare: 0.4 },
    run: overLoaded("million", MILLION, () => insertInto("million")),
  },
  {
    ...common,
    name: "point query 1 KiB, 1 million there",
    replyBytes: 1_024,
    azurite: false,
    target: { ofBare: 0.56 },
    run: overLoaded("points", MILLION, getPoint("points")),
  },
  {
    ...common,
    name: "merge entity",
    replyBytes: 0,
    target: { ofBare: 0.4, overAzurite: 20 },
    run: overLoaded("merge", HELD, (n) => ({
      method: "MERGE",
      path: entityPath("merge", pointRow(n)),
      headers: JSON_TYPE,
      body: Buffer.from(`{"Count":${n}}`),
    })),
  },
  {
    ...common,
    name: "batch of 100 upserts",
    replyBytes: 20_000,
    target: { ofBare: 0.02, overAzurite: 5 },
    prepare: [createTable("batches")],
    requests: () => Array.from({ length: 100 }, (_, i) => upserts("batches", i * 100)),
  },
  {
    ...common,
    name: "partition scan of 1,000",
    replyBytes: 1_000_000,
    target: { ofBare: 0.02, overAzurite: 5 },
    run: overLoaded("scan", 1_000, () => ({
      method: "GET",
      path: "/scan()",
      query: { $filter: "PartitionKey eq 'p'" },
      headers: { Accept: JSON_TYPE.Accept },
    })),
  },
  {
    ...common,
    name: "filter on a property over 100,000 entities",
    replyBytes: 1_000,
    azurite: false,
    target: { ofBare: 0 },
    run: filterAll,
  },
  {
    ...common,
    name: "contended increments of one entity",
    replyBytes: 0,
    target: { ofBare: 0 },
    run: contention,
  },
];
