import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { signedHeaders, targetOf } from "../../bench/sign.ts";
import { startHoldfast } from "../../src/process/library.ts";
import { NAME } from "../support/auth.ts";
import { type Fixture, openFixture, type Service } from "./fixture.ts";
import { Ledger, type Sent, send } from "./ledger.ts";
import { serviceSas } from "./sas.ts";

/**
 * Copies and writes from URLs make the server read an address that a client names. Nobody may reach through
 * them what only the server reaches, nor read as the server what a SAS gives to other addresses.
 */
interface FromUrl {
  readonly service: Service;
  readonly name: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
}

const PART = { "x-ms-source-range": "bytes=0-511" };
const BLOCK_ID = Buffer.from("one").toString("base64");

/** Every operation that reads a URL. Its targets are there: see `furnish` below. */
const OPERATIONS: readonly FromUrl[] = [
  { service: "blob", name: "Copy Blob", path: "/other/copied" },
  {
    service: "blob",
    name: "Copy Blob From URL",
    path: "/other/copied-now",
    headers: { "x-ms-requires-sync": "true" },
  },
  {
    service: "blob",
    name: "Put Blob From URL",
    path: "/other/put",
    headers: { "x-ms-blob-type": "BlockBlob" },
  },
  {
    service: "blob",
    name: "Put Block From URL",
    path: "/other/block",
    query: { comp: "block", blockid: BLOCK_ID },
  },
  {
    service: "blob",
    name: "Append Block From URL",
    path: "/other/append",
    query: { comp: "appendblock" },
  },
  {
    service: "blob",
    name: "Put Page From URL",
    path: "/other/page",
    query: { comp: "page" },
    headers: { ...PART, "x-ms-range": "bytes=0-511", "x-ms-page-write": "update" },
  },
  { service: "file", name: "Copy File", path: "/share-b/copied" },
  {
    service: "file",
    name: "Put Range From URL",
    path: "/share-b/ranges",
    query: { comp: "range" },
    headers: { ...PART, "x-ms-range": "bytes=0-511", "x-ms-write": "update" },
  },
];

/** Something that answers on loopback and should not have been asked. */
interface Treasure {
  readonly port: number;
  readonly url: string;
  asked(): number;
  readonly headers: IncomingHttpHeaders[];
  close(): void;
}

async function bury(location?: string): Promise<Treasure> {
  const headers: IncomingHttpHeaders[] = [];
  const server = createServer((request, reply) => {
    headers.push(request.headers);
    if (location !== undefined) reply.writeHead(302, { location }).end();
    else if (request.headers.range === undefined) reply.end(Buffer.alloc(512, Ledger.secret));
    else reply.writeHead(206).end(Buffer.alloc(512, Ledger.secret));
  });
  let connections = 0;
  server.on("connection", () => connections++);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}/secret`,
    asked: () => connections,
    headers,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function furnish(fixture: Fixture): Promise<void> {
  const made: [Service, string, Record<string, string>][] = [
    ["blob", "/other/append", { "x-ms-blob-type": "AppendBlob" }],
    ["blob", "/other/page", { "x-ms-blob-type": "PageBlob", "x-ms-blob-content-length": "512" }],
    ["file", "/share-b/ranges", { "x-ms-type": "file", "x-ms-content-length": "512" }],
  ];
  for (const [service, path, headers] of made) {
    const answer = await send(fixture.signed({ service, method: "PUT", path, headers }));
    if (answer.status >= 300) throw new Error(`PUT ${path}: ${answer.status} ${answer.body}`);
  }
}

function sentTo(
  fixture: Fixture,
  { service, path, query = {}, headers = {} }: FromUrl,
  source: string,
  change: { readonly headers?: Record<string, string>; readonly rest?: Partial<Sent> } = {},
): Sent {
  const all = { ...headers, "x-ms-copy-source": source, ...change.headers };
  return { ...fixture.signed({ service, method: "PUT", path, query, headers: all }), ...change.rest };
}

export async function breakInByCopy(ledger: Ledger): Promise<void> {
  await reachInside(ledger, "public");
  await reachInside(ledger, "own");
  await reachInside(ledger, "192.0.2.0/24,2001:db8::/32");
  await reachAdmin(ledger);
  await reachByDetour(ledger);
  await readAsServer(ledger);
}

/** Names as a name server outside might answer for them; the loopback has more spellings than one. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  "loopback.example": ["127.0.0.1"],
  "mapped.example": ["::ffff:127.0.0.1"],
  "mapped-hex.example": ["::ffff:7f00:1"],
  "unspecified.example": ["0.0.0.0"],
  "six.example": ["::1"],
  "private.example": ["10.1.2.3"],
  "metadata.example": ["169.254.169.254"],
  "unique-local.example": ["fd00:ec2::254"],
  "both.example": ["10.1.2.3", "127.0.0.1"],
  "nat64.example": ["64:ff9b::7f00:1"],
  "six-to-four.example": ["2002:7f00:1::1"],
};

const HOSTS = [
  ...[
    "127.0.0.1",
    "localhost",
    "localhost.",
    "sub.localhost",
    "127.1",
    "2130706433",
    "0x7f000001",
    "0177.0.0.1",
  ],
  ...["127.0.0.2", "0.0.0.0", "0", "[::]", "[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]"],
  ...["[0:0:0:0:0:ffff:127.0.0.1]", "[::127.0.0.1]", "[64:ff9b::127.0.0.1]", "[2002:7f00:1::]"],
  ...["10.0.0.1", "172.16.0.1", "192.168.0.1", "100.64.0.1", "169.254.169.254", "[fe80::1]", "[fd00::1]"],
  ...["224.0.0.1", "255.255.255.255", "168.63.129.16", "[::ffff:169.254.169.254]"],
];

/** A server that listens for others must not be a way into its own network. */
async function reachInside(ledger: Ledger, copySources: string): Promise<void> {
  const treasure = await bury();
  const resolveName = async (name: string): Promise<readonly string[]> => NAMES[name] ?? [];
  const fixture = await openFixture(false, { flags: ["--copySources", copySources], resolveName });
  try {
    await furnish(fixture);
    const own = `http://127.0.0.1:${fixture.port("blob")}/${NAME}/vault/granted`;
    await ledger.good("a copy inside the server", sentTo(fixture, OPERATIONS[0]!, own));
    for (const host of [...HOSTS, ...Object.keys(NAMES)]) {
      const source = `http://${host}:${treasure.port}/secret`;
      // One operation meets every spelling, all of them meet the plainest.
      const tried = host === "127.0.0.1" || host === "both.example" ? OPERATIONS : OPERATIONS.slice(2, 3);
      for (const operation of tried) {
        const before = treasure.asked();
        const answer = await send(sentTo(fixture, operation, source));
        const isIn = answer.status < 300 || treasure.asked() > before;
        ledger.count(
          `a copy from inside, --copySources ${copySources}`,
          isIn || answer.code !== "CannotVerifyCopySource",
          `${operation.name} of ${source}: ${answer.status} ${answer.code}`,
        );
      }
    }
  } finally {
    await fixture.close();
    treasure.close();
  }
}

/** Metrics are for the operator, even where any source is allowed. */
async function reachAdmin(ledger: Ledger): Promise<void> {
  const holdfast = await startHoldfast();
  try {
    const admin = Number(new URL(holdfast.adminEndpoint).port);
    const queue = Number(new URL(holdfast.endpoints.queue).port);
    const metrics = await (await fetch(`${holdfast.adminEndpoint}/metrics`)).text();
    if (!metrics.includes("holdfast_requests_total")) throw new Error("there are no metrics to reach");
    const port = Number(new URL(holdfast.endpoints.blob).port);
    const fixture = {
      port,
      isSecure: false,
      server: { clock: { now: () => Date.now() } },
    } as unknown as Fixture;
    const put = (path: string, query: Record<string, string>, headers: Record<string, string>): Sent => {
      const request = { method: "PUT", path, query, headers };
      return { port, method: "PUT", target: targetOf(request), headers: signedHeaders(request) };
    };
    await ledger.good("a container", put("/loot", { restype: "container" }, {}));
    const sas = serviceSas(fixture, "blob", "/loot", { sr: "c", sp: "rcw" });
    for (const target of [admin, queue])
      for (const host of HOSTS.slice(0, 17))
        for (const [name, headers] of [
          ["Copy Blob", {}],
          ["Put Blob From URL", { "x-ms-blob-type": "BlockBlob" }],
        ] as const) {
          const source = `http://${host}:${target}/metrics`;
          const sent = {
            port,
            method: "PUT",
            target: `/${NAME}/loot/metrics?${sas}`,
            headers: { ...headers, "x-ms-version": "2022-11-02", "x-ms-copy-source": source },
          };
          const answer = await send(sent);
          ledger.count(
            "a copy of what the operator alone may see",
            answer.status < 300,
            `${name} of ${source}: ${answer.status} ${answer.code}`,
          );
        }
  } finally {
    await holdfast.close();
  }
}

/** Redirects, and credentials that are not the protocol's. */
async function reachByDetour(ledger: Ledger): Promise<void> {
  const treasure = await bury();
  const signpost = await bury(treasure.url);
  const fixture = await openFixture(false);
  try {
    await furnish(fixture);
    for (const operation of OPERATIONS) {
      const answer = await send(sentTo(fixture, operation, signpost.url));
      ledger.count(
        "a copy that is redirected",
        answer.status < 300 || treasure.asked() > 0,
        `${operation.name}: ${answer.status} ${answer.code}`,
      );
    }
    const [, , put] = OPERATIONS;
    await ledger.good("a copy from elsewhere", sentTo(fixture, put!, treasure.url));
    const token = "x-ms-copy-source-authorization";
    await ledger.good(
      "a copy from elsewhere with a token",
      sentTo(fixture, put!, treasure.url, { headers: { [token]: "Bearer a.b.c" } }),
    );
    const honest = treasure.headers.length;
    const attempts = [
      ...["Basic YWRtaW46YWRtaW4=", "Negotiate x", "AWS4-HMAC-SHA256 x", "Bearer", "token x"].map((value) =>
        sentTo(fixture, put!, treasure.url, { headers: { [token]: value } }),
      ),
      sentTo(fixture, put!, treasure.url.replace("http://", "http://admin:admin@")),
      sentTo(fixture, put!, treasure.url.replace("http://", "http://admin@")),
    ];
    for (const sent of attempts) {
      const answer = await send(sent);
      const isIn = answer.status < 300 || treasure.headers.length > honest;
      ledger.count("credentials for another server", isIn, `${answer.status} ${answer.code}`);
    }
  } finally {
    await fixture.close();
    treasure.close();
    signpost.close();
  }
}

/** A SAS for another address, or for HTTPS alone, used by way of the server itself. */
async function readAsServer(ledger: Ledger): Promise<void> {
  const resolveName = async (): Promise<readonly string[]> => ["127.0.0.1"];
  const fixture = await openFixture(false, { resolveName });
  try {
    await furnish(fixture);
    const sources: [Service, string, Record<string, string>][] = [
      ["blob", "/vault/secret", { sr: "b", sp: "r" }],
      ["file", "/share-a/secret", { sr: "f", sp: "r" }],
    ];
    for (const [service, path, scope] of sources) {
      const sourceAt = (host: string, fields: Record<string, string>, scheme = "http"): string => {
        const sas = serviceSas(fixture, service, path, { ...scope, ...fields });
        return `${scheme}://${host}:${fixture.port(service)}/${NAME}${path}?${sas}`;
      };
      // The client is 127.0.0.2, the server reaches itself from 127.0.0.1.
      const client = { localAddress: "127.0.0.2" };
      for (const operation of OPERATIONS.filter(({ name }) => !/Page|Range/.test(name))) {
        await ledger.good(
          "a SAS for the client's own address",
          sentTo(fixture, operation, sourceAt("127.0.0.1", { sip: "127.0.0.2" }), { rest: client }),
        );
        for (const host of ["127.0.0.1", "localhost", "0.0.0.0", "[::ffff:127.0.0.1]", "known.example"])
          for (const Host of [undefined, "elsewhere.example", "elsewhere.example:1", `127.0.0.1:1`]) {
            const attempts = {
              "a SAS for another address": sourceAt(host, { sip: "127.0.0.1" }),
              "a SAS for HTTPS over HTTP": sourceAt(host, { spr: "https" }),
              "a SAS for HTTPS and an https address": sourceAt(host, { spr: "https" }, "https"),
            };
            for (const [kind, source] of Object.entries(attempts)) {
              const sent = sentTo(fixture, operation, source, { rest: client });
              const headers = Host === undefined ? sent.headers! : { ...sent.headers, Host };
              const answer = await send({ ...sent, headers });
              ledger.count(
                `${kind}, by way of the server`,
                answer.status < 300,
                `${operation.name} of ${source}, Host ${Host}: ${answer.status}`,
              );
            }
          }
      }
    }
  } finally {
    await fixture.close();
  }
}
