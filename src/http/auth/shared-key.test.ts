import assert from "node:assert/strict";
import { test } from "node:test";
import {
  authenticate,
  contextOf,
  hmac,
  KEY_TWO,
  NAME,
  NOW_TEXT,
  outcome,
  refusal,
  requestOf,
  type Sent,
} from "../../../test/support/auth.ts";
import { ManualClock } from "../../base/clock.ts";
import { Refusal } from "../../base/refusals.ts";

const OWNER = { kind: "owner", account: NAME };
const DATE = { "x-ms-date": NOW_TEXT };
const NEW = { ...DATE, "x-ms-version": "2026-10-06" };

/** Sends the request with a signature over the text given, made without the code under test. */
function signed(sent: Sent, text: string, options: { scheme?: string; key?: string } = {}): Sent {
  const authorization = `${options.scheme ?? "SharedKey"} ${NAME}:${hmac(text, options.key)}`;
  return { ...sent, headers: { ...sent.headers, Authorization: authorization } };
}

async function accepts(sent: Sent, text: string, options: { scheme?: string; key?: string } = {}) {
  assert.deepEqual(await authenticate(requestOf(signed(sent, text, options)), contextOf()), OWNER);
}

async function refuses(sent: Sent, text: string, options: { scheme?: string; key?: string } = {}) {
  const attempt = authenticate(requestOf(signed(sent, text, options)), contextOf());
  await assert.rejects(attempt, refusal("AuthenticationFailed"));
}

test("a path-style address is signed with the account twice, a host-style one with it once", async () => {
  const head = `GET\n\n\n\n\n\n\n\n\n\n\n\nx-ms-date:${NOW_TEXT}\nx-ms-version:2026-10-06\n`;
  await accepts({ url: "/devstoreaccount1/c/b%20c", headers: NEW }, `${head}/${NAME}/${NAME}/c/b%20c`);
  const host = "http://devstoreaccount1.blob.localhost:10000";
  await accepts({ url: `${host}/c/b%20c`, headers: NEW }, `${head}/${NAME}/c/b%20c`);
  await refuses({ url: `${host}/c/b`, headers: NEW }, `${head}/${NAME}/${NAME}/c/b`);
  await refuses({ url: "/devstoreaccount1/c/b", headers: NEW }, `${head}/${NAME}/c/b`);
});

test("a secondary address is signed by its own path or by the primary one, host-style by the primary", async () => {
  const head = `GET\n\n\n\n\n\n\n\n\n\n\n\nx-ms-date:${NOW_TEXT}\nx-ms-version:2026-10-06\n`;
  const sent = { url: "/devstoreaccount1-secondary/c/b", headers: NEW };
  await accepts(sent, `${head}/${NAME}/${NAME}-secondary/c/b`);
  await accepts(sent, `${head}/${NAME}/${NAME}/c/b`);
  await refuses(sent, `${head}/${NAME}/c/b`);
  const host = "http://devstoreaccount1-secondary.blob.localhost/c/b";
  await accepts({ url: host, headers: NEW }, `${head}/${NAME}/c/b`);
});

test("every standard header has its line, and the query is signed by name", async () => {
  const headers = {
    ...NEW,
    "Content-Encoding": "gzip",
    "Content-Language": "de",
    "Content-Length": "12",
    "Content-MD5": "bWQ1",
    "Content-Type": "text/plain",
    "If-Modified-Since": "ims",
    "If-Match": "im",
    "If-None-Match": "inm",
    "If-Unmodified-Since": "ius",
    Range: "bytes=0-1",
    "X-Ms-Blob-Type": "BlockBlob",
  };
  const text =
    "PUT\ngzip\nde\n12\nbWQ1\ntext/plain\n\nims\nim\ninm\nius\nbytes=0-1\n" +
    `x-ms-blob-type:BlockBlob\nx-ms-date:${NOW_TEXT}\nx-ms-version:2026-10-06\n` +
    `/${NAME}/${NAME}/c/b\nblockid:a=b c\ncomp:block\ntimeout:30`;
  await accepts(
    { method: "PUT", url: "/devstoreaccount1/c/b?comp=block&Timeout=30&blockid=a%3Db%20c", headers },
    text,
  );
});

test("the Date header is signed only when there is no x-ms-date", async () => {
  const tail = `x-ms-version:2026-10-06\n/${NAME}/${NAME}/c/b`;
  const url = "/devstoreaccount1/c/b";
  const version = { "x-ms-version": "2026-10-06" };
  await accepts(
    { url, headers: { ...version, Date: NOW_TEXT } },
    `GET\n\n\n\n\n\n${NOW_TEXT}\n\n\n\n\n\n${tail}`,
  );
  const both = { ...NEW, Date: "Mon, 05 Jan 2026 00:00:00 GMT" };
  await accepts({ url, headers: both }, `GET\n\n\n\n\n\n\n\n\n\n\n\nx-ms-date:${NOW_TEXT}\n${tail}`);
});

test("a length of zero is signed as 0 before 2015-02-21 and as nothing since", async () => {
  for (const [version, length] of [
    ["2014-02-14", "0"],
    ["2015-02-21", ""],
    ["2026-10-06", ""],
  ] as const) {
    const headers = { ...DATE, "x-ms-version": version, "Content-Length": "0" };
    const text = `PUT\n\n\n${length}\n\n\n\n\n\n\n\n\nx-ms-date:${NOW_TEXT}\nx-ms-version:${version}\n/${NAME}/${NAME}/c\nrestype:container`;
    await accepts({ method: "PUT", url: "/devstoreaccount1/c?restype=container", headers }, text);
    const other = text.replace(`\n\n\n${length}\n`, `\n\n\n${length === "" ? "0" : ""}\n`);
    await refuses({ method: "PUT", url: "/devstoreaccount1/c?restype=container", headers }, other);
  }
});

test("an x-ms- header without a value is signed since 2016-05-31", async () => {
  for (const [version, line] of [
    ["2015-12-11", ""],
    ["2016-05-31", "x-ms-meta-empty:\n"],
  ] as const) {
    const headers = { ...DATE, "x-ms-version": version, "x-ms-meta-empty": "" };
    const text = `GET\n\n\n\n\n\n\n\n\n\n\n\nx-ms-date:${NOW_TEXT}\n${line}x-ms-version:${version}\n/${NAME}/${NAME}/c/b`;
    await accepts({ url: "/devstoreaccount1/c/b", headers }, text);
  }
});

test("values of one parameter are sorted and joined by commas", async () => {
  const text = `GET\n\n\n\n\n\n\n\n\n\n\n\nx-ms-date:${NOW_TEXT}\nx-ms-version:2026-10-06\n/${NAME}/${NAME}/c\ncomp:list\ninclude:copy,metadata,snapshots\nrestype:container`;
  const url =
    "/devstoreaccount1/c?restype=container&include=snapshots&comp=list&Include=metadata&include=copy";
  await accepts({ url, headers: NEW }, text);
});

test("many headers and parameters sort as few do", async () => {
  const names = Array.from({ length: 40 }, (_, index) => `m${String((index * 17) % 40).padStart(2, "0")}`);
  const headers = { ...NEW, ...Object.fromEntries(names.map((name) => [`x-ms-meta-${name}`, name])) };
  const url = `/devstoreaccount1/c?${names.map((name) => `${name}=${name}`).join("&")}`;
  const sorted = names.toSorted();
  const text =
    `GET\n\n\n\n\n\n\n\n\n\n\n\nx-ms-date:${NOW_TEXT}\n` +
    `${sorted.map((name) => `x-ms-meta-${name}:${name}\n`).join("")}x-ms-version:2026-10-06\n` +
    `/${NAME}/${NAME}/c${sorted.map((name) => `\n${name}:${name}`).join("")}`;
  await accepts({ url, headers }, text);
});

test("white space in header values is signed as it is or folded, but never inside quotes", async () => {
  const headers = { ...NEW, "x-ms-meta-a": 'one  two \t three "x  y"' };
  const text = (value: string) =>
    `GET\n\n\n\n\n\n\n\n\n\n\n\nx-ms-date:${NOW_TEXT}\nx-ms-meta-a:${value}\nx-ms-version:2026-10-06\n/${NAME}/${NAME}/c/b`;
  const sent = { url: "/devstoreaccount1/c/b", headers };
  await accepts(sent, text('one  two \t three "x  y"'));
  await accepts(sent, text('one two three "x  y"'));
  await refuses(sent, text('one two three "x y"'));
});

test("metadata names are signed by character code or in the service's own order", async () => {
  const headers = { ...NEW, "x-ms-meta-foo_bar": "1", "x-ms-meta-foo2_bar": "2" };
  const text = (lines: string) =>
    `GET\n\n\n\n\n\n\n\n\n\n\n\nx-ms-date:${NOW_TEXT}\n${lines}x-ms-version:2026-10-06\n/${NAME}/${NAME}/c/b`;
  const sent = { url: "/devstoreaccount1/c/b", headers };
  await accepts(sent, text("x-ms-meta-foo2_bar:2\nx-ms-meta-foo_bar:1\n"));
  await accepts(sent, text("x-ms-meta-foo_bar:1\nx-ms-meta-foo2_bar:2\n"));
  await refuses(sent, text("x-ms-meta-foo_bar:2\nx-ms-meta-foo2_bar:1\n"));
});

test("Shared Key Lite signs comp alone of the query", async () => {
  const text = `PUT\nbWQ1\ntext/plain\n\nx-ms-date:${NOW_TEXT}\nx-ms-version:2026-10-06\n/${NAME}/${NAME}/c?comp=acl`;
  const headers = { ...NEW, "Content-MD5": "bWQ1", "Content-Type": "text/plain" };
  const sent = { method: "PUT", url: "/devstoreaccount1/c?restype=container&comp=acl", headers };
  await accepts(sent, text, { scheme: "SharedKeyLite" });
  await refuses(sent, text, { scheme: "SharedKey" });
  await refuses({ ...sent, url: "/devstoreaccount1/c?comp=list" }, text, { scheme: "SharedKeyLite" });
});

test("the Table service signs the date in its own line and no headers", async () => {
  const path = "/devstoreaccount1/t(PartitionKey='p',RowKey='r')";
  const resource = `/${NAME}${path}`;
  const headers = { ...NEW, "Content-Type": "application/json" };
  const sent = { service: "table", method: "MERGE", url: `${path}?timeout=9`, headers } as const;
  await accepts(sent, `MERGE\n\napplication/json\n${NOW_TEXT}\n${resource}`);
  await accepts(sent, `${NOW_TEXT}\n${resource}`, { scheme: "SharedKeyLite" });
  const acl = { service: "table", url: "/devstoreaccount1/t?comp=acl", headers: { Date: NOW_TEXT } } as const;
  await accepts(acl, `GET\n\n\n${NOW_TEXT}\n/${NAME}/${NAME}/t?comp=acl`);
  await accepts(acl, `${NOW_TEXT}\n/${NAME}/${NAME}/t?comp=acl`, { scheme: "SharedKeyLite" });
});

test("either key of the account signs, and no other", async () => {
  const text = `GET\n\n\n\n\n\n\n\n\n\n\n\nx-ms-date:${NOW_TEXT}\nx-ms-version:2026-10-06\n/${NAME}/${NAME}/c/b`;
  const sent = { url: "/devstoreaccount1/c/b", headers: NEW };
  await accepts(sent, text, { key: KEY_TWO });
  await refuses(sent, text, { key: Buffer.alloc(64).toString("base64") });
  await refuses(sent, text, { key: "" });
});

test("a date more than 15 minutes off is refused, in both directions and in both headers", async () => {
  const text = `GET\n\n\n\n\n\n\n\n\n\n\n\nx-ms-date:${NOW_TEXT}\nx-ms-version:2026-10-06\n/${NAME}/${NAME}/c/b`;
  const sent = requestOf(signed({ url: "/devstoreaccount1/c/b", headers: NEW }, text));
  const minutes = 60_000;
  for (const [offset, expected] of [
    [0, "accepted"],
    [15 * minutes, "accepted"],
    [-15 * minutes, "accepted"],
    [15 * minutes + 1, "AuthenticationFailed"],
    [-15 * minutes - 1, "AuthenticationFailed"],
  ] as const) {
    const clock = new ManualClock(Date.UTC(2026, 0, 1) + offset);
    assert.equal(await outcome(() => authenticate(sent, contextOf({ clock }))), expected, `${offset}`);
  }
  for (const headers of [
    { "x-ms-version": "2026-10-06" },
    { "x-ms-date": "yesterday" },
    { "x-ms-date": "", Date: NOW_TEXT },
    { Date: "2026-01-01T00:00:00Z" },
    { Date: "Thu, 01 Jan 2026 00:16:00 GMT" },
  ]) {
    const attempt = authenticate(
      requestOf({
        url: "/devstoreaccount1/c",
        headers: { ...headers, Authorization: `SharedKey ${NAME}:x` },
      }),
      contextOf(),
    );
    await assert.rejects(attempt, refusal("AuthenticationFailed", /date/i));
  }
});

test("a malformed Authorization header is 400, whatever else the request has", async () => {
  for (const authorization of [
    "",
    "SharedKey",
    "SharedKey ",
    `SharedKey ${NAME}`,
    `SharedKey ${NAME}:`,
    "SharedKey :c2ln",
    "SharedKeyLite",
    "Basic dXNlcjpwYXNz",
    "sharedkey devstoreaccount1:c2ln",
    "SharedKeyExtra devstoreaccount1:c2ln",
  ]) {
    const sent = requestOf({ url: "/devstoreaccount1/c", headers: { ...NEW, Authorization: authorization } });
    assert.equal(
      await outcome(() => authenticate(sent, contextOf())),
      "InvalidAuthenticationInfo",
      authorization,
    );
  }
});

test("an unknown account is refused in the same words as a wrong signature", async () => {
  const refusalOf = async (url: string, name: string): Promise<Refusal> => {
    const headers = { ...NEW, Authorization: `SharedKey ${name}:${hmac("other")}` };
    const error = await authenticate(requestOf({ url, headers }), contextOf()).catch((thrown) => thrown);
    assert.ok(error instanceof Refusal);
    return error;
  };
  const existing = await refusalOf("/devstoreaccount1/c", "devstoreaccount1");
  const unknown = await refusalOf("/devstoreaccount2/c", "devstoreaccount2");
  const another = await refusalOf("/devstoreaccount1/c", "devstoreaccount2");
  assert.equal(unknown.code, "AuthenticationFailed");
  const plain = ({ detail }: Refusal) => JSON.stringify(detail).replaceAll("devstoreaccount2", NAME);
  assert.equal(plain(unknown), plain(existing));
  assert.equal(plain(another), plain(existing));
});

test("the refusal quotes the string to sign, but no signature and no key", async () => {
  const secret = "c2VjcmV0LWtleQ==";
  const headers = {
    ...NEW,
    "x-ms-encryption-key": secret,
    "x-ms-copy-source": `https://a.blob.core.windows.net/c/b?sv=2026-10-06&sig=${encodeURIComponent(secret)}`,
    "x-ms-copy-source-authorization": `Bearer ${secret}`,
    Authorization: `SharedKey ${NAME}:${hmac("wrong")}`,
  };
  const sent = requestOf({ url: `/devstoreaccount1/c/b?comp=x&sig=${encodeURIComponent(secret)}`, headers });
  const error: unknown = await authenticate(sent, contextOf()).catch((thrown) => thrown);
  assert.ok(error instanceof Refusal);
  const detail = error.detail.elements?.AuthenticationErrorDetail ?? "";
  assert.match(detail, /string to sign: 'GET\n\n\n/);
  assert.match(detail, /x-ms-copy-source:https:\/\/a\.blob\.core\.windows\.net\/c\/b\?sv=2026-10-06/);
  assert.match(detail, /\ncomp:x\n/);
  for (const hidden of [secret, encodeURIComponent(secret), hmac("wrong")]) {
    assert.ok(!detail.includes(hidden), detail);
  }
});
