import assert from "node:assert/strict";
import { test } from "node:test";
import type { HttpRequest } from "../exchange.ts";
import { locateSource, withoutSignature } from "./copy-address.ts";

const shown = (text: string): string => withoutSignature(new URL(text));

test("of a source's address is shown what was sent, but nothing that opens it", () => {
  const base = "http://127.0.0.1:10000/account/container/a%20blob";
  assert.equal(shown(base), base);
  assert.equal(
    shown(`${base}?snapshot=2026-11-16T14:19:57.6070001Z`),
    `${base}?snapshot=2026-11-16T14:19:57.6070001Z`,
  );
  const sas = "sv=2025-01-05&st=2026-11-16T14%3A19%3A57Z&se=2026-11-17&sr=b&sp=r";
  assert.equal(shown(`${base}?${sas}&sig=a%2Bb%3D`), `${base}?${sas}`);
  assert.equal(shown(`${base}?SIG=x&${sas}`), `${base}?${sas}`);
  for (const secret of ["sig=x", "sig", "token=x", "X-Amz-Signature=x", "%73ig=x", "code=x"]) {
    assert.equal(shown(`${base}?${secret}`), base, secret);
  }
  assert.equal(shown("https://user:secret@example.com/x?sig=1#part"), "https://example.com/x");
});

function locate(source: string, host: string | undefined, isPathStyle: boolean): string {
  const request = { target: { account: "acct", isPathStyle }, headers: { host } };
  const found = locateSource(new URL(source), request as unknown as HttpRequest, "blob");
  if (!found.isHere) return "elsewhere";
  return found.isHostStyle ? "here, account in the host" : "here, account in the path";
}

test("a source is here under any name of this server, in the style of its own address", () => {
  const path = "here, account in the path";
  const inHost = "here, account in the host";
  const rows: [string, string | undefined, boolean, string][] = [
    ["http://127.0.0.1:10000/acct/c/b", "127.0.0.1:10000", true, path],
    ["http://localhost:10000/acct/c/b", "127.0.0.1:10000", true, path],
    ["http://[::1]:10000/acct/c/b", "localhost:10000", true, path],
    ["http://127.0.0.1:10001/acct/c/b", "127.0.0.1:10000", true, "elsewhere"],
    ["http://azurite:10000/acct/c/b", "azurite:10000", true, path],
    ["http://azurite:10000/acct/c/b", "127.0.0.1:10000", true, "elsewhere"],
    ["http://acct.blob.localhost:10000/c/b", "127.0.0.1:10000", true, inHost],
    ["http://127.0.0.1:10000/acct/c/b", "acct.blob.localhost:10000", false, path],
    ["http://other.blob.localhost:10000/c/b", "acct.blob.localhost:10000", false, inHost],
    ["http://other.blob.example:10000/c/b", "acct.blob.example:10000", false, inHost],
    ["http://acct.queue.localhost:10000/c/b", "127.0.0.1:10000", true, "elsewhere"],
    ["http://acct.blob.localhost.example:10000/c/b", "127.0.0.1:10000", true, "elsewhere"],
    ["https://acct.blob.core.windows.net/c/b", "127.0.0.1:10000", true, inHost],
    ["https://other.blob.core.windows.net/c/b", "127.0.0.1:10000", true, "elsewhere"],
    ["http://127.0.0.1:10000/acct/c/b", undefined, true, "elsewhere"],
  ];
  for (const [source, host, isPathStyle, expected] of rows) {
    assert.equal(locate(source, host, isPathStyle), expected, `${source} from ${host}`);
  }
});
