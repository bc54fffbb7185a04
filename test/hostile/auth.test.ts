import assert from "node:assert/strict";
import { test } from "node:test";
import { Refusal } from "../../src/base/refusals.ts";
import type { Unauthenticated } from "../../src/http/auth/authenticate.ts";
import { delegationKeyValue } from "../../src/http/auth/delegation-key.ts";
import {
  ACCOUNT,
  authenticate,
  contextOf,
  hmac,
  NAME,
  NOW,
  NOW_TEXT,
  queryOf,
  requestOf,
  type Sent,
} from "../support/auth.ts";

/**
 * Somebody who saw one good request changes it. Every change that means something must be refused; the tests
 * count what got through, and the count is zero.
 */
const PROBES = [..."0AZaz9+/=%&?;: -_.~\n\u0000é"];

/** Both sides of a request that a service would act on. */
function meaningOf({ method, target, query }: Unauthenticated): string {
  const pairs = query.pairs.map(([name, value]) => `${name}=${value}`).sort();
  return JSON.stringify([method, target.service, target.account, target.path, pairs]);
}

async function isAccepted(request: Unauthenticated): Promise<boolean> {
  try {
    const caller = await authenticate(request, contextOf({ oauth: "basic" }));
    return caller.kind !== "anonymous";
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}

/** undefined for what no server would take as an address. */
function tryRequest(sent: Sent): Unauthenticated | undefined {
  try {
    return requestOf(sent);
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

async function countAccepted(mutants: Iterable<Sent>, original: Sent): Promise<string[]> {
  const meant = meaningOf(requestOf(original));
  const accepted: string[] = [];
  for (const mutant of mutants) {
    const request = tryRequest(mutant);
    if (request === undefined || !(await isAccepted(request))) continue;
    const isSame =
      meaningOf(request) === meant &&
      JSON.stringify(request.headers) === JSON.stringify(requestOf(original).headers);
    if (!isSame) accepted.push(JSON.stringify(mutant));
  }
  return accepted;
}

/** The HTTP parser lets no white space or control character through in an address. */
function isSendable(url: string): boolean {
  return url.startsWith("/") && !/[\x00-\x20]/.test(url);
}

function* changesOf(text: string): Generator<string> {
  for (let at = 0; at <= text.length; at++) {
    if (at < text.length) yield text.slice(0, at) + text.slice(at + 1);
    for (const probe of PROBES) {
      yield text.slice(0, at) + probe + text.slice(at);
      if (at < text.length) yield text.slice(0, at) + probe + text.slice(at + 1);
    }
  }
}

const HEADERS = {
  "x-ms-date": NOW_TEXT,
  "x-ms-version": "2026-10-06",
  "x-ms-meta-a": "one",
  "Content-Type": "text/plain",
  "Content-Length": "5",
  "If-Match": '"0x1"',
  Range: "bytes=0-4",
};
const SHARED_KEY_TEXT = `PUT\n\n\n5\n\ntext/plain\n\n\n"0x1"\n\n\nbytes=0-4\nx-ms-date:${NOW_TEXT}\nx-ms-meta-a:one\nx-ms-version:2026-10-06\n/${NAME}/${NAME}/c/dir/b\nblockid:QUFB\ncomp:block`;
const SHARED_KEY: Sent = {
  method: "PUT",
  url: `/${NAME}/c/dir/b?comp=block&blockid=QUFB`,
  headers: { ...HEADERS, Authorization: `SharedKey ${NAME}:${hmac(SHARED_KEY_TEXT)}` },
};

test("no change of one byte of a Shared Key signature is accepted", async () => {
  assert.ok(await isAccepted(requestOf(SHARED_KEY)));
  const signature = hmac(SHARED_KEY_TEXT);
  let accepted = 0;
  for (let at = 0; at < signature.length; at++) {
    for (let code = 0; code < 256; code++) {
      const changed = signature.slice(0, at) + String.fromCharCode(code) + signature.slice(at + 1);
      if (changed === signature) continue;
      const headers = { ...HEADERS, Authorization: `SharedKey ${NAME}:${changed}` };
      if (await isAccepted(requestOf({ ...SHARED_KEY, headers }))) accepted++;
    }
  }
  assert.equal(accepted, 0);
});

test("no change of method, address or signed header of a Shared Key request is accepted", async () => {
  const mutants: Sent[] = [];
  for (const method of ["GET", "POST", "DELETE", "put", "PUT ", ""]) mutants.push({ ...SHARED_KEY, method });
  for (const url of changesOf(SHARED_KEY.url)) if (isSendable(url)) mutants.push({ ...SHARED_KEY, url });
  for (const more of ["&comp=block", "&x=", "&x", "&blockid=", "&comp:x=1"]) {
    mutants.push({ ...SHARED_KEY, url: SHARED_KEY.url + more });
  }
  for (const service of ["queue", "file", "table"] as const) {
    // Blob, queue and file sign alike; only a change to the table's format must fail.
    if (service === "table") mutants.push({ ...SHARED_KEY, service });
  }
  for (const [name, value] of Object.entries(HEADERS)) {
    const { [name as keyof typeof HEADERS]: _gone, ...rest } = SHARED_KEY.headers as typeof HEADERS;
    mutants.push({ ...SHARED_KEY, headers: rest as Record<string, string> });
    for (const changed of changesOf(value)) {
      if (changed.trim() === value || changed.includes("\n")) continue;
      mutants.push({ ...SHARED_KEY, headers: { ...SHARED_KEY.headers, [name]: changed } });
    }
  }
  for (const name of [
    "x-ms-a",
    "x-ms-meta-b",
    "Content-MD5",
    "Content-Encoding",
    "If-None-Match",
    "If-Modified-Since",
  ]) {
    mutants.push({ ...SHARED_KEY, headers: { ...SHARED_KEY.headers, [name]: "1" } });
  }
  assert.ok(mutants.length > 3_000);
  assert.deepEqual(await countAccepted(mutants, SHARED_KEY), []);
});

test("one parameter cannot swallow another that was signed", async () => {
  const text = `GET\n\n\n\n\n\n\n\n\n\n\n\nx-ms-date:${NOW_TEXT}\nx-ms-version:2026-10-06\n/${NAME}/${NAME}/c\na:1\nb:2`;
  const headers = {
    "x-ms-date": NOW_TEXT,
    "x-ms-version": "2026-10-06",
    Authorization: `SharedKey ${NAME}:${hmac(text)}`,
  };
  assert.ok(await isAccepted(requestOf({ url: `/${NAME}/c?a=1&b=2`, headers })));
  for (const query of ["a=1%0Ab:2", "a:1%0Ab=2", "a:1%0Ab:2", "a=1%0Ab%3A2"]) {
    assert.ok(!(await isAccepted(requestOf({ url: `/${NAME}/c?${query}`, headers }))), query);
  }
});

const RSC = ["rscc", "rscd", "rsce", "rscl", "rsct"];
const LIMITS_OF_SAS = {
  st: "2025-12-31T00:00:00Z",
  se: "2026-01-02T00:00:00Z",
  sip: "127.0.0.1",
  spr: "https",
  sv: "2026-10-06",
};

interface Sample {
  readonly name: string;
  readonly sent: Sent;
  readonly fields: Readonly<Record<string, string>>;
}

function sampleOf(
  name: string,
  sent: Sent,
  fields: Readonly<Record<string, string>>,
  signed: readonly string[],
  own: Readonly<Record<string, string>>,
  key?: string,
): Sample {
  const text = signed.map((field) => own[field] ?? fields[field] ?? "").join("\n");
  const all = { ...fields, sig: hmac(text, key) };
  return { name, fields: all, sent: { ...sent, url: sent.url + queryOf(all), isSecure: true } };
}

const BASE = ["sp", "st", "se", "cr", "si", "sip", "spr", "sv"];
const KEY_FIELDS = {
  skoid: "o",
  sktid: "t",
  skt: "2025-12-31",
  ske: "2026-01-02",
  sks: "b",
  skv: "2026-04-06",
};
const KEY_NAMES = Object.keys(KEY_FIELDS);
const SAMPLES: readonly Sample[] = [
  sampleOf(
    "account SAS",
    { url: `/${NAME}/c/b?` },
    { ...LIMITS_OF_SAS, ss: "b", srt: "o", sp: "r", ses: "scope" },
    ["account", "sp", "ss", "srt", "st", "se", "sip", "spr", "sv", "ses", "end"],
    { account: NAME, end: "" },
  ),
  sampleOf(
    "blob SAS",
    { url: `/${NAME}/c/dir/b?` },
    { ...LIMITS_OF_SAS, sr: "b", sp: "r", rscd: "inline", ses: "scope" },
    [...BASE, "sr", "snapshot", "ses", ...RSC],
    { cr: `/blob/${NAME}/c/dir/b` },
  ),
  sampleOf(
    "snapshot SAS",
    { url: `/${NAME}/c/b?` },
    { ...LIMITS_OF_SAS, sr: "bs", sp: "r", snapshot: "2025-06-01T00:00:00.0000000Z" },
    [...BASE, "sr", "snapshot", "ses", ...RSC],
    { cr: `/blob/${NAME}/c/b` },
  ),
  sampleOf(
    "directory SAS",
    { url: `/${NAME}/c/d1/d2?` },
    { ...LIMITS_OF_SAS, sr: "d", sdd: "2", sp: "r" },
    [...BASE, "sr", "snapshot", "ses", ...RSC],
    { cr: `/blob/${NAME}/c/d1/d2` },
  ),
  sampleOf(
    "old blob SAS",
    { url: `/${NAME}/c/b?` },
    { ...LIMITS_OF_SAS, sv: "2015-04-05", sr: "b", sp: "r" },
    [...BASE, ...RSC],
    { cr: `/blob/${NAME}/c/b` },
  ),
  sampleOf("queue SAS", { service: "queue", url: `/${NAME}/q?` }, { ...LIMITS_OF_SAS, sp: "r" }, BASE, {
    cr: `/queue/${NAME}/q`,
  }),
  sampleOf(
    "table SAS",
    { service: "table", url: `/${NAME}/t?` },
    { ...LIMITS_OF_SAS, tn: "t", sp: "r", spk: "a", srk: "1", epk: "b", erk: "2" },
    [...BASE, "spk", "srk", "epk", "erk"],
    { cr: `/table/${NAME}/t` },
  ),
  sampleOf(
    "file SAS",
    { service: "file", url: `/${NAME}/s/d/f?` },
    { ...LIMITS_OF_SAS, sr: "f", sp: "r" },
    [...BASE, ...RSC],
    { cr: `/file/${NAME}/s/d/f` },
  ),
  sampleOf(
    "delegation SAS",
    { url: `/${NAME}/c/b?` },
    { ...LIMITS_OF_SAS, ...KEY_FIELDS, sr: "b", sp: "r", saoid: "agent" },
    [
      ...["sp", "st", "se", "cr", ...KEY_NAMES, "saoid", "suoid", "scid", "skdutid", "sduoid"],
      ...["sip", "spr", "sv", "sr", "snapshot", "ses", "srh", "srq", ...RSC],
    ],
    { cr: `/blob/${NAME}/c/b` },
    delegationKeyValue(ACCOUNT, {
      objectId: "o",
      tenantId: "t",
      start: NOW - 86_400_000,
      expiry: NOW + 86_400_000,
      service: "b",
      version: "2026-04-06",
      delegatedTenantId: undefined,
    }),
  ),
];

/** What may change without changing what is granted: the case of a table's name. */
function isHarmless({ name }: Sample, field: string, changed: string): boolean {
  return name === "table SAS" && field === "tn" && changed.toLowerCase() === "t";
}

for (const sample of SAMPLES) {
  test(`${sample.name}: no change of one byte of the signature is accepted`, async () => {
    assert.ok(await isAccepted(requestOf(sample.sent)));
    const { sig } = sample.fields;
    const encoded = `sig=${encodeURIComponent(sig!)}`;
    let accepted = 0;
    for (let at = 0; at < sig!.length; at++) {
      for (let code = 0; code < 256; code++) {
        const changed = sig!.slice(0, at) + String.fromCharCode(code) + sig!.slice(at + 1);
        if (changed === sig) continue;
        const url = sample.sent.url.replace(encoded, `sig=${encodeURIComponent(changed)}`);
        if (await isAccepted(requestOf({ ...sample.sent, url }))) accepted++;
      }
    }
    assert.equal(accepted, 0);
  });

  test(`${sample.name}: no field can be changed, dropped or added`, async () => {
    const path = sample.sent.url.slice(0, sample.sent.url.indexOf("?") + 1);
    const mutants: Sent[] = [];
    for (const [field, value] of Object.entries(sample.fields)) {
      const { [field]: _gone, ...rest } = sample.fields;
      mutants.push({ ...sample.sent, url: path + queryOf(rest) });
      mutants.push({ ...sample.sent, url: path + queryOf({ ...rest, [field]: "" }) });
      for (const changed of changesOf(value)) {
        if (changed === value || isHarmless(sample, field, changed)) continue;
        mutants.push({ ...sample.sent, url: path + queryOf({ ...rest, [field]: changed }) });
      }
    }
    const known = ["sp", "ss", "srt", "si", "sr", "sdd", "skoid", "sduoid", "srh", "srq", "epk", "ses"];
    for (const field of known.filter((name) => sample.fields[name] === undefined)) {
      // A depth means nothing to a SAS that is not for a directory.
      if (field === "sdd" || (field === "sr" && sample.fields.sr === undefined)) continue;
      if (field === "sp" || sample.name === "account SAS") continue;
      mutants.push({ ...sample.sent, url: `${path}${queryOf(sample.fields)}&${field}=r` });
    }
    assert.deepEqual(await countAccepted(mutants, sample.sent), []);
  });

  test(`${sample.name}: no other path, account, service, address or protocol`, async () => {
    const mark = sample.sent.url.indexOf("?");
    const [path, query] = [sample.sent.url.slice(0, mark), sample.sent.url.slice(mark)];
    const mutants: Sent[] = [];
    const isByAccount = sample.name === "account SAS" || sample.name === "table SAS";
    for (const changed of changesOf(path)) {
      if (!isSendable(changed) || changed.includes("?")) continue;
      const sent = tryRequest({ ...sample.sent, url: changed + query });
      // An account or table SAS is held to its resource by authorize; here only the account counts.
      if (sent === undefined || (isByAccount && sent.target.account === NAME)) continue;
      // A queue SAS reaches what is below its queue, a directory SAS what is below its directory; the
      // secondary address and a trailing slash name the same thing.
      const plain = sent.target.path.replace(/\/$/, "");
      const own = requestOf(sample.sent).target.path;
      if (sent.target.account === NAME && (plain === own || plain.startsWith(`${own}/`))) {
        if (sample.name === "queue SAS" || sample.name === "directory SAS" || plain === own) continue;
      }
      mutants.push({ ...sample.sent, url: changed + query });
    }
    for (const service of ["blob", "queue", "table", "file"] as const) {
      if (service === (sample.sent.service ?? "blob") || sample.name === "account SAS") continue;
      mutants.push({ ...sample.sent, service });
    }
    mutants.push({ ...sample.sent, remoteAddress: "127.0.0.2" }, { ...sample.sent, remoteAddress: "::1" });
    mutants.push({ ...sample.sent, isSecure: false });
    const accepted: string[] = [];
    for (const mutant of mutants) {
      const request = tryRequest(mutant);
      if (request !== undefined && (await isAccepted(request))) accepted.push(JSON.stringify(mutant));
    }
    assert.deepEqual(accepted, []);
  });
}
