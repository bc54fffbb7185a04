import assert from "node:assert/strict";
import { test } from "node:test";
import { CHUNKED, Malformed, type RequestHead, readRequestHead } from "./request-head.ts";

function read(text: string): RequestHead {
  const data = Buffer.from(`${text}\r\n\r\n`, "latin1");
  return readRequestHead(data, data.length - 4);
}

const LINE = "GET /a?b=c HTTP/1.1\r\nHost: x";

test("a head comes apart into its line and headers", () => {
  const head = read(`${LINE}\r\nX-MS-Meta-Name: \t a b \t\r\naccept: a\r\nAccept: b\r\nempty:`);
  assert.deepEqual([head.method, head.url, head.bodyLength, head.keepsAlive], ["GET", "/a?b=c", 0, true]);
  assert.deepEqual(head.headers, { host: "x", "x-ms-meta-name": "a b", accept: "a, b", empty: "" });
  assert.deepEqual(head.rawHeaders.slice(2, 4), ["X-MS-Meta-Name", "a b"]);
  assert.equal(head.repeated, undefined);
});

test("bytes beyond ASCII are encoded in a target, and stay what they are in a header", () => {
  const head = read("PUT /a%20\xc3\xa9?b=\xff HTTP/1.1\r\nHost: x\r\nx-ms-meta-a: \xc3\xa9");
  assert.deepEqual([head.url, head.headers["x-ms-meta-a"]], ["/a%20%C3%A9?b=%FF", "\xc3\xa9"]);
});

test("a header that decides something is reported when it comes twice", () => {
  assert.equal(read(`${LINE}\r\nx-ms-date: a\r\nX-Ms-Date: a`).repeated, "X-Ms-Date");
});

test("one header only declares the length of the body", () => {
  assert.equal(read(`${LINE}\r\nContent-Length: 10`).bodyLength, 10);
  assert.equal(read(`${LINE}\r\nTransfer-Encoding: Chunked`).bodyLength, CHUNKED);
  for (const lines of [
    "Content-Length: 1\r\nContent-Length: 1",
    "Content-Length: 1\r\nTransfer-Encoding: chunked",
    "Transfer-Encoding: gzip, chunked",
    "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
    "Content-Length: +1",
    "Content-Length: -1",
    "Content-Length: 1e3",
    "Content-Length: 0x10",
    "Content-Length: 1, 1",
    "Content-Length:",
    "Content-Length: 9999999999999999",
  ]) {
    assert.throws(() => read(`${LINE}\r\n${lines}`), Malformed, lines);
  }
});

test("whatever could be read in two ways is malformed", () => {
  for (const text of [
    "GET /a HTTP/1.1",
    "GET  /a HTTP/1.1\r\nHost: x",
    "GET /a  HTTP/1.1\r\nHost: x",
    "GET /a HTTP/1.1 \r\nHost: x",
    "GET /a b HTTP/1.1\r\nHost: x",
    "GET /a HTTP/2.0\r\nHost: x",
    "GET /a\r\nHost: x",
    "G(T /a HTTP/1.1\r\nHost: x",
    " GET /a HTTP/1.1\r\nHost: x",
    `${LINE}\r\nname : value`,
    `${LINE}\r\n: value`,
    `${LINE}\r\nname`,
    `${LINE}\r\na: b\r\n folded`,
    `${LINE}\r\na: b\n c: d`,
    `${LINE}\r\na: b\nc: d`,
    `${LINE}\r\na: b\rc: d`,
    `${LINE}\r\na: b\0c`,
    `${LINE}\r\na: b\x7fc`,
    `${LINE}\r\n__proto__: x`,
    `${LINE}\r\nHost: y`,
  ]) {
    assert.throws(() => read(text), Malformed, JSON.stringify(text));
  }
});

test("connections stay as the version and the header say", () => {
  const cases: [string, boolean][] = [
    ["HTTP/1.1\r\nHost: x", true],
    ["HTTP/1.1\r\nHost: x\r\nConnection: Keep-Alive", true],
    ["HTTP/1.1\r\nHost: x\r\nConnection: TE, close", false],
    ["HTTP/1.0", false],
    ["HTTP/1.0\r\nConnection: keep-alive", true],
  ];
  for (const [text, stays] of cases) assert.equal(read(`GET / ${text}`).keepsAlive, stays, text);
});

test("a client that waits for 100 Continue is recognized", () => {
  const expects = (lines: string): boolean => read(`${LINE}\r\n${lines}`).expectsContinue;
  assert.equal(expects("Expect: 100-Continue\r\nContent-Length: 5"), true);
  assert.equal(expects("Expect: 100-continue"), false);
  assert.equal(expects("Content-Length: 5"), false);
});
