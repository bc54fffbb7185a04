import assert from "node:assert/strict";
import { test } from "node:test";
import {
  authenticate,
  contextOf,
  NAME,
  NOW,
  outcome,
  requestOf,
  type Sent,
} from "../../../test/support/auth.ts";
import { tokenOf } from "../../../test/support/tokens.ts";
import { Refusal } from "../../base/refusals.ts";

const URL = `https://127.0.0.1/${NAME}/c/b`;

function attempt(token: string, sent: Partial<Sent> = {}, oauth: "off" | "basic" = "basic") {
  const headers = { "x-ms-version": "2026-10-06", ...sent.headers, Authorization: `Bearer ${token}` };
  return authenticate(requestOf({ url: URL, ...sent, headers }), contextOf({ oauth }));
}

test("a token in order names its user", async () => {
  const expected = { kind: "bearer", account: NAME, objectId: "oid-1", tenantId: "tid-1" };
  assert.deepEqual(await attempt(tokenOf()), expected);
  const lower = requestOf({
    url: URL,
    headers: { Authorization: `bearer ${tokenOf()}`, "x-ms-version": "2017-11-09" },
  });
  assert.deepEqual(await authenticate(lower, contextOf({ oauth: "basic" })), expected);
});

test("audiences: all of storage, or this service of this account in any cloud", async () => {
  for (const [aud, expected] of [
    ["https://storage.azure.com", "accepted"],
    ["https://storage.azure.com/", "accepted"],
    ["e406a681-f3d4-42a8-90b6-c2b029497af1", "accepted"],
    ["https://devstoreaccount1.blob.core.windows.net", "accepted"],
    ["https://devstoreaccount1.blob.core.windows.net/", "accepted"],
    ["https://devstoreaccount1.blob.core.chinacloudapi.cn", "accepted"],
    ["https://devstoreaccount1.blob.core.usgovcloudapi.net", "accepted"],
    ["https://devstoreaccount1.blob.core.cloudapi.de", "accepted"],
    ["https://devstoreaccount1.queue.core.windows.net", "InvalidBearerToken"],
    ["https://devstoreaccount2.blob.core.windows.net", "InvalidBearerToken"],
    ["https://storage.azure.com.example.org", "InvalidBearerToken"],
    ["https://management.azure.com", "InvalidBearerToken"],
    [["https://storage.azure.com"], "InvalidBearerToken"],
    [undefined, "InvalidBearerToken"],
  ] as const) {
    assert.equal(await outcome(() => attempt(tokenOf({ aud }))), expected, String(aud));
  }
});

test("times and issuers", async () => {
  const now = NOW / 1_000;
  for (const [claims, expected] of [
    [{ exp: now + 1 }, "accepted"],
    [{ exp: now }, "InvalidBearerToken"],
    [{ exp: undefined }, "InvalidBearerToken"],
    [{ exp: "9999999999" }, "InvalidBearerToken"],
    [{ nbf: now }, "accepted"],
    [{ nbf: undefined }, "accepted"],
    [{ nbf: now + 1 }, "InvalidBearerToken"],
    [{ nbf: "0" }, "InvalidBearerToken"],
    [{ iss: "https://sts.microsoftonline.de/t/" }, "accepted"],
    [{ iss: "https://sts.chinacloudapi.cn/t/" }, "accepted"],
    [{ iss: "https://sts.windows-ppe.net/t/" }, "accepted"],
    [{ iss: "https://sts.windows.net.example.org/t/" }, "InvalidBearerToken"],
    [{ iss: "http://sts.windows.net/t/" }, "InvalidBearerToken"],
    [{ iss: undefined }, "InvalidBearerToken"],
  ] as const) {
    assert.equal(await outcome(() => attempt(tokenOf(claims))), expected, JSON.stringify(claims));
  }
});

test("what is not a signed token is refused with a challenge", async () => {
  const [head, body, signature] = tokenOf().split(".");
  for (const token of [
    "",
    "token",
    `${head}.${body}`,
    `${head}.${body}.`,
    `${head}.${body}.${signature}.more`,
    `${head}.!.${signature}`,
    `${Buffer.from("[]").toString("base64url")}.${body}.${signature}`,
    `${head}.${Buffer.from("null").toString("base64url")}.${signature}`,
    `${head}.${Buffer.from("{").toString("base64url")}.${signature}`,
    tokenOf({}, { alg: "none" }),
    tokenOf({}, { alg: "NONE" }),
    tokenOf({}, { alg: "" }),
    tokenOf({}, {}),
  ]) {
    const error: unknown = await attempt(token).catch((thrown) => thrown);
    assert.ok(error instanceof Refusal, token);
    assert.equal(error.code, "InvalidBearerToken", token);
    assert.equal(error.row.http, 401);
    assert.match(
      error.detail.headers?.["WWW-Authenticate"] ?? "",
      /^Bearer authorization_uri=https:\/\/login\./,
    );
    assert.equal(
      error.detail.elements?.AuthenticationErrorDetail,
      "The access token was missing or malformed.",
    );
  }
});

test("before a service's first version with challenges, a bad token is refused as a bad signature is", async () => {
  for (const [service, before, since] of [
    ["blob", "2019-07-07", "2019-12-12"],
    ["queue", "2018-11-09", "2019-12-12"],
    ["table", "2019-02-02", "2020-12-06"],
  ] as const) {
    const codeOf = (version: string) =>
      outcome(() => attempt(tokenOf({ aud: "x" }), { service, headers: { "x-ms-version": version } }));
    assert.deepEqual(
      [await codeOf(before), await codeOf(since)],
      ["AuthenticationFailed", "InvalidBearerToken"],
    );
  }
});

test("tokens are accepted over HTTPS only, since 2017-11-09, with --oauth, for an account that exists", async () => {
  assert.equal(await outcome(() => attempt(tokenOf(), { isSecure: false })), "AuthenticationFailed");
  const old = { headers: { "x-ms-version": "2017-07-29" } };
  assert.equal(await outcome(() => attempt(tokenOf(), old)), "AuthenticationFailed");
  assert.equal(await outcome(() => attempt(tokenOf(), {}, "off")), "InvalidBearerToken");
  const unknown = { url: "https://127.0.0.1/devstoreaccount2/c" };
  assert.equal(await outcome(() => attempt(tokenOf(), unknown)), "InvalidBearerToken");
});
