import { delegationKeyValue } from "../../src/http/auth/delegation-key.ts";
import { parseIsoDate } from "../../src/http/wire/dates.ts";
import { ACCOUNT, hmac, NAME, queryOf } from "../support/auth.ts";
import type { Fixture, Service } from "./fixture.ts";
import { type Ledger, oneOff, type Sent } from "./ledger.ts";

/** Shared access signatures, made here from the protocol's description. */
type Fields = Readonly<Record<string, string>>;

const RSC = ["rscc", "rscd", "rsce", "rscl", "rsct"];
const PLAIN = ["sp", "st", "se", "cr", "si", "sip", "spr", "sv"];
const SIGNED: Readonly<Record<Service, readonly string[]>> = {
  blob: [...PLAIN, "sr", "snapshot", "ses", ...RSC],
  queue: PLAIN,
  table: [...PLAIN, "spk", "srk", "epk", "erk"],
  file: [...PLAIN, ...RSC],
};
const KEY = ["skoid", "sktid", "skt", "ske", "sks", "skv"];
const DELEGATED = ["sp", "st", "se", "cr", ...KEY];
const ORIGIN = ["sip", "spr", "sv"];
const SIGNED_BY_USER: Readonly<Record<Service, readonly string[]>> = {
  blob: [
    ...DELEGATED,
    "saoid",
    "suoid",
    "scid",
    "skdutid",
    "sduoid",
    ...ORIGIN,
    "sr",
    "snapshot",
    "ses",
    ...RSC,
  ],
  queue: [...DELEGATED, "skdutid", "sduoid", ...ORIGIN],
  table: [...DELEGATED, "skdutid", "sduoid", ...ORIGIN, "spk", "srk", "epk", "erk"],
  file: [...DELEGATED, "skdutid", "sduoid", ...ORIGIN, ...RSC],
};

const day = (offset: number, now: number): string =>
  `${new Date(now + offset * 86_400_000).toISOString().slice(0, 19)}Z`;

function token(signed: readonly string[], own: Fields, fields: Fields, key?: string): string {
  const text = signed.map((name) => own[name] ?? fields[name] ?? "").join("\n");
  return queryOf({ ...fields, sig: hmac(text, key) });
}

/** A service SAS of our own making: for what `cr` names, with these fields. */
export function serviceSas(fixture: Fixture, service: Service, cr: string, fields: Fields): string {
  const now = fixture.server.clock.now();
  const base = { st: day(-1, now), se: day(1, now), sv: "2022-11-02" };
  return token(SIGNED[service], { cr: `/${service}/${NAME}${cr}` }, { ...base, ...fields });
}

export interface Granted {
  readonly name: string;
  readonly service: Service;
  readonly method: string;
  /** Below the account: what the token is for, and what it is not for. */
  readonly path: string;
  readonly others: readonly string[];
  readonly token: string;
  /** Made again with other fields, rightly signed: for tokens that do not fit their use. */
  readonly make: (fields: Fields) => string;
}

const RESOURCES: readonly Omit<Granted, "token" | "make">[] = [
  {
    name: "blob",
    service: "blob",
    method: "GET",
    path: "/vault/granted",
    others: [
      "/vault/secret",
      "/other/granted",
      "/vault/granted/below",
      "/vault?restype=container&comp=list",
      "?comp=list",
    ],
  },
  {
    name: "queue",
    service: "queue",
    method: "GET",
    path: "/queue-a/messages?peekonly=true",
    others: ["/queue-b/messages?peekonly=true", "?comp=list", "/queue-a?comp=acl"],
  },
  {
    name: "table",
    service: "table",
    method: "GET",
    path: "/tablea(PartitionKey='m',RowKey='m')",
    others: [
      "/tableb(PartitionKey='m',RowKey='m')",
      "/tablea(PartitionKey='a',RowKey='a')",
      "/tablea(PartitionKey='z',RowKey='z')",
      "/Tables",
      "/tablea?comp=acl",
    ],
  },
  {
    name: "file",
    service: "file",
    method: "GET",
    path: "/share-a/granted",
    others: ["/share-a/secret", "/share-b/granted", "/share-a?restype=directory&comp=list", "?comp=list"],
  },
];

const SCOPES: Readonly<Record<Service, { readonly cr: string; readonly fields: Fields }>> = {
  blob: { cr: `/blob/${NAME}/vault/granted`, fields: { sr: "b", rscd: "inline" } },
  queue: { cr: `/queue/${NAME}/queue-a`, fields: {} },
  table: { cr: `/table/${NAME}/tablea`, fields: { tn: "tablea", spk: "m", srk: "m", epk: "m", erk: "m" } },
  file: { cr: `/file/${NAME}/share-a/granted`, fields: { sr: "f" } },
};

export function grantedTokens(fixture: Fixture): Granted[] {
  const now = fixture.server.clock.now();
  const spr = fixture.isSecure ? "https" : "https,http";
  const base = { st: day(-1, now), se: day(1, now), sip: "127.0.0.1", spr, sv: "2022-11-02" };
  const granted: Granted[] = [];
  for (const resource of RESOURCES) {
    const { service } = resource;
    const scope = SCOPES[service];
    const asService = (fields: Fields): string =>
      token(SIGNED[service], { cr: scope.cr }, { ...base, sp: "r", ...scope.fields, ...fields });
    const asAccount = (fields: Fields): string => {
      const all: Fields = {
        ...base,
        ss: service[0]!,
        srt: "o",
        sp: "r",
        ...fields,
      };
      const names = ["account", "sp", "ss", "srt", "st", "se", "sip", "spr", "sv", "ses", "end"];
      return token(names, { account: NAME, end: "" }, all);
    };
    const asUser = (fields: Fields): string => {
      const key = {
        skoid: "oid-1",
        sktid: "tid-1",
        skt: day(-1, now),
        ske: day(1, now),
        sks: service[0]!,
        skv: "2025-07-05",
      };
      const all: Fields = { ...base, sv: "2025-07-05", ...key, sp: "r", ...scope.fields, ...fields };
      const value = delegationKeyValue(ACCOUNT, {
        objectId: all.skoid!,
        tenantId: all.sktid!,
        start: parseIsoDate(all.skt!)!,
        expiry: parseIsoDate(all.ske!)!,
        service: all.sks! as never,
        version: all.skv!,
        delegatedTenantId: undefined,
      });
      return token(SIGNED_BY_USER[service], { cr: scope.cr }, all, value);
    };
    const kinds = {
      account: asAccount,
      service: asService,
      ...(fixture.isSecure ? { "user delegation": asUser } : {}),
    };
    for (const [kind, make] of Object.entries(kinds)) {
      // An account SAS reaches everything of its kind; what it must not reach is another kind.
      const others =
        kind === "account"
          ? resource.others.filter((path) => /restype=|comp=list|Tables/.test(path))
          : resource.others;
      granted.push({ ...resource, others, name: `${kind} SAS, ${resource.name}`, token: make({}), make });
    }
  }
  return granted;
}

const join = (path: string, query: string): string => `${path}${path.includes("?") ? "&" : "?"}${query}`;

/** What a query means to a server: decoded, in any order, a table's name in any case. */
function meaningOf(query: string): string | undefined {
  try {
    const pairs = query
      .replace(/(?<=^|&)tn=[^&]*/, (name) => name.toLowerCase())
      .split("&")
      .map((pair) =>
        pair
          .split("=")
          .map((text) => decodeURIComponent(text))
          .join("="),
      );
    return pairs.sort().join("&");
  } catch {
    return undefined;
  }
}

const WRONG_USES: readonly (readonly [what: string, fields: (now: number) => Fields])[] = [
  ["expired", (now) => ({ se: day(-0.5, now) })],
  ["not yet valid", (now) => ({ st: day(0.5, now) })],
  ["of another address", () => ({ sip: "10.0.0.1" })],
  ["of another range of addresses", () => ({ sip: "127.0.0.2-127.0.0.255" })],
  ["without the permission", () => ({ sp: "l" })],
  ["without any permission", () => ({ sp: "" })],
  ["with a date that is none", () => ({ se: "tomorrow" })],
  ["with a version that is none", () => ({ sv: "9999" })],
  ["naming a policy that does not exist", () => ({ si: "nobody" })],
];

export async function breakInBySas(fixture: Fixture, ledger: Ledger): Promise<void> {
  for (const granted of grantedTokens(fixture)) {
    const { name, service, method, path, others, make } = granted;
    const use = (query: string, change: Partial<Sent> = {}): Sent =>
      fixture.bare(service, method, join(path, query), change);
    await ledger.good(name, use(granted.token));

    const same = meaningOf(granted.token);
    const changed = [...oneOff(granted.token)].filter((query) => meaningOf(query) !== same);
    await ledger.tryAll(
      `${name}, one byte changed`,
      changed.map((query) => use(query)),
    );

    const pairs = granted.token.split("&");
    const dropped = pairs.map((_, index) => pairs.filter((__, other) => other !== index).join("&"));
    const doubled = pairs.map((pair) => `${granted.token}&${pair.slice(0, pair.indexOf("="))}=x`);
    await ledger.tryAll(
      `${name}, a field left out`,
      dropped.filter((query) => meaningOf(query) !== same).map((query) => use(query)),
    );
    const first = pairs.map((pair) => `${pair.slice(0, pair.indexOf("="))}=x&${granted.token}`);
    await ledger.tryAll(
      `${name}, a field put in front`,
      first.map((query) => use(query)),
    );
    // Also with the value it has: a proof that comes twice proves nothing.
    await ledger.tryAll(
      `${name}, a field twice`,
      [...doubled, ...pairs.map((pair) => `${granted.token}&${pair}`)].map((query) => use(query)),
    );

    await ledger.tryAll(
      `${name}, for something else`,
      others.map((other) => fixture.bare(service, "GET", join(other, granted.token))),
    );
    const methods = ["PUT", "DELETE", "POST", "MERGE", "PATCH"].filter((other) => other !== method);
    const writes = methods.map((other) =>
      use(granted.token, { method: other, headers: { "x-ms-blob-type": "BlockBlob", "If-Match": "*" } }),
    );
    await ledger.tryAll(`${name}, for another method`, writes);

    const now = fixture.server.clock.now();
    // An account SAS knows no policies: a name of one says nothing in it.
    const uses = WRONG_USES.filter(([what]) => !name.startsWith("account") || !what.includes("policy"));
    for (const [what, fields] of uses) await ledger.attempt(`${name}, ${what}`, use(make(fields(now))));
    if (!fixture.isSecure) await ledger.attempt(`${name}, for HTTPS over HTTP`, use(make({ spr: "https" })));
    if (name.startsWith("account")) {
      await ledger.attempt(`${name}, of another service`, use(make({ ss: service === "blob" ? "q" : "b" })));
      await ledger.attempt(`${name}, of another kind of resource`, use(make({ srt: "s" })));
    }
    if (name.startsWith("user")) {
      await ledger.attempt(
        `${name}, with a key of another user`,
        use(granted.token.replace("skoid=oid-1", "skoid=oid-2")),
      );
      await ledger.attempt(`${name}, with a key that ended`, use(make({ ske: day(-0.5, now) })));
      await ledger.attempt(
        `${name}, with a key of another service`,
        use(make({ sks: service === "blob" ? "q" : "b" })),
      );
    }
    for (const other of ["blob", "queue", "table", "file"] as const) {
      if (other === service) continue;
      const target = `/${fixture.server.account}${join(path, granted.token)}`;
      await ledger.attempt(`${name}, at another service`, {
        ...use(granted.token),
        port: fixture.port(other),
        target,
      });
    }
    // The clock goes on: what was good is good no more.
    fixture.server.clock.advance(2 * 86_400_000);
    await ledger.attempt(`${name}, after its end`, use(granted.token));
    fixture.server.clock.advance(-2 * 86_400_000);
  }
}
