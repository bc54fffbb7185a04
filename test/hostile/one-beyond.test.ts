import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { type RawRequest, send } from "../kit/send.ts";
import { startTestServer, type TestServer } from "../kit/server.ts";

/**
 * Every bound of the protocol, and what lies one beyond it: taken, and refused by the protocol's own code.
 */
type Sent = Omit<RawRequest, "body"> & { readonly body?: string | Buffer };
type Row = readonly [what: string, request: Sent, expected: string];

const policies = (count: number, id = "p"): string => {
  const one = (index: number): string =>
    `<SignedIdentifier><Id>${id}${index}</Id><AccessPolicy><Permission>r</Permission></AccessPolicy></SignedIdentifier>`;
  return `<SignedIdentifiers>${Array.from({ length: count }, (_, index) => one(index)).join("")}</SignedIdentifiers>`;
};
const tags = (count: number, key = "k", value = "v"): string => {
  const one = (index: number): string => `<Tag><Key>${key}${index}</Key><Value>${value}</Value></Tag>`;
  return `<Tags><TagSet>${Array.from({ length: count }, (_, index) => one(index)).join("")}</TagSet></Tags>`;
};
const cors = (count: number): string => {
  const rule =
    "<CorsRule><AllowedOrigins>*</AllowedOrigins><AllowedMethods>GET</AllowedMethods><MaxAgeInSeconds>1</MaxAgeInSeconds><ExposedHeaders/><AllowedHeaders/></CorsRule>";
  return `<StorageServiceProperties><Cors>${rule.repeat(count)}</Cors></StorageServiceProperties>`;
};
const batch = (count: number): string => {
  const part =
    "--b\r\nContent-Type: application/http\r\nContent-ID: 0\r\n\r\nDELETE /devstoreaccount1/bounds/x HTTP/1.1\r\n\r\n\r\n";
  return `${part.repeat(count)}--b--\r\n`;
};
const BLOB = { "x-ms-blob-type": "BlockBlob" };
const FILE = { "x-ms-type": "file" };
const CONTAINER = { restype: "container" };
const SHARE = { restype: "share" };
const MULTIPART = { "Content-Type": "multipart/mixed; boundary=b" };
const TIB = 2 ** 40;
const put = (
  path: string,
  headers: Record<string, string>,
  query: Record<string, string> = {},
  body: string | Buffer = "",
): Sent => ({
  service: "blob",
  method: "PUT",
  path,
  headers,
  query,
  body,
});
const putFile = (
  path: string,
  headers: Record<string, string>,
  query: Record<string, string> = {},
  body: string | Buffer = "",
): Sent => ({
  ...put(path, headers, query, body),
  service: "file",
});

const ROWS: readonly Row[] = [
  ["8 KiB of metadata", put("/bounds/m", { ...BLOB, "x-ms-meta-a": "v".repeat(8 * 1_024 - 1) }), "201"],
  [
    "a byte more of metadata",
    put("/bounds/m", { ...BLOB, "x-ms-meta-a": "v".repeat(8 * 1_024) }),
    "400 MetadataTooLarge",
  ],
  ["metadata without a name", put("/bounds/m", { ...BLOB, "x-ms-meta-": "v" }), "400 EmptyMetadataKey"],
  [
    "metadata with a dash in its name",
    put("/bounds/m", { ...BLOB, "x-ms-meta-a-b": "v" }),
    "400 InvalidMetadata",
  ],
  ["10 tags", put("/bounds/granted", {}, { comp: "tags" }, tags(10)), "204"],
  ["11 tags", put("/bounds/granted", {}, { comp: "tags" }, tags(11)), "400 TagsTooLarge"],
  ["a tag key of 128", put("/bounds/granted", {}, { comp: "tags" }, tags(1, "k".repeat(127))), "204"],
  [
    "a tag key of 129",
    put("/bounds/granted", {}, { comp: "tags" }, tags(1, "k".repeat(128))),
    "400 TagsTooLarge",
  ],
  ["a tag value of 256", put("/bounds/granted", {}, { comp: "tags" }, tags(1, "k", "v".repeat(256))), "204"],
  [
    "a tag value of 257",
    put("/bounds/granted", {}, { comp: "tags" }, tags(1, "k", "v".repeat(257))),
    "400 TagsTooLarge",
  ],
  [
    "a tag with a character it must not have",
    put("/bounds/granted", {}, { comp: "tags" }, tags(1, "k", "v*")),
    "400 InvalidTags",
  ],
  ["5 policies", put("/bounds", {}, { ...CONTAINER, comp: "acl" }, policies(5)), "200"],
  ["6 policies", put("/bounds", {}, { ...CONTAINER, comp: "acl" }, policies(6)), "400 InvalidXmlDocument"],
  [
    "a policy id of 64",
    put("/bounds", {}, { ...CONTAINER, comp: "acl" }, policies(1, "i".repeat(63))),
    "200",
  ],
  [
    "a policy id of 65",
    put("/bounds", {}, { ...CONTAINER, comp: "acl" }, policies(1, "i".repeat(64))),
    "400 InvalidXmlDocument",
  ],
  ["5 CORS rules", put("/", {}, { restype: "service", comp: "properties" }, cors(5)), "202"],
  [
    "6 CORS rules",
    put("/", {}, { restype: "service", comp: "properties" }, cors(6)),
    "400 InvalidXmlDocument",
  ],
  [
    "a page blob of 8 TiB",
    put("/bounds/p", { "x-ms-blob-type": "PageBlob", "x-ms-blob-content-length": String(8 * TIB) }),
    "201",
  ],
  [
    "a page blob of more",
    put("/bounds/p8", { "x-ms-blob-type": "PageBlob", "x-ms-blob-content-length": String(8 * TIB + 512) }),
    "413 RequestBodyTooLarge",
  ],
  [
    "a page blob of half a page",
    put("/bounds/p2", { "x-ms-blob-type": "PageBlob", "x-ms-blob-content-length": "256" }),
    "400 InvalidHeaderValue",
  ],
  [
    "a page blob of less than nothing",
    put("/bounds/p2", { "x-ms-blob-type": "PageBlob", "x-ms-blob-content-length": "-512" }),
    "400 InvalidHeaderValue",
  ],
  [
    "a page write of 4 MiB",
    put(
      "/bounds/p",
      { "x-ms-page-write": "update", "x-ms-range": `bytes=0-${4 * 2 ** 20 - 1}` },
      { comp: "page" },
      Buffer.alloc(4 * 2 ** 20),
    ),
    "201",
  ],
  [
    "a page write of more",
    put(
      "/bounds/p",
      { "x-ms-page-write": "update", "x-ms-range": `bytes=0-${4 * 2 ** 20 + 511}` },
      { comp: "page" },
      Buffer.alloc(4 * 2 ** 20 + 512),
    ),
    "413 RequestBodyTooLarge",
  ],
  [
    "a page write beside the pages",
    put(
      "/bounds/p",
      { "x-ms-page-write": "update", "x-ms-range": "bytes=1-512" },
      { comp: "page" },
      Buffer.alloc(512),
    ),
    "416 InvalidPageRange",
  ],
  [
    "a page write of another length than its range",
    put(
      "/bounds/p",
      { "x-ms-page-write": "update", "x-ms-range": "bytes=0-1023" },
      { comp: "page" },
      Buffer.alloc(512),
    ),
    "400 InvalidHeaderValue",
  ],
  [
    "a lease of 15 s",
    put(
      "/bounds/granted",
      { "x-ms-lease-action": "acquire", "x-ms-lease-duration": "14" },
      { comp: "lease" },
    ),
    "400 InvalidHeaderValue",
  ],
  [
    "a lease of 61 s",
    put(
      "/bounds/granted",
      { "x-ms-lease-action": "acquire", "x-ms-lease-duration": "61" },
      { comp: "lease" },
    ),
    "400 InvalidHeaderValue",
  ],
  [
    "a break after 61 s",
    put(
      "/bounds/granted",
      { "x-ms-lease-action": "break", "x-ms-lease-break-period": "61" },
      { comp: "lease" },
    ),
    "400 InvalidHeaderValue",
  ],
  [
    "a source of 2 KiB and more",
    put("/bounds/c", { "x-ms-copy-source": `http://127.0.0.1/${"x".repeat(2_048)}` }),
    "400 InvalidHeaderValue",
  ],
  ["a source that is no address", put("/bounds/c", { "x-ms-copy-source": "::::" }), "400 InvalidHeaderValue"],
  [
    "a source of another scheme",
    put("/bounds/c", { "x-ms-copy-source": "file:///etc/passwd" }),
    "400 InvalidHeaderValue",
  ],
  [
    // The batch is accepted and all of it refused in one part: blob-tags-batch.test.ts looks into it.
    "a batch of 257",
    { ...put("/", MULTIPART, { comp: "batch" }, batch(257)), method: "POST" },
    "202",
  ],
  [
    "a digest of a range beyond 4 MiB",
    {
      ...put("/bounds/p", { "x-ms-range": `bytes=0-${4 * 2 ** 20}`, "x-ms-range-get-content-md5": "true" }),
      method: "GET",
    },
    "400 OutOfRangeInput",
  ],
  [
    "snapshots with a delimiter",
    {
      ...put("/bounds", {}, { ...CONTAINER, comp: "list", delimiter: "/", include: "snapshots" }),
      method: "GET",
    },
    "400 InvalidQueryParameterValue",
  ],
  [
    "no results at all",
    { ...put("/bounds", {}, { ...CONTAINER, comp: "list", maxresults: "0" }), method: "GET" },
    "400 OutOfRangeQueryParameterValue",
  ],
  ["255 segments of a name", put(`/bounds/${"s/".repeat(254)}s`, BLOB), "400 OutOfRangeInput"],
  ["a share of 0 GiB", putFile("/quota0", { "x-ms-share-quota": "0" }, SHARE), "400 InvalidHeaderValue"],
  [
    "a share of more than 100 TiB",
    putFile("/quota9", { "x-ms-share-quota": "102401" }, SHARE),
    "400 InvalidHeaderValue",
  ],
  ["a file of 4 TiB", putFile("/bounds/big", { ...FILE, "x-ms-content-length": String(4 * TIB) }), "201"],
  [
    "a file of more",
    putFile("/bounds/bigger", { ...FILE, "x-ms-content-length": String(4 * TIB + 1) }),
    "400 OutOfRangeInput",
  ],
  [
    "a range of 4 MiB and a byte",
    putFile(
      "/bounds/big",
      { "x-ms-write": "update", "x-ms-range": `bytes=0-${4 * 2 ** 20}` },
      { comp: "range" },
      Buffer.alloc(4 * 2 ** 20 + 1),
    ),
    "413 RequestBodyTooLarge",
  ],
  [
    "a permission beyond 8 KiB",
    putFile("/bounds/perm", {
      ...FILE,
      "x-ms-content-length": "1",
      "x-ms-file-permission": `D:${"(A;;FA;;;WD)".repeat(700)}`,
    }),
    "400 FileInvalidPermission",
  ],
  [
    "a share lease of 14 s",
    putFile(
      "/bounds",
      { "x-ms-lease-action": "acquire", "x-ms-lease-duration": "14" },
      { ...SHARE, comp: "lease" },
    ),
    "400 InvalidHeaderValue",
  ],
];

suite("one beyond", () => {
  let server: TestServer;
  const ask = ({ body = "", ...rest }: Sent) => send(server, { ...rest, body: Buffer.from(body) });
  before(async () => {
    server = await startTestServer();
    await ask(put("/bounds", {}, CONTAINER));
    await ask(put("/bounds/granted", BLOB, {}, "x"));
    await ask(putFile("/bounds", {}, SHARE));
  });
  after(() => server.close());

  for (const [what, request, expected] of ROWS)
    test(`${what}: ${expected}`, async () => {
      const reply = await ask(request);
      assert.equal(`${reply.status} ${reply.code ?? ""}`.trim(), expected, reply.body.slice(0, 400));
    });
});
