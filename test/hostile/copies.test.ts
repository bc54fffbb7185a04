import assert from "node:assert/strict";
import { createServer, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { after, before, suite, test } from "node:test";
import { signedHeaders, targetOf } from "../../bench/sign.ts";
import { pause } from "../../src/base/clock.ts";
import { LIMITS, MIB } from "../../src/base/limits.ts";
import { send } from "../kit/send.ts";
import { startTestServer, type TestServer } from "../kit/server.ts";

/** Sources that never end: what a client can make the server hold by naming them. */
interface Tarpit {
  readonly server: Server;
  readonly url: string;
  /** Connections that are open, and the most there were at one moment. */
  open: number;
  peak: number;
  readonly replies: ServerResponse[];
}

async function openTarpit(): Promise<Tarpit> {
  const server = createServer({ keepAliveTimeout: 0, requestTimeout: 0 }, (_, reply) => {
    tarpit.replies.push(reply);
  });
  server.on("connection", (socket) => {
    tarpit.peak = Math.max(tarpit.peak, ++tarpit.open);
    socket.on("close", () => tarpit.open--);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const tarpit: Tarpit = { server, url: `http://127.0.0.1:${port}/`, open: 0, peak: 0, replies: [] };
  return tarpit;
}

/** Polls: how long it takes is for the machine to say. */
async function until(isSo: () => boolean, what: () => string): Promise<void> {
  for (let round = 0; round < 1_200; round++) {
    if (isSo()) return;
    await pause(50);
  }
  assert.fail(what());
}

suite("sources that never answer", () => {
  let server: TestServer;
  let tarpit: Tarpit;
  before(async () => {
    server = await startTestServer();
    const made = await send(server, {
      service: "blob",
      method: "PUT",
      path: "/copies",
      query: { restype: "container" },
      body: Buffer.alloc(0),
    });
    assert.equal(made.status, 201);
  });
  after(async () => {
    await server.close();
  });
  const inTarpit = (run: () => Promise<void>) => async (): Promise<void> => {
    tarpit = await openTarpit();
    try {
      await run();
    } finally {
      tarpit.server.closeAllConnections();
      tarpit.server.close();
    }
  };

  const put = (name: string, headers: Record<string, string>, source = tarpit.url): string => {
    const request = {
      method: "PUT",
      path: `/copies/${name}`,
      headers: { "x-ms-copy-source": source, ...headers },
    };
    const lines = Object.entries({ ...signedHeaders(request), "Content-Length": "0" });
    const head = lines.map(([key, value]) => `${key}: ${value}\r\n`).join("");
    return `PUT ${targetOf(request)} HTTP/1.1\r\nHost: 127.0.0.1\r\n${head}\r\n`;
  };
  const FROM_URL = { "x-ms-blob-type": "BlockBlob" };

  interface Sender {
    readonly socket: Socket;
    received: string;
  }
  const start = (bytes: string): Sender => {
    const socket = connect(Number(new URL(server.endpoints.blob).port), "127.0.0.1");
    const sender: Sender = { socket, received: "" };
    socket.on("data", (chunk: Buffer) => {
      sender.received += chunk.toString("latin1");
    });
    socket.on("error", () => {});
    socket.write(bytes);
    return sender;
  };
  const answered = (senders: readonly Sender[], status: number): number =>
    senders.filter(({ received }) => received.startsWith(`HTTP/1.1 ${status} `)).length;

  test(
    "fetches of one account are limited, those beyond hear ServerBusy, and all end with their clients",
    inTarpit(async () => {
      const beyond = 40;
      const limit = LIMITS.sourceFetchesPerAccountMax;
      const senders = Array.from({ length: limit + beyond }, (_, index) =>
        start(put(`blob-${index}`, FROM_URL)),
      );
      await until(
        () => answered(senders, 503) === beyond,
        () => `${answered(senders, 503)} were told to come back, ${tarpit.open} fetches are open`,
      );
      assert.ok(senders.some(({ received }) => /x-ms-error-code: ServerBusy/i.test(received)));
      assert.equal(tarpit.peak, limit);
      assert.equal(tarpit.open, limit);
      for (const { socket } of senders) socket.destroy();
      await until(
        () => tarpit.open === 0,
        () => `${tarpit.open} fetches outlive their clients`,
      );
      // What they held is free again.
      const next = start(put("next", FROM_URL));
      await until(
        () => tarpit.open === 1,
        () => "the next fetch did not begin",
      );
      tarpit.replies.at(-1)!.end("content");
      await until(
        () => answered([next], 201) === 1,
        () => `the next fetch was answered ${next.received}`,
      );
      next.socket.destroy();
    }),
  );

  test(
    "a fetch that waits for its turn gets it when another one ends",
    inTarpit(async () => {
      const limit = LIMITS.sourceFetchesPerAccountMax;
      const senders = Array.from({ length: limit }, (_, index) => start(put(`turn-${index}`, FROM_URL)));
      await until(
        () => tarpit.replies.length === limit,
        () => `${tarpit.replies.length} fetches began`,
      );
      const late = start(put("late", FROM_URL));
      // Two fetches end by their clients' leaving: the late one has one of their places, also when it came
      // first.
      senders[0]!.socket.destroy();
      senders[1]!.socket.end();
      await until(
        () => tarpit.replies.length === limit + 1 || answered([late], 503) === 1,
        () => "the late fetch neither began nor was refused",
      );
      assert.equal(answered([late], 503), 0, late.received);
      for (const { socket } of [...senders, late]) socket.destroy();
      await until(
        () => tarpit.open === 0,
        () => `${tarpit.open} fetches outlive their clients`,
      );
    }),
  );

  test(
    "a copy goes on without its client, and there is an end to how many do",
    inTarpit(async () => {
      const limit = LIMITS.copiesFromElsewherePerAccountMax;
      const beyond = 5;
      const senders = Array.from({ length: limit + beyond }, (_, index) => start(put(`async-${index}`, {})));
      await until(
        () => answered(senders, 503) === beyond,
        () => `${answered(senders, 503)} were told to come back`,
      );
      assert.equal(tarpit.peak, limit);
      for (const { socket } of senders) socket.destroy();
      for (const reply of tarpit.replies) {
        reply.writeHead(200, { "content-length": String(5 * MIB) });
        reply.end(Buffer.alloc(5 * MIB, 7));
      }
      const statuses = async (): Promise<(string | undefined)[]> => {
        const found: (string | undefined)[] = [];
        for (let index = 0; index < limit + beyond; index++) {
          const { headers } = await send(server, {
            service: "blob",
            method: "HEAD",
            path: `/copies/async-${index}`,
          });
          found.push(headers["x-ms-copy-status"] as string | undefined);
        }
        return found;
      };
      let done = 0;
      for (let round = 0; round < 200 && done < limit; round++) {
        done = (await statuses()).filter((status) => status === "success").length;
        if (done < limit) await pause(100);
      }
      assert.equal(done, limit);
    }),
  );

  test(
    "a copy that is aborted, or whose container goes, stops fetching",
    inTarpit(async () => {
      const path = "/copies/unwanted";
      const ask = (method: string, query: Record<string, string>, headers = {}, at = path) =>
        send(server, { service: "blob", method, path: at, query, headers, body: Buffer.alloc(0) });
      const end = {
        aborted: (copyId: string) =>
          ask("PUT", { comp: "copy", copyid: copyId }, { "x-ms-copy-action": "abort" }),
        deleted: () => ask("DELETE", { restype: "container" }, {}, "/copies"),
      };
      for (const [what, stop] of Object.entries(end)) {
        const started = ask("PUT", {}, { "x-ms-copy-source": tarpit.url });
        await until(
          () => tarpit.replies.length > 0,
          () => "the copy did not begin",
        );
        const reply = tarpit.replies.pop()!;
        reply.writeHead(200, { "content-length": String(5 * MIB) });
        const drip = setInterval(() => reply.write(Buffer.alloc(16)), 50);
        const { status, headers } = await started;
        assert.equal(status, 202);
        assert.ok((await stop(String(headers["x-ms-copy-id"]))).status < 300);
        await until(
          () => tarpit.open === 0,
          () => `the copy was ${what} and still fetches`,
        );
        clearInterval(drip);
      }
    }),
  );
});
