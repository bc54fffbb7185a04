import { delegationKeyValue } from "../../src/http/auth/delegation-key.ts";
import { parseIsoDate } from "../../src/http/wire/dates.ts";
import { sasOf } from "../kit/blob-sas.ts";
import { ACCOUNT, hmac, NAME, queryOf } from "../support/auth.ts";
import { type Fixture, openFixture } from "./fixture.ts";
import { Ledger, type Sent, send } from "./ledger.ts";

/**
 * Callers who may do something, and try more: other letters, other states, other spellings of one address.
 */
export async function breakInByRights(ledger: Ledger): Promise<void> {
  const fixture = await openFixture(false, { flags: ["--versionLevelImmutability", "--blobVersioning"] });
  try {
    await holdWithoutRight(fixture, ledger);
    await overwriteWithoutRight(fixture, ledger);
    await deleteWithoutRight(fixture, ledger);
    await nameTwice(fixture, ledger);
    await breakInWithoutName(fixture, ledger);
    await breakInByPolicy(fixture, ledger);
    await breakInByBatch(fixture, ledger);
    await breakInByTableBatch(fixture, ledger);
    await breakInByOldDelegation(fixture, ledger);
  } finally {
    await fixture.close();
  }
}

const later = (fixture: Fixture, days: number): string =>
  `${new Date(fixture.server.clock.now() + days * 86_400_000).toISOString().slice(0, 19)}Z`;

const LETTERS = [..."racwdxyltmeopf"];
const BLOCK = { "x-ms-blob-type": "BlockBlob" };

function writes(fixture: Fixture, name: string, source: string): Omit<Sent, "port">[] {
  const put = (query: string, headers: Record<string, string>, body = ""): Omit<Sent, "port"> => ({
    method: "PUT",
    target: `/${fixture.server.account}/vault/${name}?${query}`,
    headers: { "x-ms-version": "2022-11-02", ...headers },
    body,
  });
  return [
    put("", BLOCK, "x"),
    put("", { "x-ms-blob-type": "AppendBlob" }),
    put("", { "x-ms-blob-type": "PageBlob", "x-ms-blob-content-length": "512" }),
    put("comp=blocklist&", {}, "<BlockList></BlockList>"),
    put("", { ...BLOCK, "x-ms-copy-source": source }),
    put("", { "x-ms-copy-source": source }),
    put("", { "x-ms-copy-source": source, "x-ms-requires-sync": "true" }),
  ];
}

const sourceOf = (fixture: Fixture, path: string): string =>
  `http://127.0.0.1:${fixture.port("blob")}/${fixture.server.account}/${path}?${sasOf(fixture, path, "b", "r")}`;

/** A policy or a hold on a blob that nobody can delete then, without `i`. */
async function holdWithoutRight(fixture: Fixture, ledger: Ledger): Promise<void> {
  const port = fixture.port("blob");
  const source = sourceOf(fixture, "vault/granted");
  const until = new Date("2400-01-01T00:00:00Z").toUTCString();
  const holds: Record<string, string>[] = [
    { "x-ms-legal-hold": "true" },
    { "X-Ms-Legal-Hold": "True" },
    { "x-ms-immutability-policy-until-date": until },
    { "x-ms-immutability-policy-until-date": until, "x-ms-immutability-policy-mode": "Locked" },
    { "x-ms-immutability-policy-until-date": "2400-01-01T00:00:00Z", "x-ms-legal-hold": "true" },
  ];
  const with_ = (sent: Omit<Sent, "port">, sas: string, headers: Record<string, string>): Sent => ({
    ...sent,
    port,
    target: `${sent.target}${sas}`,
    headers: { ...sent.headers, ...headers },
  });
  const attempts: Sent[] = [];
  for (const letters of ["c", "w", "cw", "racwdxyltmeopf"]) {
    const sas = sasOf(fixture, "vault", "c", letters);
    for (const sent of writes(fixture, "forever", source)) {
      for (const hold of holds) attempts.push(with_(sent, sas, hold));
    }
    for (const comp of ["immutabilityPolicies", "legalhold", "IMMUTABILITYPOLICIES"]) {
      const target = `/${fixture.server.account}/vault/granted?comp=${comp}&`;
      for (const hold of holds) attempts.push(with_({ method: "PUT", target }, sas, hold));
      attempts.push(with_({ method: "DELETE", target }, sas, {}));
    }
  }
  await ledger.tryAll("a hold without the right to it", attempts);
  const [first] = writes(fixture, "let-go", source);
  await ledger.good("a hold", with_(first!, sasOf(fixture, "vault", "c", "cwi"), holds[0]!));
}

/** A right to create is none to change what is there. */
async function overwriteWithoutRight(fixture: Fixture, ledger: Ledger): Promise<void> {
  const port = fixture.port("blob");
  const sas = sasOf(fixture, "vault", "c", "c");
  const source = sourceOf(fixture, "vault/granted");
  await ledger.good("creating", {
    ...writes(fixture, "made", source)[0]!,
    port,
    target: `/${NAME}/vault/made?${sas}`,
  });
  const attempts = ["secret", "made"].flatMap((name) =>
    writes(fixture, name, source).map((sent) => ({ ...sent, port, target: `${sent.target}${sas}` })),
  );
  const comps = [
    "metadata",
    "properties",
    "tags",
    "tier",
    "expiry",
    "page",
    "appendblock",
    "seal",
    "undelete",
  ];
  for (const comp of comps) {
    const headers = { "x-ms-version": "2022-11-02", "x-ms-access-tier": "Cool", "x-ms-range": "bytes=0-511" };
    attempts.push({ ...fixture.bare("blob", "PUT", `/vault/secret?comp=${comp}&${sas}`), headers });
  }
  attempts.push(fixture.bare("blob", "DELETE", `/vault/secret?${sas}`));
  await ledger.tryAll("overwriting with the right to create", attempts);
  await overwriteByIncrementalCopy(fixture, ledger);
}

/** The snapshot of a page blob, copied by the owner and copied again by one who may only create. */
async function overwriteByIncrementalCopy(fixture: Fixture, ledger: Ledger): Promise<void> {
  const service = "blob" as const;
  const disk = { "x-ms-blob-type": "PageBlob", "x-ms-blob-content-length": "512" };
  await must(fixture.signed({ service, method: "PUT", path: "/vault/disk", headers: disk }));
  const copy = async (): Promise<{ readonly path: string; readonly headers: Record<string, string> }> => {
    await must(fixture.signed({ service, method: "PUT", path: "/vault/disk", query: { comp: "snapshot" } }));
    const list = { restype: "container", comp: "list", include: "snapshots", prefix: "disk" };
    const { body } = await must(fixture.signed({ service, method: "GET", path: "/vault", query: list }));
    const snapshot = [...body.matchAll(/<Snapshot>([^<]+)/g)].at(-1)![1]!;
    const address = `http://127.0.0.1:${fixture.port("blob")}/${NAME}/vault/disk?snapshot=${snapshot}`;
    const source = `${address}&${sasOf(fixture, "vault/disk", "b", "r")}`;
    return { path: "/vault/copied", headers: { "x-ms-copy-source": source } };
  };
  const query = { comp: "incrementalcopy" };
  await ledger.good("incremental copy", fixture.signed({ service, method: "PUT", query, ...(await copy()) }));
  const { headers } = await copy();
  const sas = sasOf(fixture, "vault", "c", "c");
  const again = fixture.bare(service, "PUT", `/vault/copied?comp=incrementalcopy&${sas}`, {
    headers: { "x-ms-version": "2022-11-02", ...headers },
  });
  await ledger.attempt("overwriting by incremental copy", again);
}

async function must(sent: Sent) {
  const answer = await send(sent);
  if (answer.status >= 300) throw new Error(`${sent.method} ${sent.target}: ${answer.status} ${answer.body}`);
  return answer;
}

/** Deleting a version is not deleting the blob, whatever the address says of the version. */
async function deleteWithoutRight(fixture: Fixture, ledger: Ledger): Promise<void> {
  const queries = ["", "versionid=&", "versionid&", "VersionId=&", "version%69d=&", "versionid=&snapshot=&"];
  queries.push("deletetype=&", "deletetype=&versionid=&", "snapshot=&versionid=&");
  const letters = LETTERS.filter((letter) => letter !== "d").join("");
  const attempts = [letters, "x", "y", "xy"].flatMap((held) =>
    queries.map((query) =>
      fixture.bare("blob", "DELETE", `/vault/secret?${query}${sasOf(fixture, "vault", "c", held)}`),
    ),
  );
  await ledger.tryAll("deleting a blob with the right to its versions", attempts);
  await ledger.good("still there", fixture.signed({ service: "blob", method: "GET", path: "/vault/secret" }));
}

/**
 * Each name that decides something, twice: a reader of the first and a reader of the last would not agree.
 */
async function nameTwice(fixture: Fixture, ledger: Ledger): Promise<void> {
  const sas = sasOf(fixture, "vault/granted", "b", "r");
  const pairs = sas.split("&");
  await ledger.good("a blob", fixture.bare("blob", "GET", `/vault/granted?${sas}`));
  const added = pairs.flatMap((pair) => {
    const [name, value = ""] = pair.split("=");
    const encoded = `%${name!.charCodeAt(0).toString(16)}${name!.slice(1)}`;
    return [
      pair,
      `${name}=`,
      `${name}`,
      `${name!.toUpperCase()}=${value}`,
      `${encoded}=${value}`,
      `${name}=x`,
    ];
  });
  added.push(
    "comp=metadata&comp=list",
    "snapshot=&snapshot=2026-01-01T00:00:00.0000000Z",
    "versionid&versionid=",
  );
  added.push(
    "restype=container&restype=service",
    "Comp=tags&comp=tags",
    "sip=127.0.0.1&sip=10.0.0.1",
    "si=a&si=",
  );
  await ledger.tryAll(
    "a parameter twice",
    added.flatMap((more) => [
      fixture.bare("blob", "GET", `/vault/granted?${sas}&${more}`),
      fixture.bare("blob", "GET", `/vault/granted?${more}&${sas}`),
    ]),
  );
  const queue = fixture.signed({
    service: "queue",
    method: "GET",
    path: "/queue-a",
    query: { comp: "metadata" },
  });
  await ledger.good("Shared Key", queue);
  await ledger.tryAll("Shared Key, a parameter twice", [
    { ...queue, target: `${queue.target}&comp=acl` },
    { ...queue, target: queue.target.replace("?", "?comp=acl&") },
    { ...queue, target: `${queue.target}&comp=metadata` },
  ]);
}

/** What a public container shows, and what it does not. */
async function breakInWithoutName(fixture: Fixture, ledger: Ledger): Promise<void> {
  const acl = (access: string | undefined) =>
    fixture.signed({
      service: "blob",
      method: "PUT",
      path: "/other",
      query: { restype: "container", comp: "acl" },
      headers: access === undefined ? {} : { "x-ms-blob-public-access": access },
    });
  const version = { "x-ms-version": "2022-11-02" };
  const blobs = ["PUT", "DELETE", "POST", "PATCH"].map((method) =>
    fixture.bare("blob", method, "/other/granted"),
  );
  for (const comp of [
    "tags",
    "lease",
    "metadata",
    "snapshot",
    "legalhold",
    "immutabilityPolicies",
    "tier",
    "acl",
  ])
    blobs.push(fixture.bare("blob", "PUT", `/other/granted?comp=${comp}`, { headers: version }));
  blobs.push(fixture.bare("blob", "GET", "/other/granted?comp=tags", { headers: version }));
  blobs.push(fixture.bare("blob", "GET", "/other?restype=container&comp=acl", { headers: version }));
  blobs.push(fixture.bare("blob", "DELETE", "/other?restype=container", { headers: version }));
  blobs.push(
    fixture.bare("blob", "GET", "/other?restype=container&comp=blobs&where=a='b'", { headers: version }),
  );
  const lists = ["?restype=container&comp=list", "?restype=container", "?restype=container&comp=metadata"];
  for (const access of ["blob", "container"]) {
    await must(acl(access));
    await ledger.good("a public blob", fixture.bare("blob", "GET", "/other/granted"));
    const hidden =
      access === "blob" ? lists.map((query) => fixture.bare("blob", "GET", `/other${query}`)) : [];
    await ledger.tryAll(`nobody, a container that shows its ${access}`, [...blobs, ...hidden]);
    await ledger.tryAll("nobody, beside a public container", [
      fixture.bare("blob", "GET", "/vault/secret"),
      fixture.bare("blob", "GET", "/vault?restype=container&comp=list&prefix=/other"),
      fixture.bare("blob", "GET", "?comp=list&prefix=other"),
    ]);
  }
  await must(acl(undefined));
  await ledger.attempt("nobody, a container that was public", fixture.bare("blob", "GET", "/other/granted"));
}

/** A SAS that leans on a stored policy, which is then changed, moved or taken away. */
async function breakInByPolicy(fixture: Fixture, ledger: Ledger): Promise<void> {
  const setPolicies = (container: string, policies: string) =>
    must(
      fixture.signed({
        service: "blob",
        method: "PUT",
        path: `/${container}`,
        query: { restype: "container", comp: "acl" },
        body: Buffer.from(`<SignedIdentifiers>${policies}</SignedIdentifiers>`),
      }),
    );
  const policy = (id: string, letters: string, days = 1, start = -1): string =>
    `<SignedIdentifier><Id>${id}</Id><AccessPolicy><Start>${later(fixture, start)}</Start>` +
    `<Expiry>${later(fixture, days)}</Expiry><Permission>${letters}</Permission></AccessPolicy></SignedIdentifier>`;
  const token = (fields: Readonly<Record<string, string>>, container = "vault"): string => {
    const all: Record<string, string> = { sv: "2022-11-02", sr: "c", si: "readers", ...fields };
    const names = ["sp", "st", "se", "cr", "si", "sip", "spr", "sv", "sr", "snapshot", "ses"];
    const text = [...names, ...["rscc", "rscd", "rsce", "rscl", "rsct"]].map((name) =>
      name === "cr" ? `/blob/${NAME}/${container}` : (all[name] ?? ""),
    );
    return queryOf({ ...all, sig: hmac(text.join("\n")) });
  };
  const read = (sas: string, container = "vault"): Sent =>
    fixture.bare("blob", "GET", `/${container}/granted?${sas}`);
  await setPolicies("vault", policy("readers", "r"));
  await ledger.good("stored policy", read(token({})));
  await ledger.tryAll("stored policy, stretched", [
    read(token({ sp: "r" })),
    read(token({ se: later(fixture, 9) })),
    read(token({ st: later(fixture, -9) })),
    read(token({ si: "Readers" })),
    read(token({ si: "readers " })),
    read(token({ si: "" })),
    read(token({}).replace("si=readers", "si=")),
    read(token({}).replace("si=readers&", "")),
    read(token({}), "other"),
    read(token({}, "other"), "other"),
    fixture.bare("blob", "PUT", `/vault/granted?${token({})}`, { headers: BLOCK }),
    fixture.bare("blob", "GET", `/vault?restype=container&comp=list&${token({})}`),
    fixture.bare("blob", "GET", `/vault?restype=container&comp=acl&${token({})}`),
  ]);
  for (const [what, policies] of [
    ["without the letter", policy("readers", "l")],
    ["over", policy("readers", "r", -0.5)],
    ["not begun", policy("readers", "r", 1, 0.5)],
    ["renamed", policy("writers", "r")],
    ["gone", ""],
  ] as const) {
    await setPolicies("vault", policies);
    await ledger.attempt(`stored policy, ${what}`, read(token({})));
  }
}

/** Parts of a blob batch: each needs a proof of its own, in its own address or its own header. */
async function breakInByBatch(fixture: Fixture, ledger: Ledger): Promise<void> {
  const all = sasOf(fixture, "vault", "c", "rwdx");
  const read = sasOf(fixture, "vault", "c", "r");
  const asHeaders = [...new URLSearchParams(all)].map(([name, value]) => `${name}: ${value}`).join("\r\n");
  const authorization = `Authorization: SharedKey ${NAME}:${"A".repeat(43)}=`;
  const parts: [line: string, headers?: string][] = [
    [`DELETE /${NAME}/vault/secret`, asHeaders],
    [`DELETE /${NAME}/vault/secret`, `x-ms-copy-source: http://x/?${all}`],
    [`DELETE /${NAME}/vault/secret`, authorization],
    [`DELETE /${NAME}/vault/secret`, "Authorization: Bearer a.b.c"],
    [`DELETE /${NAME}/vault/secret`, `Referer: http://127.0.0.1/${NAME}/vault/secret?${all}`],
    [`DELETE /${NAME}/vault/secret?${read}`],
    [`DELETE /${NAME}/vault/secret?${all}&sig=x`],
    [`DELETE /${NAME}/vault/secret?sp=d&${all}`],
    [`DELETE /${NAME}/vault/secret?${all}&sp=rwdx`],
    [`DELETE /${NAME}/other/secret?${all}`],
    [`DELETE /other/secret?${all}`],
    [`DELETE http://127.0.0.1/${NAME}/other/secret?${all}`],
    [`DELETE /${NAME}/vault/../other/secret?${all}`],
    [`DELETE /${NAME}/vault%2F..%2Fother/secret?${all}`],
    [`DELETE /${NAME}/vault/secret?versionid=&${sasOf(fixture, "vault", "c", "x")}`],
    [`PUT /${NAME}/vault/secret?comp=tier&${read}`, "x-ms-access-tier: Cool"],
    [`PUT /${NAME}/vault/secret?comp=tier&comp=metadata&${all}`, "x-ms-access-tier: Cool"],
  ];
  const outers: ((body: Buffer) => Sent)[] = [
    (body) =>
      fixture.signed({
        service: "blob",
        method: "POST",
        path: "/",
        query: { comp: "batch" },
        headers: MULTIPART,
        body,
      }),
    (body) =>
      fixture.bare("blob", "POST", `/vault?restype=container&comp=batch&${all}`, {
        headers: { ...MULTIPART, "x-ms-version": "2022-11-02" },
        body: body.toString("latin1"),
      }),
  ];
  const made = {
    service: "blob",
    method: "PUT",
    path: "/vault/in-batch",
    headers: BLOCK,
    body: Buffer.from("x"),
  };
  for (const outer of outers) {
    await must(fixture.signed(made as Parameters<Fixture["signed"]>[0]));
    const honest = await send(outer(partOf(`DELETE /${NAME}/vault/in-batch?${all}`)));
    if (!/^HTTP\/1\.1 202/m.test(honest.body))
      throw new Error(`an honest batch got ${honest.status} ${honest.body}`);
    ledger.live++;
    for (const [line, headers] of parts) {
      const answer = await send(outer(partOf(line, headers)));
      const inner = Number(/^HTTP\/1\.1 (\d+)/m.exec(answer.body)?.[1] ?? 400);
      ledger.count(
        "a part of a batch",
        answer.status < 300 && inner < 400,
        `${line} ${headers ?? ""}: ${inner}`,
      );
    }
  }
  for (const path of ["/vault/secret", "/other/secret"])
    await ledger.good("still there", fixture.signed({ service: "blob", method: "GET", path }));
}

const MULTIPART = { "Content-Type": "multipart/mixed; boundary=b" };

function partOf(line: string, headers?: string): Buffer {
  const more = headers === undefined ? "" : `${headers}\r\n`;
  return Buffer.from(
    `--b\r\nContent-Type: application/http\r\nContent-ID: 0\r\n\r\n${line} HTTP/1.1\r\n` +
      `x-ms-version: 2022-11-02\r\n${more}\r\n\r\n--b--\r\n`,
  );
}

/** A SAS for a part of one table: nothing of another table, and nothing of the rest of it. */
async function breakInByTableBatch(fixture: Fixture, ledger: Ledger): Promise<void> {
  const names = ["sp", "st", "se", "cr", "si", "sip", "spr", "sv", "spk", "srk", "epk", "erk"];
  const fields: Record<string, string> = {
    sv: "2022-11-02",
    tn: "tablea",
    sp: "raud",
    se: later(fixture, 1),
    spk: "m",
    srk: "m",
    epk: "m",
    erk: "m",
  };
  const text = names
    .map((name) => (name === "cr" ? `/table/${NAME}/tablea` : (fields[name] ?? "")))
    .join("\n");
  const sas = queryOf({ ...fields, sig: hmac(text) });
  await ledger.good(
    "a part of a table",
    fixture.bare("table", "GET", `/tablea(PartitionKey='m',RowKey='m')?${sas}`),
  );
  const queries = [
    "",
    "NextPartitionKey=a&",
    "NextPartitionKey=a&NextRowKey=a&",
    "NextPartitionKey=z&NextRowKey=z&",
  ];
  queries.push(
    "$filter=PartitionKey%20eq%20'a'&",
    "$filter=PartitionKey%20ne%20'm'&",
    "$select=text&$top=1000&",
  );
  queries.push("$filter=PartitionKey%20ge%20''%20or%20RowKey%20ge%20''&", "NextPartitionKey=&NextRowKey=&");
  for (const query of queries) {
    const { status, body } = await send(fixture.bare("table", "GET", `/tablea()?${query}${sas}`));
    ledger.count("the rest of a table", body.includes(Ledger.secret), `${query}: ${status}`);
  }
  const http = `http://127.0.0.1/${NAME}`;
  const targets = ["tableb(PartitionKey='m',RowKey='m')", "TABLEB(PartitionKey='m',RowKey='m')"];
  targets.push("tablea(PartitionKey='a',RowKey='a')", "tablea(PartitionKey='z',RowKey='z')");
  targets.push("tablea/../tableb(PartitionKey='m',RowKey='m')", "Tables('tableb')");
  for (const target of targets) {
    for (const more of ["", `?${sas}`, `?${sas.replace("tn=tablea", "tn=tableb")}`]) {
      for (const method of ["DELETE", "MERGE", "GET"]) {
        const answer = await send(
          tableBatch(fixture, sas, `${method} ${http}/${target}${more}`, method !== "GET"),
        );
        const inner = Number(/^HTTP\/1\.1 (\d+)/m.exec(answer.body)?.[1] ?? 400);
        const isIn = answer.body.includes(Ledger.secret) || (answer.status < 300 && inner < 400);
        ledger.count(
          "a part of a table's batch",
          isIn,
          `${method} ${target}${more}: ${answer.status} ${inner}`,
        );
      }
    }
  }
  for (const name of ["tablea", "tableb"])
    for (const key of ["a", "m", "z"]) {
      const path = `/${name}(PartitionKey='${key}',RowKey='${key}')`;
      await ledger.good("still there", fixture.signed({ service: "table", method: "GET", path }));
    }
}

function tableBatch(fixture: Fixture, sas: string, line: string, isChange: boolean): Sent {
  const request = `Content-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n${line} HTTP/1.1\r\nIf-Match: *\r\nContent-Type: application/json\r\nAccept: application/json\r\n\r\n{"text":"x"}\r\n`;
  const body = isChange
    ? `--b\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n--c\r\n${request}--c--\r\n--b--\r\n`
    : `--b\r\n${request.replace('{"text":"x"}', "")}--b--\r\n`;
  const headers = { ...MULTIPART, "x-ms-version": "2022-11-02" };
  return fixture.bare("table", "POST", `/$batch?${sas}`, { headers, body });
}

/** This house takes no tokens (any more): what was signed with a key given for one is worth nothing. */
async function breakInByOldDelegation(fixture: Fixture, ledger: Ledger): Promise<void> {
  const [skt, ske] = [later(fixture, -1), later(fixture, 1)];
  const fields: Record<string, string> = { sv: "2020-02-10", sr: "b", sp: "r", se: later(fixture, 1) };
  Object.assign(fields, { skoid: "oid-1", sktid: "tid-1", skt, ske, sks: "b", skv: "2020-02-10" });
  const key = delegationKeyValue(ACCOUNT, {
    objectId: "oid-1",
    tenantId: "tid-1",
    start: parseIsoDate(skt)!,
    expiry: parseIsoDate(ske)!,
    service: "b",
    version: "2020-02-10",
    delegatedTenantId: undefined,
  });
  const names = [
    "sp",
    "st",
    "se",
    "cr",
    "skoid",
    "sktid",
    "skt",
    "ske",
    "sks",
    "skv",
    "saoid",
    "suoid",
    "scid",
  ];
  names.push("sip", "spr", "sv", "sr", "snapshot", "rscc", "rscd", "rsce", "rscl", "rsct");
  const text = names.map((name) => (name === "cr" ? `/blob/${NAME}/vault/granted` : (fields[name] ?? "")));
  const sas = queryOf({ ...fields, sig: hmac(text.join("\n"), key) });
  await ledger.attempt(
    "a delegated key of earlier days",
    fixture.bare("blob", "GET", `/vault/granted?${sas}`),
  );
  const headers = { Authorization: "Bearer a.b.c" };
  await ledger.attempt(
    "a delegated key of earlier days",
    fixture.bare("blob", "GET", `/vault/granted?${sas}`, { headers }),
  );
}
