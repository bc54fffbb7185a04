import { createHmac } from "node:crypto";
import { connect } from "node:net";
import { type Log, silentLog } from "../../../src/observability/log.ts";
import { startTestServer, type TestServer } from "../../kit/server.ts";
import { queryOf } from "../../support/auth.ts";
import type { FuzzRun, FuzzTarget } from "../target.ts";

/**
 * Whole requests over a real connection. `$SAS` stands for the fields of a SAS that may do everything, `$LEN`
 * for the length of the body that follows: so that a changed request still means something to the server.
 */
type Service = "blob" | "queue" | "table" | "file";
const SILENCE_MILLIS = 8;

function allRights(server: TestServer): string {
  const fields = {
    sv: "2022-11-02",
    ss: "bqtf",
    srt: "sco",
    sp: "rwdxylacuptfi",
    se: "2099-01-01T00:00:00Z",
  };
  const { sp, ss, srt, se, sv } = fields;
  const text = [server.account, sp, ss, srt, "", se, "", "", sv, "", ""].join("\n");
  const sig = createHmac("sha256", Buffer.from(server.key, "base64")).update(text).digest("base64");
  return queryOf({ ...fields, sig });
}

async function openServer(service: Service, prepare: readonly string[]): Promise<FuzzRun> {
  const faults: string[] = [];
  const error: Log["error"] = (fields, text) => {
    const cause = (fields as { err?: Error }).err;
    faults.push(`${text}: ${cause?.stack ?? JSON.stringify(fields)}`);
  };
  const log: Log = { ...silentLog, error, child: () => log };
  const server = await startTestServer({ log });
  const port = Number(new URL(server.endpoints[service]).port);
  const sas = allRights(server);
  const filled = (input: Buffer): Buffer => {
    const text = input.latin1Slice().replaceAll("$SAS", sas);
    const end = text.indexOf("\r\n\r\n");
    const length = end < 0 ? 0 : text.length - end - 4;
    return Buffer.from(text.replace("$LEN", String(length)), "latin1");
  };
  const run = async (input: Buffer): Promise<void> => {
    const reply = await exchange(port, filled(input));
    const fault = faults.shift();
    if (fault !== undefined) throw new Error(`logged: ${fault}`);
    // A source on a port where nobody listens is the protocol's own 500.
    const isFault =
      /^HTTP\/1\.1 500/m.test(reply) && !reply.includes("\r\nx-ms-error-code: CannotVerifyCopySource");
    if (isFault) throw new Error(`answered: ${reply.slice(0, 600)}`);
  };
  for (const request of prepare) await run(Buffer.from(request, "latin1"));
  return { run, close: () => server.close() };
}

/**
 * Sends the bytes; what comes back until the server ends the connection, or has nothing to say to half a
 * request.
 */
function exchange(port: number, bytes: Buffer): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    const chunks: Buffer[] = [];
    let silence: NodeJS.Timeout | undefined;
    const done = (): void => {
      clearTimeout(silence);
      socket.destroy();
      resolve(Buffer.concat(chunks).toString("latin1", 0, 4_096));
    };
    socket.on("data", (chunk) => {
      chunks.push(chunk);
      silence?.refresh();
    });
    socket.on("error", done);
    socket.on("close", done);
    socket.write(bytes, () => {
      silence = setTimeout(done, SILENCE_MILLIS);
    });
  });
}

const request = (method: string, target: string, headers: readonly string[] = [], body = ""): string => {
  const mark = target.includes("?") ? "&" : "?";
  const lines = [
    `${method} /devstoreaccount1${target}${mark}$SAS HTTP/1.1`,
    "Host: 127.0.0.1",
    "Connection: close",
    "x-ms-version: 2022-11-02",
    ...headers,
  ];
  if (body !== "" || method === "PUT" || method === "POST") lines.push("Content-Length: $LEN");
  return `${lines.join("\r\n")}\r\n\r\n${body}`;
};

function target(
  service: Service,
  prepare: readonly string[],
  others: readonly string[],
  words: readonly string[],
) {
  const seeds = [...prepare, ...others];
  const common = [
    "\r\n",
    "HTTP/1.1",
    "Transfer-Encoding: chunked\r\n",
    "x-ms-",
    "%2F",
    "%00",
    "..",
    "Range: bytes=",
  ];
  return {
    name: `http-${service}`,
    seeds,
    words: [...common, "If-Match: ", "If-None-Match: *", "If-Modified-Since: ", "x-ms-lease-id: ", ...words],
    open: () => openServer(service, prepare),
  } satisfies FuzzTarget;
}

const LEASE = "x-ms-lease-id: 11111111-1111-4111-8111-111111111111";
const POLICY =
  "<SignedIdentifiers><SignedIdentifier><Id>a</Id><AccessPolicy><Start>2020-01-01</Start><Expiry>2030-01-01</Expiry><Permission>r</Permission></AccessPolicy></SignedIdentifier></SignedIdentifiers>";
const PROPERTIES =
  "<StorageServiceProperties><Logging><Version>1.0</Version><Delete>true</Delete><Read>false</Read><Write>false</Write><RetentionPolicy><Enabled>true</Enabled><Days>7</Days></RetentionPolicy></Logging><Cors><CorsRule><AllowedOrigins>*</AllowedOrigins><AllowedMethods>GET</AllowedMethods><MaxAgeInSeconds>5</MaxAgeInSeconds><ExposedHeaders>x</ExposedHeaders><AllowedHeaders>x</AllowedHeaders></CorsRule></Cors></StorageServiceProperties>";
const sql = (text: string): string =>
  `<QueryRequest><QueryType>SQL</QueryType><Expression>${text}</Expression><InputSerialization><Format><Type>delimited</Type></Format></InputSerialization></QueryRequest>`;
const part = (line: string, headers = "", body = ""): string =>
  `--b\r\nContent-Type: application/http\r\nContent-ID: 0\r\n\r\n${line} HTTP/1.1\r\n${headers}\r\n${body}\r\n`;

export const HTTP_BLOB = target(
  "blob",
  [
    request("PUT", "/c?restype=container", ["x-ms-meta-a: b"]),
    request(
      "PUT",
      "/c/b",
      ["x-ms-blob-type: BlockBlob", "x-ms-tags: a=1", "Content-Type: text/plain"],
      "1,2\n3,4\n",
    ),
    request("PUT", "/c/b?comp=block&blockid=AAAA", [], "block"),
    request("PUT", "/c/a", ["x-ms-blob-type: AppendBlob"]),
    request("PUT", "/c/p", ["x-ms-blob-type: PageBlob", "x-ms-blob-content-length: 4096"]),
  ],
  [
    request("PUT", "/c/b?comp=blocklist", [], "<BlockList><Latest>AAAA</Latest></BlockList>"),
    request("GET", "/c/b?comp=blocklist&blocklisttype=all"),
    request("PUT", "/c/a?comp=appendblock", ["x-ms-blob-condition-appendpos: 0"], "more"),
    request("PUT", "/c/p?comp=page", ["x-ms-page-write: update", "Range: bytes=0-511"], "p".repeat(512)),
    request("PUT", "/c/p?comp=page", ["x-ms-page-write: clear", "x-ms-range: bytes=512-1023"]),
    request("GET", "/c/p?comp=pagelist", ["x-ms-range: bytes=0-4095"]),
    request("GET", "/c/b", ["Range: bytes=0-3", "x-ms-range-get-content-md5: true"]),
    request("GET", "/c/b", ["x-ms-structured-body: XSM/1.0; properties=crc64"]),
    request("HEAD", "/c/b", ['If-None-Match: "0x1"', "If-Modified-Since: Thu, 01 Jan 2026 00:00:00 GMT"]),
    request("GET", "/c?restype=container&comp=list&prefix=a&delimiter=/&maxresults=1&include=metadata,tags"),
    request("GET", "?comp=list&include=metadata"),
    request("GET", "?comp=blobs&where=%22a%22='1'"),
    request(
      "PUT",
      "/c/b?comp=tags",
      [],
      "<Tags><TagSet><Tag><Key>a</Key><Value>2</Value></Tag></TagSet></Tags>",
    ),
    request("PUT", "/c/b?comp=metadata", ["x-ms-meta-Name: value"]),
    request("PUT", "/c/b?comp=properties", ["x-ms-blob-content-type: a/b", "x-ms-blob-cache-control: x"]),
    request("PUT", "/c/b?comp=lease", [
      "x-ms-lease-action: acquire",
      "x-ms-lease-duration: 15",
      `x-ms-proposed-lease-id: ${LEASE.slice(15)}`,
    ]),
    request("PUT", "/c/b?comp=lease", ["x-ms-lease-action: break", "x-ms-lease-break-period: 0", LEASE]),
    request("PUT", "/c/b?comp=snapshot"),
    request("PUT", "/c/b?comp=tier", ["x-ms-access-tier: Cool"]),
    request("PUT", "/c/b?comp=expiry", ["x-ms-expiry-option: RelativeToNow", "x-ms-expiry-time: 10000"]),
    request("PUT", "/c/d", ["x-ms-copy-source: http://127.0.0.1/devstoreaccount1/c/b?$SAS"]),
    request("PUT", "/c?restype=container&comp=acl", ["x-ms-blob-public-access: blob"], POLICY),
    request("PUT", "?restype=service&comp=properties", [], PROPERTIES),
    request("POST", "/c/b?comp=query", [], sql("SELECT _1 FROM BlobStorage WHERE _2 > 1 LIMIT 2")),
    request(
      "POST",
      "?comp=batch",
      ["Content-Type: multipart/mixed; boundary=b"],
      `${part("DELETE /devstoreaccount1/c/x?$SAS", "x-ms-version: 2022-11-02\r\n")}--b--\r\n`,
    ),
    request("OPTIONS", "/c/b", ["Origin: http://a", "Access-Control-Request-Method: GET"]),
    request("DELETE", "/c/x", ["x-ms-delete-snapshots: include"]),
    "GET http://127.0.0.1/devstoreaccount1/c/b?$SAS HTTP/1.1\r\nHost: devstoreaccount1.blob.localhost\r\nConnection: close\r\n\r\n",
    "PUT /devstoreaccount1/c/ch?$SAS HTTP/1.1\r\nHost: h\r\nConnection: close\r\nx-ms-blob-type: BlockBlob\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
  ],
  [
    "comp=",
    "restype=container",
    "<Latest>",
    "<Uncommitted>",
    "snapshot=",
    "versionid=",
    "bytes=0-",
    "x-ms-blob-",
  ],
);

const MESSAGE = "<QueueMessage><MessageText>aGVsbG8=</MessageText></QueueMessage>";

export const HTTP_QUEUE = target(
  "queue",
  [request("PUT", "/q-1", ["x-ms-meta-a: b"]), request("POST", "/q-1/messages?messagettl=60", [], MESSAGE)],
  [
    request("GET", "/q-1/messages?numofmessages=2&visibilitytimeout=1"),
    request("GET", "/q-1/messages?peekonly=true"),
    request(
      "PUT",
      "/q-1/messages/00000000-0000-0000-0000-000000000000?popreceipt=AAAA&visibilitytimeout=5",
      [],
      MESSAGE,
    ),
    request("DELETE", "/q-1/messages/00000000-0000-0000-0000-000000000000?popreceipt=AAAA"),
    request("DELETE", "/q-1/messages"),
    request("GET", "/q-1?comp=metadata"),
    request("PUT", "/q-1?comp=metadata", ["x-ms-meta-x: y"]),
    request("PUT", "/q-1?comp=acl", [], POLICY),
    request("GET", "?comp=list&prefix=q&maxresults=1&include=metadata"),
    request("PUT", "?restype=service&comp=properties", [], PROPERTIES),
    request("GET", "?restype=service&comp=stats"),
  ],
  ["visibilitytimeout=", "messagettl=-1", "numofmessages=32", "&#x41;", "<![CDATA["],
);

const ENTITY =
  '{"PartitionKey":"p","RowKey":"r","a@odata.type":"Edm.Int64","a":"5","b":1.5,"c":true,"d":"x"}';
const JSON_TYPE = ["Content-Type: application/json", "Accept: application/json;odata=fullmetadata"];
const change = `--b\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n--c\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\nPOST http://h/devstoreaccount1/t HTTP/1.1\r\nContent-Type: application/json\r\n\r\n{"PartitionKey":"p","RowKey":"n"}\r\n--c--\r\n--b--\r\n`;

export const HTTP_TABLE = target(
  "table",
  [
    request("POST", "/Tables", JSON_TYPE, '{"TableName":"tab1"}'),
    request("POST", "/tab1", JSON_TYPE, ENTITY),
  ],
  [
    request("GET", "/tab1(PartitionKey='p',RowKey='r')", JSON_TYPE),
    request("GET", "/tab1()?$filter=PartitionKey%20eq%20'p'%20and%20a%20gt%203L&$select=a,b&$top=1"),
    request("PUT", "/tab1(PartitionKey='p',RowKey='r')", [...JSON_TYPE, "If-Match: *"], ENTITY),
    request(
      "MERGE",
      "/tab1(PartitionKey='p',RowKey='r')",
      [...JSON_TYPE, "If-Match: *", "Content-Length: $LEN"],
      '{"e":1}',
    ),
    request("DELETE", "/tab1(PartitionKey='p',RowKey='x')", ["If-Match: *"]),
    request("GET", "/Tables?$filter=TableName%20eq%20'tab1'&NextTableName=x"),
    request("POST", "/$batch", ["Content-Type: multipart/mixed; boundary=b"], change),
    request("PUT", "/tab1?comp=acl", [], POLICY),
    request("GET", "?restype=service&comp=properties"),
    request("GET", "/tab1()?NextPartitionKey=1!4!cA--&NextRowKey=1!4!cg--"),
  ],
  ["$filter=", "$select=", "$top=", "eq", "datetime'", "guid'", "@odata.type", "Edm.Binary", "NextRowKey="],
);

export const HTTP_FILE = target(
  "file",
  [
    request("PUT", "/s-1?restype=share", ["x-ms-share-quota: 5"]),
    request("PUT", "/s-1/d?restype=directory"),
    request("PUT", "/s-1/d/f", [
      "x-ms-type: file",
      "x-ms-content-length: 1024",
      "x-ms-file-permission: inherit",
      "x-ms-file-attributes: None",
      "x-ms-file-creation-time: now",
      "x-ms-file-last-write-time: now",
    ]),
    request("PUT", "/s-1/d/f?comp=range", ["x-ms-write: update", "x-ms-range: bytes=0-3"], "abcd"),
  ],
  [
    request("GET", "/s-1/d/f", ["x-ms-range: bytes=0-9"]),
    request("PUT", "/s-1/d/f?comp=range", ["x-ms-write: clear", "x-ms-range: bytes=0-511"]),
    request("GET", "/s-1/d/f?comp=rangelist"),
    request("GET", "/s-1/d?restype=directory&comp=list&maxresults=1&include=timestamps,etag&prefix=f"),
    request("GET", "/s-1/d/f?comp=listhandles"),
    request("PUT", "/s-1/d/f?comp=forceclosehandles", ["x-ms-handle-id: *"]),
    request("PUT", "/s-1/d/g?comp=rename", [
      "x-ms-file-rename-source: http://127.0.0.1/devstoreaccount1/s-1/d/f",
    ]),
    request("PUT", "/s-1/d/h", ["x-ms-copy-source: http://127.0.0.1/devstoreaccount1/s-1/d/f?$SAS"]),
    request("PUT", "/s-1/d/f?comp=lease", ["x-ms-lease-action: acquire", "x-ms-lease-duration: -1"]),
    request("PUT", "/s-1/d/f?comp=properties", ["x-ms-content-length: 2048", "x-ms-content-type: a/b"]),
    request("PUT", "/s-1/d/f?comp=metadata", ["x-ms-meta-a: b"]),
    request("PUT", "/s-1?restype=share&comp=filepermission", [], '{"permission":"O:BAG:BAD:(A;;FA;;;BA)"}'),
    request("PUT", "/s-1?restype=share&comp=snapshot"),
    request("PUT", "/s-1?restype=share&comp=acl", [], POLICY),
    request("GET", "?comp=list&include=snapshots,metadata"),
    request("DELETE", "/s-1/d/x"),
  ],
  [
    "restype=directory",
    "x-ms-file-",
    "sharesnapshot=",
    "%5C",
    "x-ms-write: update",
    "2020-01-01T00:00:00.0000000Z",
  ],
);
