import assert from "node:assert/strict";
import { connect, type Socket } from "node:net";
import { after, before, beforeEach, suite, test } from "node:test";
import type { Timers } from "../../base/clock.ts";
import { LIMITS } from "../../base/limits.ts";
import { type Listener, listen } from "../listener.ts";
import { type Outgoing, ReplyWriter } from "../reply-writer.ts";
import type { Connection, Incoming } from "./connection.ts";

/** Sweeps when the test says so. */
class HandTimers implements Timers {
  #sweep = (): void => {};
  after(): { cancel(): void } {
    return { cancel: () => {} };
  }
  every(_: number, run: () => void): { cancel(): void } {
    this.#sweep = run;
    return { cancel: () => {} };
  }
  pass(millis: number): void {
    for (
      let passed = 0;
      passed <= millis + LIMITS.connectionSweepMillis;
      passed += LIMITS.connectionSweepMillis
    )
      this.#sweep();
  }
}

const outgoing = (body: string | Buffer | AsyncIterable<Buffer>, isHead = false): Outgoing => ({
  reply: { status: 200, headers: {}, body },
  isHead,
  isOld: false,
  requestId: undefined,
  version: undefined,
  clientRequestId: undefined,
});

suite("a connection", () => {
  const timers = new HandTimers();
  const writer = new ReplyWriter();
  let listener: Listener;
  let seen: string[] = [];
  let behave: (incoming: Incoming, connection: Connection) => Promise<void>;

  const reply = (connection: Connection, { body, isHead = false }: { body: string; isHead?: boolean }) =>
    new Promise<void>((resolve) => writer.send(connection, outgoing(body, isHead), () => resolve()));

  /** Reads the body and answers with the target and what came. */
  const echo = async ({ head, body }: Incoming, connection: Connection): Promise<void> => {
    const chunks: Buffer[] = [];
    if (head.expectsContinue) connection.sendContinue();
    for (let chunk = await body.next(); chunk !== undefined; chunk = await body.next()) chunks.push(chunk);
    seen.push(head.url);
    await reply(connection, {
      body: `${head.url} ${Buffer.concat(chunks)}|`,
      isHead: head.method === "HEAD",
    });
  };

  before(async () => {
    listener = await listen({
      host: "127.0.0.1",
      port: 0,
      timers,
      handler: (incoming, connection) => behave(incoming, connection).catch(() => connection.destroy()),
    });
  });
  after(() => listener.close());
  beforeEach(() => {
    seen = [];
    behave = echo;
  });

  /** Sends parts, each in a packet of its own, and gives all that came back until the server closed. */
  async function talk(parts: readonly (string | Buffer)[], { ends = true } = {}): Promise<string> {
    const socket = connect({ port: listener.port, host: "127.0.0.1", noDelay: true });
    const all = receivedBy(socket);
    for (const part of parts) {
      socket.write(part);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    if (ends) socket.end();
    return all;
  }

  function receivedBy(socket: Socket): Promise<string> {
    return new Promise((resolve) => {
      let text = "";
      socket.on("data", (data) => {
        text += data.toString("latin1");
      });
      socket.on("error", () => {});
      socket.on("close", () => resolve(text));
    });
  }

  const bodies = (text: string): string[] => [...text.matchAll(/\r\n\r\n([^|]*)\|/g)].map((m) => m[1]!);
  const get = (url: string, more = ""): string => `GET ${url} HTTP/1.1\r\nHost: x\r\n${more}\r\n`;
  const put = (url: string, body: string): string =>
    `PUT ${url} HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

  test("answers requests in their order, sent at once or byte by byte", async () => {
    const text = put("/1", "one") + get("/2") + put("/3", "three");
    assert.deepEqual(bodies(await talk([text])), ["/1 one", "/2 ", "/3 three"]);
    assert.deepEqual(bodies(await talk([...text])), ["/1 one", "/2 ", "/3 three"]);
  });

  test("gives chunked bodies whole", async () => {
    const head = "PUT /c HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";
    const text = await talk([`${head}3\r\nabc\r\n2\r\n`, `de\r\n0\r\n\r\n${get("/next")}`]);
    assert.deepEqual(bodies(text), ["/c abcde", "/next "]);
  });

  test("keeps what came of one request apart from what others send meanwhile", async () => {
    // All of them are read through the same memory; cut in the head, at its end, in the body,
    // before the last reply.
    const long = (letter: string): string => letter.repeat(20_000);
    const cut = (text: string, at: number): string[] => [text.slice(0, at), text.slice(at)];
    const talks = [..."abcdefgh"].map((letter, index) => {
      const text = put(`/${letter}`, long(letter)) + get(`/${letter}-next`);
      return talk(cut(text, [10, 30, 49, 60, 5_000, 19_000, 20_060, 20_080][index]!));
    });
    const answers = (await Promise.all(talks)).map(bodies);
    const expected = [..."abcdefgh"].map((letter) => [`/${letter} ${long(letter)}`, `/${letter}-next `]);
    assert.deepEqual(answers, expected);
  });

  test("a long body comes whole, however large its chunks", async () => {
    const body = Buffer.alloc(3_000_000, "0123456789abcde").toString();
    assert.deepEqual(bodies(await talk([put("/long", body)])), [`/long ${body}`]);
  });

  test("answers a client that has closed its half", async () => {
    assert.deepEqual(bodies(await talk([get("/half")])), ["/half "]);
  });

  test("a client that does not read its replies is asked to before its next requests are handled", async () => {
    const COUNT = 2_000;
    const body = `${"x".repeat(16_000)}|`;
    behave = async ({ head }, connection) => {
      seen.push(head.url);
      await reply(connection, { body });
    };
    const socket = connect({ port: listener.port, host: "127.0.0.1" });
    socket.pause();
    for (let number = 0; number < COUNT; number++) socket.write(get(`/${number}`));
    socket.end();
    // The system takes some megabytes; then nothing moves any more.
    let before = -1;
    while (before !== seen.length) {
      before = seen.length;
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
    assert.ok(seen.length > 0 && seen.length < COUNT / 2, `${seen.length} requests were handled`);
    const all = receivedBy(socket);
    socket.resume();
    assert.equal(bodies(await all).length, COUNT);
    assert.deepEqual(
      seen,
      Array.from({ length: COUNT }, (_, number) => `/${number}`),
    );
  });

  test("a long reply reaches a client that reads slowly, and one that goes away ends it", async () => {
    const long = Buffer.alloc(20_000_000, "0123456789").toString();
    let done = 0;
    behave = async (_, connection) => {
      await reply(connection, { body: `${long}|` });
      done++;
    };
    const slow = connect({ port: listener.port, host: "127.0.0.1" });
    const all = receivedBy(slow);
    slow.on("data", () => {
      slow.pause();
      setImmediate(() => slow.resume());
    });
    slow.write(get("/slow"));
    slow.end();
    assert.deepEqual(bodies(await all), [long]);
    assert.equal(done, 1);
    const gone = connect({ port: listener.port, host: "127.0.0.1" });
    gone.write(get("/gone"));
    await new Promise((resolve) => gone.once("data", resolve));
    gone.destroy();
    while (done < 2) await new Promise((resolve) => setTimeout(resolve, 5));
  });

  test("closes when it is asked to, and says so", async () => {
    const text = await talk([get("/a", "Connection: close\r\n") + get("/b")], { ends: false });
    assert.deepEqual(bodies(text), ["/a "]);
    assert.match(text, /\r\nConnection: close\r\n/);
    assert.deepEqual(seen, ["/a"]);
  });

  test("answers HEAD with a length and no body", async () => {
    const text = await talk([`HEAD /h HTTP/1.1\r\nHost: x\r\n\r\n${get("/i")}`]);
    assert.match(text, /^HTTP\/1.1 200 OK\r\n[^|]*Content-Length: 4\r\n/);
    assert.match(text, /\r\n\r\nHTTP\/1.1 200 OK\r\n/);
    assert.match(text, /\r\n\r\n\/i \|$/);
  });

  test("discards a body that no operation reads and goes on", async () => {
    behave = async (incoming, connection) =>
      incoming.head.method === "PUT" ? reply(connection, { body: "no|" }) : echo(incoming, connection);
    const text = await talk([
      put("/a", "x".repeat(200_000)).slice(0, 1_000),
      "x".repeat(199_000),
      "x".repeat(53) + get("/b"),
    ]);
    assert.equal(bodies(text)[0], "no");
    behave = echo;
    const body = "y".repeat(500_000);
    behave = async (incoming, connection) =>
      incoming.head.method === "PUT" ? reply(connection, { body: "no|" }) : echo(incoming, connection);
    assert.deepEqual(bodies(await talk([put("/a", body) + get("/b")])), ["no", "/b "]);
  });

  test("does not wait for a body it has not asked for", async () => {
    behave = (_, connection) => reply(connection, { body: "refused|" });
    const head = "PUT /a HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n";
    const text = await talk([head], { ends: false });
    assert.deepEqual(bodies(text), ["refused"]);
    assert.match(text, /Connection: close/);
    behave = echo;
    const asked = await talk([head, "hello"]);
    assert.match(asked, /^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 200 OK/);
    assert.match(asked, /\/a hello\|$/);
  });

  test("holds a client back that sends faster than its body is read", async () => {
    let release = (): void => {};
    const pending = new Promise<void>((resolve) => {
      release = resolve;
    });
    behave = async (incoming, connection) => {
      await pending;
      await echo(incoming, connection);
    };
    const bytes = 32 * 1_024 * 1_024;
    const socket = connect(listener.port, "127.0.0.1");
    const all = receivedBy(socket);
    socket.write(`PUT /big HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${bytes}\r\n\r\n`);
    socket.write(Buffer.alloc(bytes, "z"));
    await new Promise((resolve) => setTimeout(resolve, 100));
    assert.ok(socket.writableLength > bytes / 2, `${socket.writableLength} bytes still wait`);
    release();
    assert.equal(bodies(await all)[0]?.length, bytes + 5);
  });

  test("streams replies of unknown length in chunks, and breaks off one that fails", async () => {
    async function* parts(): AsyncGenerator<Buffer> {
      yield Buffer.from("ab");
      yield Buffer.from("cde");
      if (seen.length > 0) throw new Error("the disk is gone");
    }
    behave = async (_, connection) =>
      new Promise<void>((resolve) => writer.send(connection, outgoing(parts()), () => resolve()));
    const whole = await talk([get("/s")]);
    assert.match(whole, /Transfer-Encoding: chunked\r\n[^|]*\r\n\r\n2\r\nab\r\n3\r\ncde\r\n0\r\n\r\n$/);
    seen = ["fail"];
    assert.doesNotMatch(await talk([get("/s")]), /0\r\n\r\n$/);
  });

  test("refuses what is malformed and trusts nothing behind it", async () => {
    for (const bad of [
      "GET /\r\n\r\n",
      "GET / HTTP/1.1\n\n",
      "PUT /x HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n",
      "PUT /x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    ]) {
      const text = await talk([bad + get("/behind")], { ends: false });
      assert.match(text, /^HTTP\/1.1 400 Bad Request\r\n/, bad);
    }
    const long = await talk([get("/", `a: ${"x".repeat(LIMITS.headerBytesMax)}\r\n`)], { ends: false });
    assert.match(long, /^HTTP\/1.1 431 /);
    assert.deepEqual(seen, []);
  });

  test("ends a body that breaks off, and the request learns of it", async () => {
    let error: unknown;
    behave = async ({ body }, connection) => {
      try {
        await body.next();
        await body.next();
      } catch (caught) {
        error = caught;
        connection.destroy();
      }
    };
    assert.equal(await talk([put("/x", "abc").slice(0, -1)]), "");
    assert.equal((error as Error).name, "ClientGone");
  });

  test("ends clients that stand still, each in its time", async () => {
    const opened = async (text: string): Promise<{ all: Promise<string>; socket: Socket }> => {
      const socket = connect(listener.port, "127.0.0.1");
      const all = receivedBy(socket);
      if (text !== "") socket.write(text);
      await new Promise((resolve) => setTimeout(resolve, 30));
      return { all, socket };
    };
    const isOpen = (socket: Socket): Promise<boolean> =>
      new Promise((resolve) => setTimeout(() => resolve(!socket.destroyed), 30));

    const silent = await opened("");
    const partial = await opened("GET / HTTP/1.1\r\nHo");
    const stalled = await opened(put("/x", "abc").slice(0, -1));
    const idle = await opened(get("/idle"));
    timers.pass(LIMITS.headersTimeoutMillis);
    assert.match(await silent.all, /^HTTP\/1.1 408 /);
    assert.match(await partial.all, /^HTTP\/1.1 408 /);
    assert.equal(await stalled.all, "");
    assert.equal(await isOpen(idle.socket), true);
    timers.pass(LIMITS.keepAliveMillis - LIMITS.headersTimeoutMillis);
    assert.deepEqual(bodies(await idle.all), ["/idle "]);
  });

  test("ends a body that crawls, and not one that we keep waiting", async () => {
    let take = (): void => {};
    const accepted = new Promise<void>((resolve) => {
      take = resolve;
    });
    behave = async (incoming, connection) => {
      if (incoming.head.url === "/kept") await accepted;
      return echo(incoming, connection);
    };
    const start = (url: string): { all: Promise<string>; socket: Socket } => {
      const socket = connect(listener.port, "127.0.0.1");
      socket.write(`PUT ${url} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 40000\r\n\r\n`);
      return { all: receivedBy(socket), socket };
    };
    const crawling = start("/crawling");
    const moving = start("/moving");
    const kept = start("/kept");
    kept.socket.write("k");
    for (let passed = 0; passed <= LIMITS.slowBodyMillis; passed += 5_000) {
      crawling.socket.write("c");
      moving.socket.write("m".repeat(LIMITS.slowBodyBytesMin / 2));
      await new Promise((resolve) => setTimeout(resolve, 20));
      timers.pass(5_000);
    }
    assert.equal(await crawling.all, "");
    for (const { socket } of [moving, kept]) assert.equal(socket.destroyed, false);
    take();
    kept.socket.write("k".repeat(39_999));
    moving.socket.write("m".repeat(40_000));
    assert.equal(bodies(await kept.all)[0]?.length, 40_006);
    assert.equal(bodies(await moving.all)[0]?.length, 40_008);
  });

  test("with too many connections, the oldest that never asked gives way", async () => {
    const handler = (incoming: Incoming, connection: Connection): Promise<void> =>
      behave(incoming, connection);
    const small = await listen({ host: "127.0.0.1", port: 0, handler, connectionsMax: 3 });
    const open = async (text: string): Promise<{ all: Promise<string>; socket: Socket }> => {
      const socket = connect(small.port, "127.0.0.1");
      const all = receivedBy(socket);
      if (text !== "") socket.write(text);
      await new Promise((resolve) => setTimeout(resolve, 30));
      return { all, socket };
    };
    const asking = await open(get("/a"));
    const older = await open("");
    const newer = await open("GET /never HTTP/1.1\r\nHo");
    const next = await open(get("/b"));
    assert.equal(await older.all, "");
    assert.equal(small.connections(), 3);
    const last = await open(get("/c"));
    assert.equal(await newer.all, "");
    assert.equal((await open(get("/d"))).socket.destroyed, true);
    for (const { socket } of [asking, next, last]) assert.equal(socket.destroyed, false);
    await small.close();
    assert.deepEqual(bodies(await last.all), ["/c "]);
  });

  test("does not end a request because the server takes its time", async () => {
    let finish = (): void => {};
    behave = (_, connection) =>
      new Promise((resolve) => {
        finish = () => void reply(connection, { body: "late|" }).then(resolve);
      });
    const all = talk([get("/slow", "Connection: close\r\n")], { ends: false });
    await new Promise((resolve) => setTimeout(resolve, 50));
    timers.pass(2 * LIMITS.keepAliveMillis);
    finish();
    assert.deepEqual(bodies(await all), ["late"]);
  });

  test("closing lets a request finish and ends idle connections", async () => {
    let finish = (): void => {};
    behave = ({ head }, connection) =>
      head.url === "/idle"
        ? reply(connection, { body: "idle|" })
        : new Promise((resolve) => {
            finish = () => void reply(connection, { body: "done|" }).then(resolve);
          });
    const handler = (incoming: Incoming, connection: Connection): Promise<void> =>
      behave(incoming, connection);
    const closing = await listen({ host: "127.0.0.1", port: 0, handler });
    const start = (url: string): Promise<string> => {
      const socket = connect(closing.port, "127.0.0.1");
      socket.write(get(url));
      return receivedBy(socket);
    };
    const idle = start("/idle");
    const busy = start("/busy");
    await new Promise((resolve) => setTimeout(resolve, 50));
    const closed = closing.close();
    assert.deepEqual(bodies(await idle), ["idle"]);
    finish();
    const last = await busy;
    assert.deepEqual(bodies(last), ["done"]);
    assert.match(last, /Connection: close/);
    await closed;
  });
});
