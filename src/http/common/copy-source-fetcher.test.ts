import assert from "node:assert/strict";
import { createServer, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createPlainServer } from "node:net";
import { after, before, suite, test } from "node:test";
import { pause, type Timers } from "../../base/clock.ts";
import { LIMITS } from "../../base/limits.ts";
import { Refusal } from "../../base/refusals.ts";
import { type Log, silentLog } from "../../observability/log.ts";
import { ClientGone } from "../connection/incoming-body.ts";
import type { Client, HttpRequest } from "../exchange.ts";
import { CopySourceFetcher } from "./copy-source-fetcher.ts";
import { ANY_SOURCE, type CopySources, PUBLIC_SOURCES, parseCopySources } from "./copy-sources.ts";
import { OwnListeners } from "./own-listeners.ts";

/** Time passes when the test says so. */
class HandTimers implements Timers {
  readonly #waiting = new Set<{ at: number; every: number | undefined; run: () => void }>();
  #now = 0;
  after(delay: number, run: () => void): { cancel(): void } {
    return this.#add({ at: this.#now + delay, every: undefined, run });
  }
  every(interval: number, run: () => void): { cancel(): void } {
    return this.#add({ at: this.#now + interval, every: interval, run });
  }
  #add(timer: { at: number; every: number | undefined; run: () => void }): { cancel(): void } {
    this.#waiting.add(timer);
    return { cancel: () => this.#waiting.delete(timer) };
  }
  pass(millis: number): void {
    const end = this.#now + millis;
    for (; this.#now <= end; this.#now += 500) {
      for (const timer of [...this.#waiting]) {
        if (timer.at > this.#now || !this.#waiting.has(timer)) continue;
        if (timer.every === undefined) this.#waiting.delete(timer);
        else timer.at += timer.every;
        timer.run();
      }
    }
  }
}

const isRefused = (code: string) => (error: unknown) => error instanceof Refusal && error.code === code;

function requestOf(headers: Record<string, string> = {}): HttpRequest & { readonly client: Client } {
  const client: Client = { hasLeft: false, onLeave: undefined };
  return { target: { account: "acct" }, headers, version: "", client } as unknown as HttpRequest;
}

interface Given {
  readonly allowed?: CopySources;
  readonly listeners?: OwnListeners;
  readonly log?: Log;
  readonly timers?: Timers;
  readonly resolve?: (name: string) => Promise<readonly string[]>;
}

const fetcher = (given: Given = {}): CopySourceFetcher =>
  new CopySourceFetcher({
    allowed: ANY_SOURCE,
    listeners: new OwnListeners(),
    isHostStyleAllowed: true,
    log: silentLog,
    ...given,
  });

suite("where the source of a copy may be", () => {
  test("our own listeners are known by address and port, whatever they are called", async () => {
    const listeners = new OwnListeners();
    const resolve = async (name: string) => (name === "ours.example" ? ["127.0.0.1"] : ["192.0.2.1"]);
    const sources = fetcher({ listeners, resolve });
    listeners.add({
      blob: { host: "127.0.0.1", port: 10_000 },
      queue: { host: "127.0.0.1", port: 10_001 },
      file: { host: "0.0.0.0", port: 10_003 },
      smb: { host: "127.0.0.1", port: 10_445 },
    });
    const at = async (url: string): Promise<string> => {
      try {
        const place = await sources.locate(new URL(url));
        return place.kind === "own" ? place.service : place.addresses.join();
      } catch (error) {
        return (error as Refusal).code;
      }
    };
    assert.equal(await at("http://127.0.0.1:10000/a"), "blob");
    assert.equal(await at("https://ours.example:10000/a"), "blob");
    assert.equal(await at("http://localhost:10000/a"), "blob");
    assert.equal(await at("http://acct.blob.localhost:10000/a"), "blob");
    assert.equal(await at("http://0.0.0.0:10000/a"), "blob");
    assert.equal(await at("http://[::ffff:7f00:1]:10000/a"), "blob");
    assert.equal(await at("http://127.0.0.2:10000/a"), "127.0.0.2");
    assert.equal(await at("http://127.0.0.2:10003/a"), "file");
    assert.equal(await at("http://127.0.0.1:10001/a"), "CopySourceNotAllowed");
    assert.equal(await at("http://127.0.0.1:10445/a"), "CopySourceNotAllowed");
    assert.equal(await at("http://127.0.0.1:10004/metrics"), "127.0.0.1");
    listeners.add({ admin: { host: "localhost", port: 10_004 } });
    assert.equal(await at("http://127.0.0.1:10004/metrics"), "CopySourceNotAllowed");
    assert.equal(await at("http://[::1]:10004/metrics"), "CopySourceNotAllowed");
    assert.equal(await at("http://other.example:10004/metrics"), "192.0.2.1");
    listeners.add({ blob: { host: "127.0.0.1", port: 80 }, file: { host: "127.0.0.1", port: 443 } });
    assert.equal(await at("http://127.0.0.1/a"), "blob");
    assert.equal(await at("https://127.0.0.1/a"), "file");
  });

  test("of a name only the addresses that are allowed are used; one without any is refused", async () => {
    const resolve = async (name: string) =>
      name === "mixed.example" ? ["10.0.0.1", "8.8.8.8"] : name === "none.example" ? [] : ["10.0.0.1"];
    const open = fetcher({ allowed: PUBLIC_SOURCES, resolve });
    const mixed = await open.locate(new URL("http://mixed.example/"));
    assert.deepEqual(mixed, { kind: "remote", addresses: ["8.8.8.8"] });
    await assert.rejects(open.locate(new URL("http://inside.example/")), isRefused("CopySourceNotAllowed"));
    await assert.rejects(open.locate(new URL("http://none.example/")), isRefused("CannotVerifyCopySource"));
    const allowed = parseCopySources("10.0.0.0/24") as CopySources;
    const listed = fetcher({ allowed, resolve });
    const inside = await listed.locate(new URL("http://mixed.example/"));
    assert.deepEqual(inside, { kind: "remote", addresses: ["10.0.0.1"] });
    await assert.rejects(listed.locate(new URL("http://8.8.8.8/")), isRefused("CopySourceNotAllowed"));
  });

  test("the log reports refused sources once in a while, with their address and no path", async () => {
    const lines: [string, Record<string, unknown>][] = [];
    const log: Log = {
      ...silentLog,
      warn: (fields) => lines.push(["warn", fields]),
      debug: (fields) => lines.push(["debug", fields]),
    };
    const sources = fetcher({ allowed: PUBLIC_SOURCES, log });
    for (let count = 0; count < 3; count++) {
      await assert.rejects(sources.locate(new URL("http://169.254.169.254/latest?sig=secret")));
    }
    assert.deepEqual(
      lines.map(([level]) => level),
      ["warn", "debug", "debug"],
    );
    assert.deepEqual(lines[0]![1], { host: "169.254.169.254", addresses: ["169.254.169.254"], refused: 1 });
  });

  test("names are resolved a few at a time, and for a limited time", async () => {
    const timers = new HandTimers();
    let asked = 0;
    const sources = fetcher({ timers, resolve: () => new Promise(() => asked++) });
    const tried = Array.from({ length: 5 }, (_, index) =>
      sources.locate(new URL(`http://slow-${index}.example/`)),
    );
    const ended = Promise.allSettled(tried);
    await pause(0);
    assert.equal(asked, LIMITS.sourceLookupsMax);
    timers.pass(LIMITS.sourceLookupMillis);
    for (const result of await ended) {
      assert.ok(result.status === "rejected" && isRefused("CannotVerifyCopySource")(result.reason));
    }
    assert.equal(asked, LIMITS.sourceLookupsMax);
  });
});

suite("a source that is fetched", () => {
  let elsewhere: Server;
  let url: URL;
  const replies: ServerResponse[] = [];
  before(async () => {
    elsewhere = createServer((_, reply) => replies.push(reply));
    await new Promise<void>((resolve) => elsewhere.listen(0, "127.0.0.1", resolve));
    // The name leads nowhere but to the address that was checked.
    url = new URL(`http://checked.example:${(elsewhere.address() as AddressInfo).port}/`);
  });
  after(() => {
    elsewhere.closeAllConnections();
    elsewhere.close();
  });
  const place = { kind: "remote", addresses: ["127.0.0.1"] } as const;
  const nextReply = async (): Promise<ServerResponse> => {
    while (replies.length === 0) await pause(5);
    return replies.shift()!;
  };
  const isClosed = async (reply: ServerResponse): Promise<void> => {
    while (!reply.destroyed) await pause(5);
  };
  const drained = async (body: AsyncIterable<Buffer>): Promise<string> => {
    const chunks: Buffer[] = [];
    for await (const chunk of body) chunks.push(chunk);
    return Buffer.concat(chunks).toString();
  };

  test("is read at the address that was checked, whatever its name means by now", async () => {
    const fetching = fetcher().fetch(requestOf(), { url, place }, {});
    (await nextReply()).end("content");
    const fetched = await fetching;
    assert.equal(await drained(fetched.body), "content");
    fetched.close();
    fetched.close();
  });

  test("must send its headers in time", async () => {
    const timers = new HandTimers();
    const fetching = fetcher({ timers }).fetch(requestOf(), { url, place }, {});
    const reply = await nextReply();
    timers.pass(LIMITS.sourceHeadersMillis);
    await assert.rejects(fetching, isRefused("CannotVerifyCopySource"));
    await isClosed(reply);
  });

  test("must not bring a byte now and then; a reader that is slow itself is not held against it", async () => {
    const timers = new HandTimers();
    const fetching = fetcher({ timers }).fetch(requestOf(), { url, place }, {});
    const reply = await nextReply();
    reply.write("a");
    const { body, close } = await fetching;
    const chunks = body[Symbol.asyncIterator]();
    assert.equal((await chunks.next()).value?.toString(), "a");
    timers.pass(2 * LIMITS.slowSourceMillis);
    reply.write("b");
    assert.equal((await chunks.next()).value?.toString(), "b");
    const next = chunks.next();
    timers.pass(LIMITS.slowSourceMillis + LIMITS.sourceWatchMillis);
    await assert.rejects(next, isRefused("CannotVerifyCopySource"));
    await isClosed(reply);
    close();
  });

  test("is left when the client leaves: before its headers, and between its bytes", async () => {
    for (const hasBegun of [false, true]) {
      const request = requestOf();
      const fetching = fetcher().fetch(request, { url, place }, {});
      const reply = await nextReply();
      if (hasBegun) reply.write("a");
      const reading = hasBegun ? fetching.then(({ body }) => drained(body)) : fetching;
      reading.catch(() => {});
      if (hasBegun) await fetching;
      request.client.onLeave!();
      await assert.rejects(reading, ClientGone);
      await isClosed(reply);
    }
  });

  test("gets no credentials but a bearer token", async () => {
    const sources = fetcher();
    const withToken = (value: string) =>
      sources.fetch(requestOf({ "x-ms-copy-source-authorization": value }), { url, place }, {});
    for (const value of ["Basic YTpi", "SharedKey a:b", "Bearer", "Bearer a b", "bearer"]) {
      await assert.rejects(withToken(value), isRefused("InvalidHeaderValue"), value);
    }
    const fetching = withToken("Bearer a.b.c");
    const reply = await nextReply();
    assert.equal(reply.req.headers.authorization, "Bearer a.b.c");
    reply.end();
    (await fetching).close();
  });

  test("that does not speak HTTP could not be verified", async () => {
    const odd = createPlainServer((socket) => socket.end("220 ready\r\n"));
    await new Promise<void>((resolve) => odd.listen(0, "127.0.0.1", resolve));
    const at = new URL(`http://127.0.0.1:${(odd.address() as AddressInfo).port}/`);
    await assert.rejects(
      fetcher().fetch(requestOf(), { url: at, place }, {}),
      isRefused("CannotVerifyCopySource"),
    );
    odd.close();
  });
});
