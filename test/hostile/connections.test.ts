import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite, type TestContext, test } from "node:test";
import { connect as connectSecure } from "node:tls";
import { signedHeaders, targetOf } from "../../bench/sign.ts";
import { monotonic, pause, type Timers } from "../../src/base/clock.ts";
import { ConnectionLimit, type ConnectionLimitOptions } from "../../src/base/connection-limit.ts";
import { LIMITS } from "../../src/base/limits.ts";
import { ClientGone } from "../../src/http/connection/incoming-body.ts";
import { type Handler, type Listener, type ListenOptions, listen } from "../../src/http/listener.ts";
import { connectionsFor } from "../../src/process/descriptors.ts";
import { certificateFile, HTTPS_FLAGS } from "../kit/certificates.ts";
import { type Program, startProgram } from "../kit/program.ts";
import { send } from "../kit/send.ts";

/** Connections that only mean to be there: the listener's own sweeps are made here, by hand. */
interface Held {
  readonly listener: Listener;
  sweep(times: number): Promise<void>;
}

async function holding(
  handler: Handler,
  connectionsMax: number = LIMITS.connectionsMax,
  more: Partial<ListenOptions> = {},
): Promise<Held> {
  let sweep: () => void = () => {};
  const timers: Timers = {
    after: () => ({ cancel() {} }),
    every: (_, run) => {
      sweep = run;
      return { cancel() {} };
    },
  };
  const listener = await listen({ host: "127.0.0.1", port: 0, handler, timers, connectionsMax, ...more });
  return {
    listener,
    sweep: async (times) => {
      for (let i = 0; i < times; i++) sweep();
      await settled();
    },
  };
}

const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 30));

/** Far longer than it takes: a test that fails should say where. */
async function until(isSo: () => boolean): Promise<void> {
  const began = monotonic();
  for (; !isSo(); await pause(10)) if (monotonic() - began > 30_000) throw new Error(`not yet: ${isSo}`);
}

class Client {
  readonly socket: Socket;
  isClosed = false;
  received = "";

  constructor(port: number) {
    this.socket = connect(port, "127.0.0.1");
    this.socket.on("error", () => {});
    this.socket.on("data", (chunk) => {
      this.received += chunk.toString("latin1");
    });
    this.socket.on("close", () => {
      this.isClosed = true;
    });
  }
}

const answer: Handler = async (_, connection) => {
  connection.sendWhole("HTTP/1.1 204 No Content\r\n\r\n", true);
};
const REQUEST = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

test("of too many connections the oldest that never asked for anything gives way, then the new ones do", async () => {
  const { listener } = await holding(answer, 3);
  const open = async (): Promise<Client> => {
    const client = new Client(listener.port);
    await settled();
    return client;
  };
  const [asking, silent, other] = [await open(), await open(), await open()];
  asking.socket.write(REQUEST);
  await settled();
  const fourth = await open();
  assert.deepEqual(
    [asking, silent, other, fourth].map(({ isClosed }) => isClosed),
    [false, true, false, false],
  );
  for (const client of [other, fourth]) client.socket.write(REQUEST);
  await settled();
  const fifth = await open();
  assert.equal(fifth.isClosed, true);
  asking.socket.write(REQUEST);
  await settled();
  assert.equal(asking.received.split("204").length, 3, "who has asked before is still served");
  for (const client of [asking, other, fourth]) client.socket.destroy();
  await listener.close();
});

test("a body that brings a few bytes now and then is ended, one that moves is not", async () => {
  const read: Handler = async (incoming, connection) => {
    try {
      while ((await incoming.body.next()) !== undefined);
    } catch (error) {
      if (error instanceof ClientGone) return;
      throw error;
    }
    connection.sendWhole("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", true);
  };
  const { listener, sweep } = await holding(read);
  const start = "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n";
  const [slow, moving] = [new Client(listener.port), new Client(listener.port)];
  for (const client of [slow, moving]) client.socket.write(start);
  await settled();
  const window = LIMITS.slowBodyMillis / LIMITS.connectionSweepMillis;
  for (let turn = 0; turn < 4; turn++) {
    slow.socket.write("x");
    moving.socket.write(Buffer.alloc(LIMITS.slowBodyBytesMin));
    await settled();
    await sweep(window / 2 - 1);
  }
  assert.equal(slow.isClosed, true);
  assert.equal(moving.isClosed, false);
  moving.socket.destroy();
  await settled();
  await listener.close();
});

test("a client that has closed its half and does not take its reply is not waited for as long as others", async () => {
  const download: Handler = async (_, connection) => {
    const chunk = Buffer.alloc(LIMITS.chunkBytes);
    connection.write("HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n");
    while (!connection.isGone) await connection.write(chunk);
  };
  const { listener, sweep } = await holding(download);
  const [gone, slow] = [0, 0].map(() =>
    connect({ port: listener.port, host: "127.0.0.1", allowHalfOpen: true }),
  );
  for (const socket of [gone!, slow!]) {
    socket.on("error", () => {});
    socket.pause();
    socket.write(REQUEST);
  }
  gone!.end();
  await until(() => listener.connections() === 2);
  await settled();
  await sweep(LIMITS.halfClosedIdleMillis / LIMITS.connectionSweepMillis + 2);
  assert.equal(listener.connections(), 1, "the half-closed one has ended, the slow one has not");
  for (const socket of [gone!, slow!]) socket.destroy();
  await listener.close();
});

const CERTIFICATE = {
  cert: readFileSync(certificateFile("cert.pem")),
  key: readFileSync(certificateFile("key.pem")),
};

/** The beginning of a ClientHello: 512 bytes are announced and never come. */
const HALF_A_HELLO = Buffer.from("1603010200010001fc0303", "hex");

/** A connection that has done its TLS handshake. */
async function secured(port: number): Promise<{ readonly socket: Socket; readonly received: () => string }> {
  const socket = connectSecure({ port, host: "127.0.0.1", rejectUnauthorized: false });
  let received = "";
  socket.on("data", (chunk: Buffer) => {
    received += chunk.toString("latin1");
  });
  await new Promise<void>((resolve, reject) => {
    socket.once("secureConnect", resolve);
    socket.once("error", reject);
  });
  socket.on("error", () => {});
  return { socket, received: () => received };
}

suite("an HTTPS port", () => {
  const secure = { certificate: CERTIFICATE };
  const HANDSHAKE_SWEEPS = LIMITS.handshakeMillis / LIMITS.connectionSweepMillis + 2;

  test("counts a connection from its start, and closes it when its handshake is not done in time", async () => {
    const { listener, sweep } = await holding(answer, LIMITS.connectionsMax, secure);
    const [silent, dribbling] = [new Client(listener.port), new Client(listener.port)];
    dribbling.socket.write(HALF_A_HELLO);
    await until(() => listener.connections() === 2);
    for (let half = 0; half < 2; half++) {
      // Each byte would start the patience of node:tls anew.
      dribbling.socket.write("x");
      await settled();
      assert.equal(listener.connections(), 2);
      await sweep(HANDSHAKE_SWEEPS / 2);
    }
    await settled();
    assert.deepEqual([silent.isClosed, dribbling.isClosed], [true, true]);
    assert.equal(listener.connections(), 0);
    await listener.close();
  });

  test("keeps nothing of clients that leave within their handshake, in whatever way", async () => {
    const { listener } = await holding(answer, LIMITS.connectionsMax, secure);
    const ways: readonly ((socket: Socket) => void)[] = [
      (socket) => socket.end(),
      (socket) => socket.end(HALF_A_HELLO),
      (socket) => socket.end(Buffer.from("1503010002022800", "hex")),
      (socket) => socket.write(HALF_A_HELLO, () => socket.resetAndDestroy()),
      (socket) => socket.end("\x00 is neither TLS nor HTTP"),
    ];
    const sockets = ways.map((leave) => {
      const socket = connect({ port: listener.port, host: "127.0.0.1", allowHalfOpen: true });
      socket.on("error", () => {});
      socket.on("connect", () => leave(socket));
      return socket;
    });
    // Half closed and still here: it is the server that has to end it.
    await Promise.all(
      sockets.map((socket) => new Promise((closed) => socket.resume().once("close", closed))),
    );
    await until(() => listener.connections() === 0);
    const { socket, received } = await secured(listener.port);
    socket.write(REQUEST);
    await until(() => received().includes("204"));
    socket.destroy();
    await listener.close();
  });

  test("lets silent connections give way before their handshake", async () => {
    const { listener } = await holding(answer, 3, secure);
    const silent: Client[] = [];
    for (let count = 0; count < 3; count++) {
      silent.push(new Client(listener.port));
      await until(() => listener.connections() > count);
    }
    const honest = await secured(listener.port);
    honest.socket.write(REQUEST);
    await until(() => honest.received().includes("204"));
    assert.deepEqual(
      silent.map(({ isClosed }) => isClosed),
      [true, false, false],
    );
    assert.equal(listener.connections(), 3);
    for (const { socket } of [...silent, honest]) socket.destroy();
    await listener.close();
  });

  test("tells a client that sends plain HTTP so, in plain HTTP, and closes", async () => {
    const { listener } = await holding(answer, LIMITS.connectionsMax, secure);
    for (const method of ["GET", "PUT", "DELETE", "MERGE", "HEAD"]) {
      const client = new Client(listener.port);
      client.socket.write(`${method} /a/b HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nabcde`);
      await until(() => client.isClosed);
      const [head, body] = client.received.split("\r\n\r\n");
      assert.match(head!, /^HTTP\/1\.1 400 Bad Request\r\nx-ms-error-code: AccountRequiresHttps\r\n/);
      assert.match(head!, /\r\nConnection: close$/);
      if (method === "HEAD") assert.equal(body, "");
      else assert.match(body!, /<Code>AccountRequiresHttps<\/Code><Message>[^<]*https:\/\//);
    }
    await until(() => listener.connections() === 0);
    await listener.close();
  });
});

test("a client that speaks TLS to a plain HTTP port is refused at once", async () => {
  const { listener } = await holding(answer);
  const socket = connectSecure({ port: listener.port, host: "127.0.0.1", rejectUnauthorized: false });
  const error = await new Promise<NodeJS.ErrnoException>((resolve) => socket.once("error", resolve));
  assert.match(error.code!, /^ERR_SSL_/);
  const client = new Client(listener.port);
  client.socket.write(HALF_A_HELLO);
  await until(() => client.received.includes("\r\n\r\n"));
  assert.match(client.received, /^HTTP\/1\.1 400 /);
  client.socket.destroy();
  await listener.close();
});

suite("the connections of all listeners together", () => {
  test("are limited: the oldest silent one gives way, whichever listener has it", async () => {
    const all = new ConnectionLimit({ max: 3 });
    const within = (max: number): ConnectionLimitOptions => ({ max, parent: all });
    const one = await holding(answer, 0, { limit: new ConnectionLimit(within(10)) });
    const other = await holding(answer, 0, { limit: new ConnectionLimit(within(10)) });
    const open = async ({ listener }: Held): Promise<Client> => {
      const client = new Client(listener.port);
      await settled();
      return client;
    };
    const asking = await open(one);
    asking.socket.write(REQUEST);
    await settled();
    const [silent, younger] = [await open(one), await open(one)];
    const new1 = await open(other);
    assert.deepEqual(
      [asking, silent, younger, new1].map(({ isClosed }) => isClosed),
      [false, true, false, false],
    );
    assert.deepEqual([one.listener.connections(), other.listener.connections()], [2, 1]);
    for (const client of [younger, new1]) client.socket.write(REQUEST);
    await settled();
    assert.equal((await open(other)).isClosed, true);
    asking.socket.destroy();
    await settled();
    const last = await open(other);
    last.socket.write(REQUEST);
    await settled();
    assert.match(last.received, /204/, "a place that becomes free is used again");
    for (const client of [younger, new1, last]) client.socket.destroy();
    await one.listener.close();
    await other.listener.close();
  });

  test("leave descriptors for the admin listener and for files", { timeout: 120_000 }, async (t) => {
    const descriptors = 300;
    const wrapper = ["sh", "-c", `ulimit -n ${descriptors} && exec "$@"`, "sh"];
    const program = await startProgram([...HTTPS_FLAGS, "--inMemory"], {}, wrapper);
    t.after(() => program.stop("SIGKILL"));
    const { blob, queue, smb } = program.ports;
    const sockets = Array.from({ length: descriptors + 100 }, (_, index) => {
      const socket = connect([blob, queue, smb][index % 3]!, "127.0.0.1");
      socket.on("error", () => {});
      return socket.resume();
    });
    t.after(() => {
      for (const socket of sockets) socket.destroy();
    });
    const turnedAway = sockets.length - connectionsFor(descriptors);
    await until(() => sockets.filter(({ destroyed }) => destroyed).length >= turnedAway);
    const get = async (path: string): Promise<string> => {
      const reply = await fetch(`http://127.0.0.1:${program.ports.admin}${path}`, {
        signal: AbortSignal.timeout(30_000),
      });
      assert.equal(reply.status, 200);
      return reply.text();
    };
    assert.match(await get("/healthz"), /alive/);
    const metrics = await get("/metrics");
    const evicted = Number(/^holdfast_connections_evicted_total (\d+)$/m.exec(metrics)![1]);
    assert.ok(evicted >= turnedAway, `${evicted}`);
    assert.match(metrics, /^holdfast_connections_refused_total\{service="smb"\} 0$/m);
    assert.ok(sumOf(metrics, "holdfast_connections_open") <= connectionsFor(descriptors), metrics);
    // An honest client is served.
    const honest = await secured(blob);
    honest.socket.write("GET /devstoreaccount1?comp=list HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await until(() => honest.received().startsWith("HTTP/1.1 "));
    honest.socket.destroy();
    const lines = program.stderr().match(/too many connections/g)!;
    assert.ok(lines.length >= 1 && lines.length < 20, program.stderr());
  });
});

function scratch(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), "holdfast-connections-"));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

function sumOf(metrics: string, name: string): number {
  const values = [...metrics.matchAll(new RegExp(`^${name}\\{[^}]*\\} (\\d+)$`, "gm"))];
  assert.ok(values.length > 0, name);
  return values.reduce((sum, [, value]) => sum + Number(value), 0);
}

suite("a server that is told to stop", () => {
  /** Its exit code; "killed" when it had to be ended. */
  async function ended(program: Program): Promise<number | null | "killed"> {
    let isKilled = false;
    const patience = setTimeout(() => {
      isKilled = true;
      program.child.kill("SIGKILL");
    }, 2 * LIMITS.shutdownMillis);
    const code = await program.stop();
    clearTimeout(patience);
    return isKilled ? "killed" : code;
  }

  test("does not wait for handshakes that will never be done", async (t) => {
    for (const workers of ["1", "2"]) {
      const location = workers === "1" ? ["--inMemory"] : ["--location", scratch(t), "--workers", workers];
      const program = await startProgram([...HTTPS_FLAGS, ...location]);
      const sockets = [undefined, HALF_A_HELLO, Buffer.alloc(0)].map((first) => {
        const socket = connect({ port: program.ports.blob, host: "127.0.0.1", allowHalfOpen: true });
        socket.on("error", () => {});
        if (first !== undefined) socket.end(first);
        return socket;
      });
      await pause(200);
      assert.equal(await ended(program), 0);
      for (const socket of sockets) socket.destroy();
    }
  });

  test("ends requests that do not finish in the time it was given, and says so", async () => {
    const program = await startProgram([...HTTPS_FLAGS, "--inMemory", "--shutdownSeconds", "1"]);
    const path = "/stays/blob";
    assert.equal(
      (
        await send(program, {
          service: "blob",
          path: "/stays",
          query: { restype: "container" },
          method: "PUT",
        })
      ).status,
      201,
    );
    const half = await secured(program.ports.blob);
    const upload = {
      method: "PUT",
      path,
      headers: { "x-ms-blob-type": "BlockBlob" },
      body: Buffer.alloc(1_000_000),
    };
    const headers = { ...signedHeaders(upload), "Content-Length": String(upload.body.length) };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    half.socket.write(`PUT ${targetOf(upload)} HTTP/1.1\r\nHost: a\r\n${lines.join("")}\r\n`);
    half.socket.write(upload.body.subarray(1_000));
    await pause(300);
    assert.equal(await ended(program), 0);
    assert.match(program.stderr(), /"service":"blob","connections":1,"shutdownMillis":1000,/);
    half.socket.destroy();
  });

  test("ends although its access log cannot be written", { skip: process.platform === "win32" }, async () => {
    const program = await startProgram(["--inMemory", "--accessLog", "-", "--shutdownSeconds", "0"]);
    // The pipe fills up, and a thread of the server hangs in writing to it.
    program.child.stdout!.pause();
    const name = "n".repeat(12_000);
    for (let count = 0; count < 150; count++)
      await send(program, { service: "blob", path: `/${name}`, method: "GET", isAnonymous: true });
    await pause(2 * LIMITS.accessLogFlushMillis);
    const code = await ended(program);
    assert.equal(code, null, "it ended itself by a signal");
    assert.match(program.stderr(), /not closed after \d+ s: the access log"/);
  });
});
