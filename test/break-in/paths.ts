import { tokenOf } from "../support/tokens.ts";
import type { Fixture } from "./fixture.ts";
import { type Ledger, type Sent, send } from "./ledger.ts";
import { grantedTokens } from "./sas.ts";

/** Ways to spell an address so that who checks it and who serves it might not mean the same thing. */
const BLOB_SPELLINGS = [
  "/vault/granted/../secret",
  "/vault/granted/%2e%2e/secret",
  "/vault/granted/%2E%2E%2Fsecret",
  "/vault/granted/..%2fsecret",
  "/vault/granted%2f..%2fsecret",
  "/vault/granted/%252e%252e/secret",
  "/vault/granted/..;/secret",
  "/vault/granted/..\\secret",
  "/vault/granted/%5c..%5csecret",
  "/vault/./secret",
  "/vault//secret",
  "//vault/secret",
  "/vault/secret%00",
  "/vault/granted%00/../secret",
  "/vault/secret%00granted",
  "/VAULT/granted",
  "/vault/GRANTED",
  "/Vault/secret",
  "/vault/secret?/vault/granted",
  "/vault/secret#/vault/granted",
  "/vault/secret%3F/vault/granted",
  "/vault/secret%23",
  "/vault/secret;/granted",
  "/vault/secret%20",
  "/vault/secret.",
  "/vault/secret%2F",
  "/vault/secret/",
  "/vault%2Fsecret",
  "/vault%2fgranted%2f..%2fsecret",
  "/vault/%73ecret",
  "/vault/%2573ecret",
  "/vault/secr%C4%97t",
  "/vault/secre%EF%BD%94",
  "/other/../vault/secret",
  "/other/%2e%2e/vault/secret",
  "/vault/granted/below",
  "/vault/granted?snapshot=../secret",
  "/vault/granted%0d%0aHost:%20x",
  "/$root/secret",
  "/%24root/secret",
  "/vault/granted\u0000",
  "/vault/secret\t",
  "/vault/secr\u00e9t",
];

const FILE_SPELLINGS = [
  "/share-a/granted/../secret",
  "/share-a/granted/%2e%2e/secret",
  "/share-a/%2e%2e/share-a/secret",
  "/share-a/./secret",
  "/share-a//secret",
  "/share-a/secret%00",
  "/share-a/SECRET",
  "/SHARE-A/secret",
  "/share-a/secret.",
  "/share-a/secret...",
  "/share-a/secret%20",
  "/share-a/secret::$DATA",
  "/share-a/%5csecret",
  "/share-a\\secret",
  "/share-a%2fsecret",
  "/share-a/secret/",
  "/share-a/%73ecret",
  "/share-a/%252e%252e/secret",
];

const TABLE_SPELLINGS = [
  "/tablea(PartitionKey='a',RowKey='a')",
  "/TABLEA(PartitionKey='a',RowKey='a')",
  "/tablea(PartitionKey='m',RowKey='m')/../tablea(PartitionKey='a',RowKey='a')",
  "/tablea(RowKey='a',PartitionKey='a')",
  "/tablea(PartitionKey='%61',RowKey='%61')",
  "/tableb()",
  "/tablea()/../tableb()",
  "/tablea%28PartitionKey='z',RowKey='z'%29",
  "/Tables('tablea')",
  "/$batch",
];

export async function breakInByPath(fixture: Fixture, ledger: Ledger): Promise<void> {
  const spellings = { blob: BLOB_SPELLINGS, file: FILE_SPELLINGS, table: TABLE_SPELLINGS };
  for (const granted of grantedTokens(fixture).filter(({ name }) => name.startsWith("service"))) {
    const { service, name, token } = granted;
    const list = service === "queue" ? [] : spellings[service];
    const join = (path: string): string => `${path}${path.includes("?") ? "&" : "?"}${token}`;
    await ledger.good(name, fixture.bare(service, "GET", join(granted.path)));
    await ledger.tryAll(
      `${name}, an odd path`,
      list.map((path) => fixture.bare(service, "GET", join(path))),
    );
    // The absolute form, and hosts that name another account or the website.
    const target = `/${fixture.server.account}${join(service === "file" ? "/share-a/secret" : "/vault/secret")}`;
    const base = { port: fixture.port(service), isSecure: fixture.isSecure, method: "GET" };
    const forms: Sent[] = [
      { ...base, target: `http://127.0.0.1${target}` },
      { ...base, target: `http://devstoreaccount1.${service}.localhost${target}` },
      { ...base, target, headers: { Host: `devstoreaccount1.${service}.localhost` } },
      { ...base, target, headers: { Host: "devstoreaccount1.web.localhost" } },
      {
        ...base,
        target,
        headers: { "X-Original-URL": join(granted.path), "X-Rewrite-URL": join(granted.path) },
      },
      {
        ...base,
        target,
        headers: { "X-Forwarded-For": "127.0.0.1", Forwarded: "for=127.0.0.1" },
      },
    ];
    if (service === "blob" || service === "file")
      await ledger.tryAll(`${name}, another form of address`, forms);
  }
  await breakInWithoutName(fixture, ledger);
  await breakInByOverride(fixture, ledger);
}

/** Nobody in particular: no header, empty ones, tokens that nobody signed. */
async function breakInWithoutName(fixture: Fixture, ledger: Ledger): Promise<void> {
  const places = [
    ["blob", "/vault/secret"],
    ["blob", "/vault?restype=container&comp=list"],
    ["blob", "?comp=list"],
    ["blob", "?restype=service&comp=properties"],
    ["queue", "/queue-a/messages?peekonly=true"],
    ["queue", "?comp=list"],
    ["table", "/tablea()"],
    ["table", "/Tables"],
    ["file", "/share-a/secret"],
    ["file", "?comp=list"],
  ] as const;
  const seconds = Math.floor(fixture.server.clock.now() / 1_000);
  const times = { nbf: seconds - 60, exp: seconds + 3_600 };
  const bearer = (token: string): Record<string, string> => ({
    Authorization: `Bearer ${token}`,
    "x-ms-version": "2022-11-02",
  });
  const good = tokenOf(times);
  const [head, claims, signature] = good.split(".");
  const none = (alg: unknown): string => tokenOf(times, { alg, typ: "JWT" });
  const tokens = [none("none"), none("None"), none("NONE"), none(""), none(null), none(0), none(["RS256"])];
  tokens.push(
    `${head}.${claims}.`,
    `${head}.${claims}`,
    `${claims}.${head}.${signature}`,
    "a.b.c",
    "",
    "null",
    `.${claims}.${signature}`,
  );
  tokens.push(
    tokenOf({ ...times, exp: seconds - 1 }),
    tokenOf({ ...times, exp: "9999999999" }),
    tokenOf({ ...times, nbf: seconds + 600 }),
  );
  tokens.push(
    tokenOf({ ...times, aud: "https://graph.microsoft.com" }),
    tokenOf({ ...times, iss: "https://evil.example/" }),
  );
  tokens.push(
    tokenOf({ ...times, aud: "https://devstoreaccount2.blob.core.windows.net" }),
    tokenOf({ ...times, aud: ["https://storage.azure.com"] }),
  );
  for (const [service, path] of places) {
    const anonymous: Sent[] = [
      fixture.bare(service, "GET", path),
      fixture.bare(service, "GET", path, { headers: { Authorization: "" } }),
      fixture.bare(service, "GET", path, { headers: { Authorization: "Anonymous" } }),
      fixture.bare(service, "GET", path, { headers: { Authorization: "Basic YWRtaW46YWRtaW4=" } }),
      fixture.bare(service, "GET", `${path}${path.includes("?") ? "&" : "?"}sig=`),
      fixture.bare(
        service,
        "GET",
        `${path}${path.includes("?") ? "&" : "?"}sv=2022-11-02&sr=b&sp=r&se=2099-01-01&sig=`,
      ),
    ];
    await ledger.tryAll(`nobody, ${service}`, anonymous);
    if (fixture.isSecure && service === "blob") {
      // Under `--oauth basic` a well-made token is taken; the spoiled ones beside it are not.
      await ledger.good("bearer token", fixture.bare(service, "GET", path, { headers: bearer(good) }));
      await ledger.tryAll(
        `bearer, ${service}`,
        tokens.map((token) => fixture.bare(service, "GET", path, { headers: bearer(token) })),
      );
    }
    if (!fixture.isSecure)
      await ledger.attempt(
        `bearer where none are taken, ${service}`,
        fixture.bare(service, "GET", path, { headers: bearer(good) }),
      );
  }
}

/** A right to read, and a header or a batch that would turn it into a right to write. */
async function breakInByOverride(fixture: Fixture, ledger: Ledger): Promise<void> {
  for (const { name, service, path, token } of grantedTokens(fixture).filter((one) =>
    one.name.startsWith("service"),
  )) {
    const target = `${path}${path.includes("?") ? "&" : "?"}${token}`;
    for (const header of ["X-HTTP-Method", "X-HTTP-Method-Override", "X-Method-Override"])
      for (const wanted of ["DELETE", "PUT", "MERGE"]) {
        const sent = fixture.bare(service, "POST", target, {
          headers: { [header]: wanted, "If-Match": "*" },
        });
        await ledger.attempt(`${name}, ${header}`, sent);
      }
  }
  // A batch proves nobody but its sender: each part needs a proof of its own.
  const part = (line: string): string =>
    `--b\r\nContent-Type: application/http\r\nContent-ID: 0\r\n\r\n${line} HTTP/1.1\r\nx-ms-version: 2022-11-02\r\n\r\n\r\n--b--\r\n`;
  const account = fixture.server.account;
  const reader = grantedTokens(fixture).find(({ name }) => name === "service SAS, blob")!;
  const parts = [
    `DELETE /${account}/vault/secret`,
    `DELETE /${account}/vault/secret?${reader.token}`,
    `PUT /${account}/vault/secret?comp=tier`,
  ];
  for (const line of parts) {
    const body = part(line);
    const headers = { "Content-Type": "multipart/mixed; boundary=b" };
    const batch = fixture.signed({
      service: "blob",
      method: "POST",
      path: "/",
      query: { comp: "batch" },
      headers,
      body: Buffer.from(body),
    });
    const answer = await send(batch);
    const inner = Number(/^HTTP\/1\.1 (\d+)/m.exec(answer.body)?.[1] ?? 400);
    ledger.count(
      "a part of a batch without a proof",
      answer.status < 300 && inner < 400,
      `${line}: ${inner}`,
    );
  }
  // A copy reads its source as whoever the address of the source proves.
  const body = "";
  const source = `http://127.0.0.1:${fixture.port("blob")}/${account}/vault/secret`;
  const writer = fixture.signed({
    service: "blob",
    method: "PUT",
    path: "/other/stolen",
    headers: { "x-ms-copy-source": `${source}?sig=x&sv=2022-11-02&sr=b&sp=r&se=2099-01-01` },
  });
  const copied = await send({ ...writer, body });
  ledger.count(
    "a copy with a forged proof for its source",
    copied.status < 300,
    `${copied.status} ${copied.code}`,
  );
}
