import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, readFileSync } from "node:fs";
import { type AddressInfo, connect, createServer, Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite, test } from "node:test";
import { connect as connectTls, createServer as createTlsServer, type TLSSocket } from "node:tls";
import { certificateFile } from "../../test/kit/certificates.ts";
import { acceptedBehind } from "../http/listener.ts";
import { descriptorOf } from "./directory-lock.ts";

/**
 * Each field of Node.js that we use and its documentation does not have (decision 0057). A test fails on a
 * Node.js without the field: the fallback then works, but slower, and the decision needs another look.
 */
suite(`undocumented fields of Node.js ${process.version}`, () => {
  test("the handle of a server has its descriptor", { skip: process.platform === "win32" }, async () => {
    const server = createServer();
    assert.equal(descriptorOf(server), undefined, "a server that does not listen has none");
    server.listen(join(mkdtempSync(join(tmpdir(), "holdfast-fields-")), "socket"));
    await once(server, "listening");
    assert.ok(descriptorOf(server)! > 2);
    server.close();
  });

  test("a new socket takes over the handle of an accepted one and reads into our buffer", async () => {
    const buffer = Buffer.alloc(16);
    let onRead = (_count: number): void => {};
    const read = new Promise<number>((resolve) => {
      onRead = resolve;
    });
    const server = createServer((accepted) => {
      const fields = accepted as unknown as { _handle: object | null };
      const handle = fields._handle;
      assert.equal(typeof handle, "object");
      fields._handle = null;
      const callback = (count: number): boolean => {
        onRead(count);
        return true;
      };
      const options = { handle, onread: { buffer, callback } };
      const reader = new Socket(options as unknown as ConstructorParameters<typeof Socket>[0]);
      reader.on("end", () => reader.destroy());
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
    client.end("hello");
    assert.equal(await read, 5);
    assert.equal(buffer.latin1Slice(0, 5), "hello");
    server.close();
  });

  test("a TLS socket has its accepted socket, and the fields of read buffers", async () => {
    const accepted: Socket[] = [];
    const [cert, key] = [readFileSync(certificateFile("cert.pem")), readFileSync(certificateFile("key.pem"))];
    const tls = createTlsServer({ cert, key });
    const server = createServer((socket) => {
      accepted.push(socket);
      tls.emit("connection", socket);
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const client = connectTls({ port, host: "127.0.0.1", rejectUnauthorized: false });
    const [socket] = (await once(tls, "secureConnection")) as [TLSSocket];

    const names = Object.getOwnPropertySymbols(socket).map(({ description }) => description);
    for (const name of ["kBuffer", "kBufferCb", "kBufferGen"]) assert.ok(names.includes(name), name);
    const fields = socket as unknown as { _handle: { useUserBuffer?: unknown }; _parent?: Socket };
    assert.equal(typeof fields._handle.useUserBuffer, "function");
    assert.equal(fields._parent, accepted[0]);
    assert.equal(acceptedBehind(socket, []), accepted[0]);
    const { remotePort, remoteAddress } = socket;
    const without = { remotePort, remoteAddress } as TLSSocket;
    assert.equal(acceptedBehind(without, accepted), accepted[0], "without the field, the same peer is found");
    client.destroy();
    socket.destroy();
    server.close();
  });

  test("Buffer has the methods of one encoding", () => {
    const buffer = Buffer.alloc(8);
    assert.equal(buffer.latin1Write("\xe9", 0), 1);
    assert.equal(buffer.utf8Write("\xe9", 1), 2);
    assert.equal(buffer.latin1Slice(0, 3), "\xe9\xc3\xa9");
    assert.equal(buffer.utf8Slice(1, 3), "\xe9");
    assert.equal(buffer.hexSlice(0, 2), "e9c3");
    assert.equal(buffer.base64Slice(0, 3), "6cOp");
  });
});
