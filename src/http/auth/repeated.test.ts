import assert from "node:assert/strict";
import { test } from "node:test";
import {
  authenticate,
  contextOf,
  hmac,
  NAME,
  queryOf,
  refusal,
  requestOf,
} from "../../../test/support/auth.ts";

const ACCOUNT_SAS = { sv: "2022-11-02", ss: "b", srt: "o", sp: "r", se: "2026-01-02T00:00:00Z" };
const BLOB_SAS = { sv: "2022-11-02", sr: "b", sp: "r", se: "2026-01-02T00:00:00Z" };

function accountSas(): string {
  const { sv, ss, srt, sp, se } = ACCOUNT_SAS;
  return queryOf({ ...ACCOUNT_SAS, sig: hmac(`${NAME}\n${sp}\n${ss}\n${srt}\n\n${se}\n\n\n${sv}\n\n`) });
}

function blobSas(): string {
  const { sv, sr, sp, se } = BLOB_SAS;
  const text = [sp, "", se, `/blob/${NAME}/c/b`, "", "", "", sv, sr, "", "", "", "", "", "", ""].join("\n");
  return queryOf({ ...BLOB_SAS, sig: hmac(text) });
}

const caller = (query: string, options: { host?: string; headers?: Record<string, string> } = {}) =>
  authenticate(
    requestOf({ url: `http://${options.host ?? "127.0.0.1"}/${NAME}/c/b?${query}`, ...options }),
    contextOf(),
  );

test("a field of a SAS that comes twice proves nothing, also with the same value, also in another spelling", async () => {
  const twice = refusal("AuthenticationFailed", /given more than once/);
  for (const [kind, token] of [
    ["accountSas", accountSas()],
    ["serviceSas", blobSas()],
  ] as const) {
    // Twice, so that the cache recognizes the second one.
    for (let time = 0; time < 2; time++) assert.equal((await caller(token)).kind, kind);
    for (const pair of token.split("&")) {
      const [name] = pair.split("=") as [string];
      for (const added of [
        pair,
        `${name}=x`,
        `${name}=`,
        name,
        `${name.toUpperCase()}=x`,
        `%73${pair.slice(1)}`,
      ]) {
        await assert.rejects(caller(`${token}&${added}`), twice, added);
        await assert.rejects(caller(`${added}&${token}`), twice, added);
      }
    }
    // Fields it does not have, twice.
    for (const name of ["sip", "spr", "si", "skoid", "tn", "sdd", "rsct"])
      await assert.rejects(caller(`${token}&${name}=&${name}=`), twice, name);
  }
});

test("parameters of the operation or of its subject are not repeated, for any caller", async () => {
  const twice = refusal("InvalidQueryParameterValue");
  for (const name of ["comp", "restype", "snapshot", "versionid", "api-version"]) {
    await assert.rejects(caller(`${name}=a&${name}=b`), twice, name);
    await assert.rejects(caller(`${blobSas()}&${name}=a&${name}=b`), twice, name);
    const headers = { authorization: `SharedKey ${NAME}:AAAA` };
    await assert.rejects(caller(`${name}=a&${name}=b`, { headers }), twice, name);
  }
});

test("a caller without a name, and a visitor of a website, may repeat what means nothing to them", async () => {
  assert.equal((await caller("se=1&se=2&include=a&include=b")).kind, "anonymous");
  assert.equal((await caller("comp=1&comp=2", { host: `${NAME}.web.localhost` })).kind, "anonymous");
});
