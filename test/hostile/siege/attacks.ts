import { signed } from "../../../bench/sign.ts";
import { pause } from "../../../src/base/clock.ts";
import { MIB } from "../../../src/base/limits.ts";
import { Crowd, dial, hold, portAt, type Siege, shoot, volley } from "./crowd.ts";
import { TLS_ATTACKS } from "./tls-attacks.ts";

/**
 * What hostile clients do to a server: each attack runs until it is over, and then closes all it has opened.
 */
export interface Attack {
  readonly name: string;
  run(siege: Siege): Promise<void>;
}

const READERS = 200;

const upload = (siege: Siege, name: string, bytes: number): Buffer => {
  const port = siege.ports.blob;
  const body = Buffer.alloc(bytes);
  return signed(
    { method: "PUT", path: `/honest/${name}`, headers: { "x-ms-blob-type": "BlockBlob" }, body },
    port,
  );
};

const SLOW_HEADERS: Attack = {
  name: "slow headers",
  run: (siege) =>
    hold(
      siege,
      (crowd, index) =>
        crowd.open(portAt(siege, index), "GET /devstoreaccount1/honest/b0 HTTP/1.1\r\nHost: a\r\n"),
      (socket) => socket.write("X-a: b\r\n"),
    ),
};

const SLOW_BODIES: Attack = {
  name: "slow bodies",
  run: async (siege) => {
    // As much as may be held in memory for it, and from then on a byte a second.
    const whole = upload(siege, "slow", 4 * MIB);
    const start = whole.subarray(0, whole.length - 4 * MIB + 60_000);
    await hold(
      siege,
      (crowd) => crowd.open(siege.ports.blob, start),
      (socket) => socket.write("x"),
      // Each starts with 60 KB: all at once they would be a flood, and not slow.
      10,
    );
  },
};

const SLOW_READERS: Attack = {
  name: "slow readers",
  run: async (siege) => {
    const { blob } = siege.ports;
    await shoot(siege, { port: blob, bytes: upload(siege, "large", 32 * MIB) }, 30_000);
    const get = signed({ method: "GET", path: "/honest/large" }, blob);
    // Few, and one by one: what fills the buffers of the system at first is a download like any other.
    const crowd = new Crowd(siege);
    try {
      while (!siege.isOver()) {
        if (crowd.size < READERS) crowd.open(blob, get).pause();
        await pause(150);
      }
    } finally {
      crowd.destroy();
    }
  },
};

const SILENCE: Attack = {
  name: "silent connections",
  run: (siege) =>
    hold(siege, (crowd, index) =>
      crowd.open(index % 5 === 4 ? (siege.smbPort ?? siege.ports.blob) : portAt(siege, index)),
    ),
};

const FLOOD: Attack = {
  name: "connection flood",
  run: async (siege) => {
    for (let index = 0; !siege.isOver(); ) {
      for (let burst = 0; burst < 10; burst++) {
        const socket = dial(siege, portAt(siege, index++));
        socket.on("error", () => {});
        socket.on(siege.isSecure ? "secureConnect" : "connect", () => socket.destroy());
      }
      await pause(25);
    }
  },
};

const OVERSIZE: Attack = {
  name: "oversize everything",
  run: (siege) => {
    const { blob, table, queue } = siege.ports;
    const head = (target: string, more: string): string => `PUT ${target} HTTP/1.1\r\nHost: a\r\n${more}\r\n`;
    const long = "x".repeat(MIB);
    const shots = [
      { port: blob, bytes: head(`/devstoreaccount1/${long}`, "") },
      { port: blob, bytes: head("/devstoreaccount1/c/b", `X-long: ${long}\r\n`) },
      { port: blob, bytes: head("/devstoreaccount1/c/b", "X-many: 1\r\n".repeat(5_000)) },
      {
        port: blob,
        bytes: head("/devstoreaccount1/c/b", "Content-Length: 99999999999\r\nExpect: 100-continue\r\n"),
      },
      { port: queue, bytes: head("/devstoreaccount1/q/messages", `Content-Length: ${MIB}\r\n`) + long },
      {
        port: table,
        bytes:
          head("/devstoreaccount1/t", `Transfer-Encoding: chunked\r\n`) + `100000\r\n${long}\r\n`.repeat(8),
      },
      {
        port: blob,
        bytes: signed(
          { method: "PUT", path: "/honest/x", query: { comp: "tags" }, body: Buffer.alloc(4 * MIB, "<") },
          blob,
        ),
      },
      { port: blob, bytes: "\0".repeat(MIB) },
    ];
    const frames = [
      Buffer.alloc(MIB, 0x7f),
      Buffer.concat([Buffer.from([0, 0xff, 0xff, 0xff]), Buffer.alloc(MIB)]),
    ];
    const { smbPort } = siege;
    const overSmb = smbPort === undefined ? [] : frames.map((bytes) => ({ port: smbPort, bytes }));
    return volley(siege, [...shots, ...overSmb], 100);
  },
};

const BOMBS: Attack = {
  name: "XML bombs",
  run: (siege) => {
    const { blob, queue } = siege.ports;
    const list = (body: string): Buffer =>
      signed(
        { method: "PUT", path: "/honest/bomb", query: { comp: "blocklist" }, body: Buffer.from(body) },
        blob,
      );
    const laughs = Array.from(
      { length: 10 },
      (_, level) => `<!ENTITY l${level + 1} "${`&l${level};`.repeat(10)}">`,
    );
    const shots = [
      {
        port: blob,
        bytes: list(`<!DOCTYPE a [<!ENTITY l0 "ha">${laughs.join("")}]><BlockList>&l10;</BlockList>`),
      },
      { port: blob, bytes: list(`<BlockList>${"<a>".repeat(100_000)}`) },
      { port: blob, bytes: list(`<BlockList>${"<Latest>AAAA</Latest>".repeat(120_000)}</BlockList>`) },
      {
        port: blob,
        bytes: list(`<BlockList ${Array.from({ length: 20_000 }, (_, i) => `a${i}="1"`).join(" ")}/>`),
      },
      { port: blob, bytes: list(`<BlockList>${"&#x41;".repeat(200_000)}</BlockList>`) },
      {
        port: queue,
        bytes: signed(
          {
            method: "POST",
            path: "/honest/messages",
            body: Buffer.from(
              `<QueueMessage><MessageText>${"&".repeat(400_000)}</MessageText></QueueMessage>`,
            ),
          },
          queue,
        ),
      },
    ];
    return volley(siege, shots, 100);
  },
};

const BLOCK_LISTS: Attack = {
  name: "lists of 50,000 blocks",
  run: async (siege) => {
    const { blob } = siege.ports;
    const put = (query: Record<string, string>, body: Buffer): Buffer =>
      signed({ method: "PUT", path: "/honest/blocks", query, body }, blob);
    const list = (count: number, kind: string): Buffer =>
      put(
        { comp: "blocklist" },
        Buffer.from(`<BlockList>${`<${kind}>AAAA</${kind}>`.repeat(count)}</BlockList>`),
      );
    const block = put({ comp: "block", blockid: "AAAA" }, Buffer.alloc(1_024));
    await shoot(siege, { port: blob, bytes: block });
    const shots = [list(50_000, "Latest"), list(50_001, "Latest"), list(50_000, "Committed")];
    await volley(
      siege,
      shots.map((bytes) => ({ port: blob, bytes })),
      500,
    );
  },
};

const ABANDONED: Attack = {
  name: "abandoned uploads",
  run: async (siege) => {
    const { blob } = siege.ports;
    const whole = upload(siege, "abandoned", 16 * MIB);
    const half = whole.subarray(0, whole.length - 8 * MIB);
    while (!siege.isOver()) {
      await new Promise<void>((resolve) => {
        const socket = dial(siege, blob);
        socket.on("error", () => {});
        socket.on("close", () => resolve());
        socket.write(half, () => socket.destroy());
      });
      await pause(400);
    }
  },
};

/** Reads that cost far more than they look: a query of thousands of terms over many small records. */
const QUERIES: Attack = {
  name: "costly queries",
  run: async (siege) => {
    const { blob } = siege.ports;
    const rows = Buffer.alloc(2 * MIB, "1,2\n");
    const put = signed(
      { method: "PUT", path: "/honest/rows", headers: { "x-ms-blob-type": "BlockBlob" }, body: rows },
      blob,
    );
    await shoot(siege, { port: blob, bytes: put });
    const query = (text: string): Buffer =>
      signed(
        {
          method: "POST",
          path: "/honest/rows",
          query: { comp: "query" },
          body: Buffer.from(
            `<QueryRequest><QueryType>SQL</QueryType><Expression>${text}</Expression></QueryRequest>`,
          ),
        },
        blob,
      );
    const terms = Array.from({ length: 900 }, () => "_1 = '3'").join(" OR ");
    const shots = [
      query(`SELECT * FROM BlobStorage WHERE ${terms}`),
      query(`SELECT COUNT(*) FROM BlobStorage WHERE _2 LIKE '%${"a%".repeat(1_000)}'`),
    ];
    await volley(
      siege,
      shots.map((bytes) => ({ port: blob, bytes })),
      200,
    );
  },
};

/** Of a server that speaks HTTP. One that speaks HTTPS has to withstand more. */
const ATTACKS: readonly Attack[] = [
  SLOW_HEADERS,
  SLOW_BODIES,
  SLOW_READERS,
  SILENCE,
  FLOOD,
  OVERSIZE,
  BOMBS,
  BLOCK_LISTS,
  ABANDONED,
  QUERIES,
];

export function attacksOn(isSecure: boolean): readonly Attack[] {
  return isSecure ? [...ATTACKS, ...TLS_ATTACKS] : ATTACKS;
}
