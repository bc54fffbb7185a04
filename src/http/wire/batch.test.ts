import assert from "node:assert/strict";
import { test } from "node:test";
import { BlobBatch, StorageSharedKeyCredential } from "@azure/storage-blob";
import fc from "fast-check";
import { walksOver } from "../../../test/support/linear.ts";
import { Refusal, type RefusalCode } from "../../base/refusals.ts";
import { parseBlobBatch, parseTableBatch, printBlobBatch, printTableBatch } from "./batch.ts";
import { boundaryOf, parseParts, type SubRequest } from "./multipart.ts";

const refusal = (code: RefusalCode) => (error: unknown) => error instanceof Refusal && error.code === code;
const refusedAs = (code: RefusalCode, run: () => unknown, message?: string): void =>
  assert.throws(run, refusal(code), message);

const TYPE = "multipart/mixed; boundary=batch_1";
const text = (...lines: readonly string[]): Buffer => Buffer.from(lines.join("\r\n"));

const part = (request: readonly string[], extra: readonly string[] = []): string[] => [
  "--batch_1",
  "Content-Type: application/http",
  "Content-Transfer-Encoding: binary",
  ...extra,
  "",
  ...request,
];
const DELETE = ["DELETE /c/b HTTP/1.1", "x-ms-date: now", "Content-Length: 0", ""];

test("a blob batch as the Azure SDK writes it", async () => {
  const batch = new BlobBatch();
  const credential = new StorageSharedKeyCredential(
    "devstoreaccount1",
    Buffer.from("key").toString("base64"),
  );
  for (const name of ["a", "b%20c"])
    await batch.deleteBlob(`http://127.0.0.1:10000/devstoreaccount1/c/${name}`, credential);
  const requests = parseBlobBatch(batch.getMultiPartContentType(), Buffer.from(batch.getHttpRequestBody()));
  assert.deepEqual(
    requests.map(({ method, target, contentId, body }) => [method, target, contentId, body.length]),
    [
      ["DELETE", "/devstoreaccount1/c/a", "0", 0],
      ["DELETE", "/devstoreaccount1/c/b%20c", "1", 0],
    ],
  );
  assert.match(requests[0]!.headers.authorization!, /^SharedKey devstoreaccount1:/);
});

test("line ends may be bare, and the last boundary may end the body", () => {
  const lines = [...part(DELETE, ["Content-ID: 7"]), "--batch_1--"];
  for (const ending of ["\r\n", "\n"]) {
    const [request] = parseBlobBatch(TYPE, Buffer.from(lines.join(ending)));
    assert.equal(request!.contentId, "7");
    assert.deepEqual(request!.rawHeaders, ["x-ms-date", "now", "Content-Length", "0"]);
    assert.equal(request!.body.length, 0);
  }
});

test("a line of a header says the same each time, however many others there were", () => {
  const numbers = Array.from({ length: 200 }, (_, n) => String(n));
  const lines = (n: string) => [
    "DELETE /c/b HTTP/1.1",
    `X-Own: ${n} `,
    `x-long: ${n.repeat(100)}`,
    "X-Same: 1",
    "",
  ];
  const body = text(...numbers.flatMap((n) => part(lines(n), [`Content-ID: ${n}`])), "--batch_1--");
  for (const _ of ["first", "again"]) {
    assert.deepEqual(
      parseBlobBatch(TYPE, body).map(({ contentId, headers, rawHeaders }) => [
        contentId,
        headers,
        rawHeaders,
      ]),
      numbers.map((n) => [
        n,
        { "x-own": n, "x-long": n.repeat(100), "x-same": "1" },
        ["X-Own", n, "x-long", n.repeat(100), "X-Same", "1"],
      ]),
    );
  }
});

test("empty lines in front of a request mean nothing", () => {
  const [request] = parseBlobBatch(TYPE, text(...part(["", "", ...DELETE]), "--batch_1--"));
  assert.equal(request!.method, "DELETE");
  assert.deepEqual(request!.rawHeaders, ["x-ms-date", "now", "Content-Length", "0"]);
});

test("a change set as C++'s client writes it: no line end behind JSON, nothing to end the batch", () => {
  const insert = (json: string): string =>
    `--c\nContent-Type: application/http\nContent-Transfer-Encoding: binary\n\nPOST http://h/a/t HTTP/1.1\nContent-Type: application/json\n\n${json}`;
  const remove =
    "--c\nContent-Type: application/http\nContent-Transfer-Encoding: binary\n\nDELETE http://h/a/t HTTP/1.1\nIf-Match: *\n";
  const body = `--batch_1\nContent-Type: multipart/mixed; boundary=c\n\n${insert('{"a":1}')}${insert('{"b":"}--c"}')}${remove}\n\n--c--\n--batch_1\n`;
  const { requests } = parseTableBatch(TYPE, Buffer.from(body));
  assert.deepEqual(
    requests.map(({ method, body: json }) => [method, json.toString()]),
    [
      ["POST", '{"a":1}'],
      ["POST", '{"b":"}--c"}'],
      ["DELETE", ""],
    ],
  );
});

test("the boundary may stand among other parameters", () => {
  const body = text(...part(DELETE), "--batch_1--");
  for (const type of [
    'multipart/mixed; charset="utf-8"; boundary=batch_1',
    'multipart/mixed;charset="utf-8";boundary="batch_1"',
    "Multipart/Mixed ; Boundary=batch_1 ; charset=utf-8;",
  ])
    assert.equal(parseBlobBatch(type, body).length, 1, type);
});

test("content that only looks like a boundary is content", () => {
  const body = text(
    ...part(["PUT /x HTTP/1.1", "", "--batch_12", "x --batch_1", "--batch_1-"]),
    "--batch_1--",
    "",
  );
  assert.equal(parseBlobBatch(TYPE, body)[0]!.body.toString(), "--batch_12\r\nx --batch_1\r\n--batch_1-");
});

const changeSet = (operations: readonly (readonly string[])[]): Buffer =>
  text(
    "--batch_1",
    'Content-Type: multipart/mixed; boundary="changeset_2"',
    "",
    ...operations.flatMap((operation) => [
      "--changeset_2",
      "Content-Type: application/http",
      "",
      ...operation,
    ]),
    "--changeset_2--",
    "",
    "--batch_1--",
    "",
  );
const INSERT = ["POST http://h/t HTTP/1.1", "Content-Type: application/json", "", '{"a":1}'];

test("a table transaction nests its change set", () => {
  const batch = parseTableBatch(
    TYPE,
    changeSet([
      INSERT,
      ["PATCH http://h/t(PartitionKey='p',RowKey='r') HTTP/1.1", "If-Match: *", "", "", "", "{}"],
    ]),
  );
  assert.equal(batch.isChangeSet, true);
  assert.equal(batch.isOverLimit, false);
  assert.deepEqual(
    batch.requests.map(({ method, body, headers }) => [method, body.toString(), headers["if-match"]]),
    [
      ["POST", '{"a":1}', undefined],
      ["PATCH", "{}", "*"],
    ],
  );
});

test("a table transaction may be one query", () => {
  const batch = parseTableBatch(
    TYPE,
    text(...part(["GET /t(PartitionKey='p',RowKey='r') HTTP/1.1", ""]), "--batch_1--"),
  );
  assert.equal(batch.isChangeSet, false);
  assert.equal(batch.requests[0]!.method, "GET");
});

test("blanks and letters that a client leaves in an address are encoded", () => {
  const body = text(...part(["DELETE /c/a b\u00e9 HTTP/1.1", ""]), "--batch_1--");
  assert.equal(parseBlobBatch(TYPE, body)[0]!.target, "/c/a%20b%C3%A9");
});

test("too many requests", () => {
  const all = (count: number): Buffer => text(...Array(count).fill(part(DELETE)).flat(), "--batch_1--");
  assert.equal(parseBlobBatch(TYPE, all(256)).length, 256);
  refusedAs("ExceedsMaxBatchRequestCount", () => parseBlobBatch(TYPE, all(257)));
  assert.equal(parseTableBatch(TYPE, changeSet(Array(100).fill(INSERT))).isOverLimit, false);
  const over = parseTableBatch(TYPE, changeSet(Array(101).fill(INSERT)));
  assert.equal(over.isOverLimit, true);
  assert.equal(over.requests.length, 100);
  refusedAs("InvalidInput", () =>
    parseTableBatch(TYPE, text(...part(DELETE), ...part(DELETE), "--batch_1--")),
  );
  refusedAs("RequestBodyTooLarge", () => parseBlobBatch(TYPE, Buffer.alloc((4 << 20) + 1, 0x20)));
});

test("hostile and broken batches are refused", () => {
  const wrong: Record<string, readonly string[]> = {
    empty: [""],
    "no part": ["--batch_1--"],
    preamble: ["hello", ...part(DELETE), "--batch_1--"],
    epilogue: [...part(DELETE), "--batch_1--", "more"],
    "no end": part(DELETE),
    "other boundary": ["--batch_2--"],
    "no request line": [...part(["", ""]), "--batch_1--"],
    "bad method": [...part(["delete /c/b HTTP/1.1", ""]), "--batch_1--"],
    "no version": [...part(["DELETE /c/b", ""]), "--batch_1--"],
    "not http": ["--batch_1", "Content-Type: text/plain", "", ...DELETE, "--batch_1--"],
    "no type": ["--batch_1", "", ...DELETE, "--batch_1--"],
    "bad header": [...part(["DELETE /c/b HTTP/1.1", "no colon", ""]), "--batch_1--"],
    "folded header": [...part(["DELETE /c/b HTTP/1.1", "a: b", " c", ""]), "--batch_1--"],
    "header twice": [...part(["DELETE /c/b HTTP/1.1", "a: b", "A: c", ""]), "--batch_1--"],
    "bare return in header": [...part(["DELETE /c/b HTTP/1.1", "a: b\rc: d", ""]), "--batch_1--"],
    "control character": [...part(["DELETE /c/b HTTP/1.1", "a: b\0", ""]), "--batch_1--"],
    "long line": [...part([`DELETE /${"x".repeat(40_000)} HTTP/1.1`, ""]), "--batch_1--"],
    "many headers": [
      ...part(["DELETE /c/b HTTP/1.1", ...Array.from({ length: 300 }, (_, i) => `a${i}: b`), ""]),
      "--batch_1--",
    ],
  };
  for (const [name, lines] of Object.entries(wrong))
    refusedAs("InvalidInput", () => parseBlobBatch(TYPE, text(...lines)), name);
  for (const type of [
    undefined,
    "",
    "text/plain",
    "multipart/mixed",
    "multipart/mixed; boundary=",
    `multipart/mixed; boundary=${"x".repeat(71)}`,
    "multipart/mixed; boundary=a b",
    "multipart/mixed; charset=utf-8",
    "multipart/mixed; xboundary=batch_1",
    'multipart/mixed; charset="; boundary=batch_1',
  ])
    refusedAs("InvalidInput", () => parseBlobBatch(type, text("--batch_1--")), type);
  refusedAs("InvalidInput", () => parseTableBatch(TYPE, changeSet([])), "empty change set");
});

test("hostile shapes cost no more than their length", () => {
  const size = 4 << 20;
  const fill = (chunk: string): string => chunk.repeat(Math.floor((size - 200) / chunk.length));
  for (const shape of [
    fill("--batch_1"),
    fill("\n--batch_1"),
    fill("\r\n--batch_1-"),
    fill("\n"),
    fill("--batch_1\n"),
    `${part(DELETE).join("\n")}${fill("\n--batch_1x")}`,
    `--batch_1\n${fill("a: b\n")}`,
    `--batch_1\n${fill(" ")}`,
  ]) {
    const body = Buffer.from(shape);
    const isTooMany = shape.includes("--batch_1\n--batch_1\n");
    const code = isTooMany ? "ExceedsMaxBatchRequestCount" : "InvalidInput";
    const walks = walksOver(size, () => refusedAs(code, () => parseBlobBatch(TYPE, body)));
    assert(walks < 500, `${JSON.stringify(shape.slice(0, 20))} took ${walks} times a walk over it`);
  }
});

test("a blob batch is answered part by part", () => {
  const { contentType, body } = printBlobBatch("9", [
    { contentId: "0", status: 202, headers: { "x-ms-request-id": "r", "x-ms-error-code": undefined } },
    {
      contentId: "1",
      status: 404,
      reason: "The specified blob does not exist.",
      headers: { "x-ms-error-code": "BlobNotFound\r\nevil: 1" },
      body: "<Error/>",
    },
  ]);
  assert.equal(contentType, "multipart/mixed; boundary=batchresponse_9");
  assert.equal(
    body.toString(),
    [
      "--batchresponse_9",
      "Content-Type: application/http",
      "Content-ID: 0",
      "",
      "HTTP/1.1 202 Accepted",
      "x-ms-request-id: r",
      "",
      "",
      "--batchresponse_9",
      "Content-Type: application/http",
      "Content-ID: 1",
      "",
      "HTTP/1.1 404 The specified blob does not exist.",
      "x-ms-error-code: BlobNotFound  evil: 1",
      "",
      "<Error/>",
      "--batchresponse_9--",
      "",
    ].join("\r\n"),
  );
});

test("a table transaction is answered nested, a query flat", () => {
  const ids = { batch: "1", changeSet: "2" };
  const reply = { status: 204, headers: { ETag: "W/\"datetime'x'\"" } };
  const nested = printTableBatch(ids, [reply, reply]);
  const [outer] = parseParts(nested.body, boundaryOf(nested.contentType), 10);
  assert.equal(outer!.headers["content-type"], "multipart/mixed; boundary=changesetresponse_2");
  const inner = parseParts(outer!.content, "changesetresponse_2", 10);
  assert.equal(inner.length, 2);
  assert.equal(inner[0]!.headers["content-transfer-encoding"], "binary");
  assert.equal(inner[0]!.content.toString(), "HTTP/1.1 204 No Content\r\nETag: W/\"datetime'x'\"\r\n\r\n");
  const flat = printTableBatch(ids, [{ status: 200, headers: {}, body: "{}" }], false);
  assert.equal(
    parseParts(flat.body, boundaryOf(flat.contentType), 10)[0]!.content.toString(),
    "HTTP/1.1 200 OK\r\n\r\n{}",
  );
});

const printRequest = ({ contentId, method, target, rawHeaders, body }: SubRequest): string[] => {
  const lines: string[] = [];
  for (let i = 0; i < rawHeaders.length; i += 2) lines.push(`${rawHeaders[i]}: ${rawHeaders[i + 1]}`);
  return part(
    [`${method} ${target} HTTP/1.1`, ...lines, "", body.toString("latin1")],
    contentId === undefined ? [] : [`Content-ID: ${contentId}`],
  );
};

test("requests that are written read back as they were", () => {
  const header = fc.tuple(
    fc.stringMatching(/^[A-Za-z][A-Za-z0-9-]{0,12}$/),
    fc.stringMatching(/^[!-~]([ -~]{0,20}[!-~])?$/),
  );
  const request = fc
    .record({
      contentId: fc.option(fc.stringMatching(/^\d{1,3}$/), { nil: undefined }),
      method: fc.constantFrom("GET", "PUT", "MERGE", "DELETE"),
      target: fc.stringMatching(/^\/[!-~]{0,30}$/),
      pairs: fc.uniqueArray(header, { maxLength: 5, selector: ([name]) => name.toLowerCase() }),
      body: fc.json(),
    })
    .map(({ pairs, body, ...rest }) => ({
      ...rest,
      rawHeaders: pairs.flat(),
      headers: Object.fromEntries(pairs.map(([name, value]) => [name.toLowerCase(), value])),
      body: Buffer.from(body),
    }));
  fc.assert(
    fc.property(fc.array(request, { minLength: 1, maxLength: 6 }), (requests) => {
      const body = Buffer.from([...requests.flatMap(printRequest), "--batch_1--"].join("\r\n"), "latin1");
      const plain = ({ method, target, headers, rawHeaders, contentId, body: content }: SubRequest) => ({
        method,
        target,
        headers,
        rawHeaders,
        contentId,
        content: content.toString(),
      });
      assert.deepEqual(parseBlobBatch(TYPE, body).map(plain), requests.map(plain));
    }),
  );
});

test("arbitrary bytes give requests or a refusal", () => {
  const chunk = fc.constantFrom(
    "--batch_1",
    "--batch_1--",
    "--",
    "\r\n",
    "\n",
    "\r",
    "Content-Type: application/http",
    "Content-Type: multipart/mixed; boundary=c",
    "--c",
    "--c--",
    "DELETE /a HTTP/1.1",
    ": ",
    "a: b",
    "x",
    " ",
  );
  const soup = fc.array(chunk, { maxLength: 40 }).map((chunks) => Buffer.from(chunks.join("")));
  const bytes = fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array));
  fc.assert(
    fc.property(fc.oneof(soup, bytes), (body) => {
      for (const parse of [parseBlobBatch, parseTableBatch])
        try {
          parse(TYPE, body);
        } catch (error) {
          assert(error instanceof Refusal, String(error));
        }
    }),
    { numRuns: 2_000 },
  );
});
