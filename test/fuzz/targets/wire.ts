import { ManualClock } from "../../../src/base/clock.ts";
import { Refusal } from "../../../src/base/refusals.ts";
import { CooperativeScheduler } from "../../../src/base/yield-to-event-loop.ts";
import { parseTagPredicate } from "../../../src/concurrency/tag-predicate.ts";
import { parseTagQuery } from "../../../src/concurrency/tag-query.ts";
import { parseTagsBody, parseTagsHeader } from "../../../src/http/blob/tags-wire.ts";
import { ChunkReader } from "../../../src/http/connection/chunks.ts";
import { Malformed, type RequestHead, readRequestHead } from "../../../src/http/connection/request-head.ts";
import { parseMessage } from "../../../src/http/queue/message-xml.ts";
import { readAddress } from "../../../src/http/target.ts";
import { parseBlobBatch, parseTableBatch } from "../../../src/http/wire/batch.ts";
import { parseHttpDate, parseIsoTicks } from "../../../src/http/wire/dates.ts";
import { decodeMarker, readListParams } from "../../../src/http/wire/list-params.ts";
import { readMetadata } from "../../../src/http/wire/metadata.ts";
import { parseEntityAddress, resourceKindOf } from "../../../src/http/wire/odata/address.ts";
import { parseToken } from "../../../src/http/wire/odata/continuation.ts";
import { readEntity } from "../../../src/http/wire/odata/entity-reader.ts";
import { parseFilter } from "../../../src/http/wire/odata/filter-parser.ts";
import { parseRange } from "../../../src/http/wire/range.ts";
import { parseServiceProperties } from "../../../src/http/wire/service-properties.ts";
import { parseSignedIdentifiers } from "../../../src/http/wire/signed-identifiers.ts";
import { decodeStructuredBody } from "../../../src/http/wire/structured-body.ts";
import { parseXml } from "../../../src/http/wire/xml.ts";
import { runQuery } from "../../../src/services/blob/query/run-query.ts";
import { SqlError } from "../../../src/services/blob/query/sql.ts";
import { parseSql } from "../../../src/services/blob/query/sql-parser.ts";
import { keyRangesOf } from "../../../src/services/table/filter/key-ranges.ts";
import { accounts, authenticate, contextOf, hmac, NAME, NOW_TEXT, queryOf } from "../../support/auth.ts";
import { plainTarget } from "../target.ts";

const SCHEDULER = new CooperativeScheduler(1);

/** The readers of the HTTP front end, each by itself: thousands of times faster than through a socket. */
const text = (input: Buffer): string => input.utf8Slice();
const refusals = [Refusal];
const XML_WORDS = [
  "<a>",
  "</a>",
  "&amp;",
  "&#x",
  "<![CDATA[",
  "]]>",
  "<!DOCTYPE",
  "<!ENTITY",
  "<?xml",
  "<!--",
  "-->",
];

export const XML = plainTarget("xml", {
  seeds: ['<?xml version="1.0" encoding="utf-8"?><a b="c">&lt;x<!-- c --><d/><![CDATA[e]]></a>'],
  words: XML_WORDS,
  refusals,
  read: parseXml,
});

export const XML_TAGS = plainTarget("xml-tags", {
  seeds: ["<Tags><TagSet><Tag><Key>a</Key><Value>b</Value></Tag></TagSet></Tags>"],
  words: [...XML_WORDS, "<Tag>", "<Key>", "<Value>"],
  refusals,
  read: (input) => (input[0] === 0x3c ? parseTagsBody(input) : parseTagsHeader(text(input))),
});

export const XML_POLICIES = plainTarget("xml-policies", {
  seeds: [
    "<SignedIdentifiers><SignedIdentifier><Id>a</Id><AccessPolicy><Start>2020-01-01</Start><Expiry>2030-01-01T00:00:00.0000000Z</Expiry><Permission>rwd</Permission></AccessPolicy></SignedIdentifier></SignedIdentifiers>",
  ],
  words: [...XML_WORDS, "<SignedIdentifier>", "<Id>", "<AccessPolicy>"],
  refusals,
  read: (body) => parseSignedIdentifiers(body, /^[a-z]*$/),
});

export const XML_PROPERTIES = plainTarget("xml-properties", {
  seeds: [
    "<StorageServiceProperties><Logging><Version>1.0</Version><Delete>true</Delete><Read>true</Read><Write>true</Write><RetentionPolicy><Enabled>true</Enabled><Days>7</Days></RetentionPolicy></Logging><HourMetrics><Version>1.0</Version><Enabled>false</Enabled></HourMetrics><Cors><CorsRule><AllowedOrigins>http://a,http://b</AllowedOrigins><AllowedMethods>GET,PUT</AllowedMethods><MaxAgeInSeconds>10</MaxAgeInSeconds><ExposedHeaders>x-ms-*</ExposedHeaders><AllowedHeaders>*</AllowedHeaders></CorsRule></Cors><DefaultServiceVersion>2020-10-02</DefaultServiceVersion><DeleteRetentionPolicy><Enabled>true</Enabled><Days>5</Days></DeleteRetentionPolicy><StaticWebsite><Enabled>true</Enabled><IndexDocument>i</IndexDocument></StaticWebsite></StorageServiceProperties>",
    "<StorageServiceProperties><ProtocolSettings><SMB><Multichannel><Enabled>false</Enabled></Multichannel></SMB></ProtocolSettings></StorageServiceProperties>",
  ],
  words: XML_WORDS,
  refusals,
  read: (input) => {
    const owner = (["blob", "queue", "table", "file"] as const)[input.length & 3]!;
    return parseServiceProperties(owner, input);
  },
});

export const XML_MESSAGE = plainTarget("xml-message", {
  seeds: ["<QueueMessage><MessageText>hello &amp; &#x1F600;</MessageText></QueueMessage>"],
  words: XML_WORDS,
  refusals,
  read: parseMessage,
});

export const ODATA_FILTER = plainTarget("odata-filter", {
  seeds: [
    "PartitionKey eq 'p' and (RowKey ge 'a' or not (n lt 5L))",
    "t gt datetime'2020-01-01T00:00:00Z' and g eq guid'a455c695-df98-5678-aaaa-81d3367e5a34' and b eq X'00ff'",
    "d le 1.5e3 or s ne 'it''s' and f eq true",
  ],
  words: [
    " eq ",
    " ne ",
    " and ",
    " or ",
    "not ",
    "(",
    ")",
    "datetime'",
    "guid'",
    "binary'",
    "L",
    "''",
    "true",
  ],
  refusals,
  read: (input) => {
    const filter = parseFilter(text(input));
    keyRangesOf(1n, filter);
  },
});

export const ODATA_ENTITY = plainTarget("odata-entity", {
  seeds: [
    '{"PartitionKey":"p","RowKey":"r","a@odata.type":"Edm.Int64","a":"5","b":1.5e3,"c":true,"d":null,"e":"\\u00e9"}',
    '{"t@odata.type":"Edm.DateTime","t":"2020-01-01T00:00:00.1234567Z","g@odata.type":"Edm.Guid","g":"a455c695-df98-5678-aaaa-81d3367e5a34","x@odata.type":"Edm.Binary","x":"AAEC"}',
  ],
  words: ["@odata.type", "Edm.Double", "NaN", "Infinity", "__proto__", "\\u", "e308", "odata.etag"],
  refusals,
  read: readEntity,
});

export const ODATA_ADDRESS = plainTarget("odata-address", {
  seeds: ["t(PartitionKey='a''b',RowKey='c')", "Tables('x')", "t()", "$batch", "1!8!cGFydA--"],
  words: ["PartitionKey='", "RowKey='", "''", "(", ")", ","],
  refusals,
  read: (input) => {
    const path = text(input);
    const kind = resourceKindOf(path);
    if (kind === "entity") parseEntityAddress(path);
    parseToken(path);
  },
});

const part = (boundary: string, head: string, line: string, body: string): string =>
  `--${boundary}\r\n${head}\r\n\r\n${line}\r\n\r\n${body}\r\n`;
const HTTP_PART = "Content-Type: application/http\r\nContent-Transfer-Encoding: binary\r\nContent-ID: 1";

export const BATCH_BLOB = plainTarget("batch-blob", {
  seeds: [
    `${part("b", HTTP_PART, "DELETE /a/c/b HTTP/1.1\r\nx-ms-date: d\r\nContent-Length: 0", "")}--b--\r\n`,
  ],
  words: ["--b\r\n", "--b--", "\r\n\r\n", "Content-Type: ", "HTTP/1.1", "application/http"],
  refusals,
  read: (input) => parseBlobBatch("multipart/mixed; boundary=b", input),
});

export const BATCH_TABLE = plainTarget("batch-table", {
  seeds: [
    `--b\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n${part("c", HTTP_PART, "POST http://h/a/t HTTP/1.1\r\nContent-Type: application/json", '{"PartitionKey":"p"}')}--c--\r\n--b--\r\n`,
    `${part("b", HTTP_PART, "GET http://h/a/t() HTTP/1.1", "")}--b--\r\n`,
  ],
  words: ["--b\r\n", "--c\r\n", "--c--", "\r\n\r\n", "multipart/mixed; boundary=c", "HTTP/1.1"],
  refusals,
  read: (input) => parseTableBatch("multipart/mixed; boundary=b", input),
});

const SAS = {
  sv: "2022-11-02",
  st: "2025-12-31",
  se: "2026-01-02",
  sp: "r",
  sip: "127.0.0.1",
  spr: "https,http",
};
const signedSas = (
  path: string,
  fields: Readonly<Record<string, string>>,
  names: readonly string[],
): string => {
  const own = names.map((name) =>
    name.startsWith("/") ? name : ((fields as Record<string, string>)[name] ?? ""),
  );
  return `${path}?${queryOf({ ...fields, sig: hmac(own.join("\n")) })}`;
};
const SERVICE = ["sp", "st", "se", `/blob/${NAME}/c/b`, "si", "sip", "spr", "sv", "sr", "snapshot", "ses"];

/** The whole road of a SAS: address, fields, dates, address ranges, signature. */
export const AUTH_SAS = plainTarget("auth-sas", {
  seeds: [
    signedSas(`/${NAME}/c/b`, { ...SAS, sr: "b" }, [...SERVICE, "rscc", "rscd", "rsce", "rscl", "rsct"]),
    `/${NAME}/c?${queryOf({ ...SAS, ss: "bq", srt: "sco", sig: "AAAA" })}`,
    `/${NAME}/t?${queryOf({ ...SAS, tn: "t", spk: "a", erk: "z", si: "policy", sig: "AAAA" })}`,
    `/${NAME}/c/b?${queryOf({ ...SAS, sr: "d", sdd: "1", skoid: "o", sktid: "t", skt: "2025-12-31", ske: "2026-01-02", sks: "b", skv: "2020-10-02", srh: "a,b", srq: "c", sduoid: "u", sig: "A+/=" })}`,
  ],
  words: [
    "&sig=",
    "&sv=",
    "&se=",
    "&sip=1.1.1.1-2.2.2.2",
    "&spr=https",
    "&sr=c",
    "&skoid=",
    "%",
    "2026-01-01T00:00Z",
  ],
  refusals,
  read: async (input) => {
    const url = input.latin1Slice();
    const { target, query } = readAddress(
      url,
      "127.0.0.1",
      (["blob", "queue", "table", "file"] as const)[url.length & 3]!,
      true,
    );
    const request = {
      method: "GET",
      target,
      query,
      headers: {},
      isSecure: true,
      remoteAddress: "127.0.0.1",
      version: "",
    };
    await authenticate(request, contextOf({ accounts, clock: new ManualClock() }));
  },
});

const headOf = (lines: Buffer): RequestHead => readRequestHead(lines, lines.length);

/** The request line and headers, up to the blank line. */
export const HTTP_HEAD = plainTarget("http-head", {
  seeds: [
    "GET /devstoreaccount1/c/b?comp=list HTTP/1.1\r\nHost: x\r\nx-ms-date: now\r\naccept: a\r\nAccept: b",
    "PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 12\r\nExpect: 100-continue\r\nConnection: TE, close",
    "PUT / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n",
  ],
  words: [
    "HTTP/1.1",
    "HTTP/1.0",
    "\r\n",
    "\n",
    ": ",
    "Content-Length",
    "Transfer-Encoding",
    "chunked",
    "Host",
  ],
  refusals: [Malformed],
  read: headOf,
});

/** A chunked body, in two pieces that are cut at the place the first byte says. */
export const HTTP_CHUNKS = plainTarget("http-chunks", {
  seeds: ["\x055\r\nhello\r\n0\r\n\r\n", "\x09A;ext=1\r\n0123456789\r\n0\r\nTrailer: x\r\n\r\nGET"],
  words: ["\r\n", "0\r\n\r\n", ";", "ffffffffffff"],
  refusals: [Malformed],
  read: (input) => {
    const data = input.subarray(1);
    const cut = Math.min(data.length, input[0] ?? 0);
    const reader = new ChunkReader();
    let bytes = 0;
    const take = (piece: Buffer): void => {
      bytes += piece.length;
    };
    if (reader.read(data.subarray(0, cut), take) < 0) reader.read(data.subarray(cut), take);
    if (bytes > data.length) throw new Error("more content than bytes");
  },
});

const CANONICAL = `GET\n\n\n\n\n\n\n\n\n\n\n\nx-ms-date:${NOW_TEXT}\nx-ms-version:2022-11-02\n/${NAME}/${NAME}/c\ncomp:list`;

/** The Authorization header and what is signed: the first line is the address, the rest are headers. */
export const AUTH_SHARED_KEY = plainTarget("auth-shared-key", {
  seeds: [
    `/${NAME}/c?comp=list\nAuthorization: SharedKey ${NAME}:${hmac(CANONICAL)}\nx-ms-date: ${NOW_TEXT}\nx-ms-version: 2022-11-02`,
    `/${NAME}/c\nAuthorization: SharedKeyLite ${NAME}:AAAA\nDate: ${NOW_TEXT}\nContent-MD5: x\nx-ms-meta-B: 1\nx-ms-meta-a: 2`,
    `/${NAME}/c\nAuthorization: Bearer e30.e30.e30\nx-ms-version: 2020-10-02`,
  ],
  words: ["SharedKey ", "SharedKeyLite ", "Bearer ", ":", "x-ms-date: ", "x-ms-", "\n", NAME],
  refusals: [...refusals, Malformed],
  read: async (input) => {
    const [url = "/", ...lines] = input.latin1Slice().split("\n");
    const { headers } = headOf(Buffer.from(`GET / HTTP/1.1\r\nHost: x\r\n${lines.join("\r\n")}`, "latin1"));
    const { target, query } = readAddress(url, headers.host, "blob", true);
    const version = headers["x-ms-version"] ?? "";
    const oauth = url.length % 2 === 0 ? "basic" : "off";
    const request = { method: "GET", target, query, headers, isSecure: true, remoteAddress: "::1", version };
    await authenticate(request, contextOf({ accounts, oauth }));
  },
});

/** Addresses and the small values of headers and query, all of one line. */
export const HTTP_VALUES = plainTarget("http-values", {
  seeds: [
    "/devstoreaccount1/c/d%2Fe/f?comp=list&maxresults=5&marker=x&prefix=%E2%82%AC&timeout=30",
    "bytes=0-511",
    "Sun, 06 Nov 1994 08:49:37 GMT",
    "2020-01-01T00:00:00.1234567Z",
    "http://h/a?b=c&%zz",
  ],
  words: ["bytes=", "-", "GMT", "Jan", "&", "%", "marker=", "include=metadata,tags", "delimiter=/"],
  refusals,
  read: (input) => {
    const line = input.latin1Slice();
    const each = [
      () => {
        const { query } = readAddress(line, line.slice(0, 40), "blob", true);
        readListParams(query, { include: ["metadata", "tags"] });
      },
      () => parseRange({ range: line, "x-ms-range": line.length % 2 === 0 ? line : undefined }),
      () => decodeMarker("scope", line),
      () => readMetadata(["x-ms-meta-a", line, `x-ms-meta-${line.slice(0, 20)}`, "b"]),
    ];
    parseHttpDate(line);
    parseIsoTicks(line);
    for (const one of each)
      try {
        one();
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
      }
  },
});

export const TAG_QUERIES = plainTarget("tag-queries", {
  seeds: [`"a" = '1' AND "b" >= '2'`, `@container = 'c' AND "x" < 'y'`, `"a" = '1' OR ("b" <> '2')`],
  words: [" AND ", " OR ", "@container", "<>", ">=", "'", '"', "("],
  refusals,
  read: (input) => {
    parseTagPredicate(text(input));
    parseTagQuery(text(input));
  },
});

const CSV = 'id,name\n1,one\n2,two two\n,\n3,"a,b"\n';
const JSON_ROWS = '{"id":1,"o":{"a":[1,2]}}\n{"id":2,"name":"x"}\n';

/** A query and then its data, after a zero byte. */
export const SQL = plainTarget("sql-query", {
  seeds: [
    `SELECT * FROM BlobStorage WHERE _1 > 1 LIMIT 2\0${CSV}`,
    `SELECT COUNT(*), SUM(CAST(_1 AS INT)), MIN(_2) FROM BlobStorage\0${CSV}`,
    `SELECT UPPER(_2) AS u, CASE WHEN _1 = '1' THEN 'x' ELSE NULL END FROM BlobStorage s WHERE s._2 LIKE '%o_' ESCAPE '!'\0${CSV}`,
    `SELECT o.a[0] FROM BlobStorage[*] WHERE id IN (1, 2) AND name IS NOT NULL OR id BETWEEN 0 AND 5\0${JSON_ROWS}`,
    `SELECT TRIM(BOTH 'x' FROM name), SUBSTRING(name, 1, 2), -id % 2 || 'a' FROM BlobStorage[*].o.a[*]\0${JSON_ROWS}`,
  ],
  words: [
    "SELECT ",
    " FROM BlobStorage",
    " WHERE ",
    " LIKE '%",
    "CAST(",
    "[*]",
    " AND ",
    "NULLIF(",
    "EXTRACT(",
    "||",
  ],
  refusals: [Refusal, SqlError],
  read: async (input) => {
    const split = input.indexOf(0);
    const query = parseSql(text(split < 0 ? input : input.subarray(0, split)), 0);
    const data = split < 0 ? Buffer.from(CSV) : input.subarray(split + 1);
    const csv = {
      kind: "csv",
      columnSeparator: ",",
      recordSeparator: "\n",
      quote: '"',
      escapeMark: "",
      hasHeaders: false,
    } as const;
    const json = { kind: "json", recordSeparator: "\n" } as const;
    const form = data[0] === 0x7b ? json : csv;
    for await (const _ of runQuery({
      query,
      input: form,
      output: form,
      file: { length: data.length, stream: () => pieces(data), read: async () => data },
      scheduler: SCHEDULER,
    }));
  },
});

async function* pieces(data: Buffer): AsyncGenerator<Buffer> {
  const middle = data.length >> 1;
  yield data.subarray(0, middle);
  yield data.subarray(middle);
}

export const STRUCTURED_BODY = plainTarget("structured-body", {
  seeds: [
    Buffer.from(
      "012a00000000000000010001000100030000000000000061626300000000000000000000000000000000",
      "hex",
    ),
    Buffer.from("0115000000000000000100000000000000000000000000", "hex"),
  ],
  refusals,
  read: async (input) => {
    for await (const _ of decodeStructuredBody(pieces(input), { contentLength: 3 }));
  },
});
