import assert from "node:assert/strict";
import { connect, type Socket } from "node:net";
import { after, before, test } from "node:test";
import { seededRandom } from "../../src/base/random.ts";
import { FrameAssembler, prefixFor } from "../../src/smb/wire/framing.ts";
import { COMMAND, decodeHeader, encodeHeader, FLAG, type Header } from "../../src/smb/wire/header.ts";
import {
  decodeNegotiateResponse,
  encodeIds,
  encodeNegotiateRequest,
  encodePreauthIntegrity,
} from "../../src/smb/wire/negotiate.ts";
import { emptyBody, sessionSetupRequest } from "../../src/smb/wire/session-setup.ts";
import { encodeSmb1Negotiate } from "../../src/smb/wire/smb1-negotiate.ts";
import { STATUS } from "../../src/smb/wire/status.ts";
import { utf16 } from "../../src/smb/wire/text.ts";
import { treeConnectRequest } from "../../src/smb/wire/tree-connect.ts";
import { SmbClient } from "../kit/smb-client.ts";
import { SMB_ACCOUNT, SMB_PASSWORD, type SmbTestServer, startSmbServer } from "../kit/smb-server.ts";
import { seedOfThisRun } from "../support/seed.ts";

/** Clients that do not mean well, or do not know better. The connection may end; the server may not. */
let smb: SmbTestServer;
before(async () => {
  smb = await startSmbServer();
});
after(() => smb.close());

class RawClient {
  readonly socket: Socket;
  readonly #frames = new FrameAssembler(1 << 24);
  readonly #received: Buffer[] = [];
  #wake: () => void = () => {};
  isClosed = false;

  constructor() {
    this.socket = connect(smb.port, "127.0.0.1");
    this.socket.on("data", (chunk) => this.#frames.add(chunk, (frame) => this.#received.push(frame)));
    for (const event of ["data", "close"]) this.socket.on(event, () => this.#wake());
    this.socket.on("error", () => {});
    this.socket.on("close", () => {
      this.isClosed = true;
      this.#wake();
    });
  }

  send(payload: Buffer): void {
    this.socket.write(Buffer.concat([prefixFor(payload.length), payload]));
  }

  /** The next reply; undefined when the server has ended the connection. */
  async next(): Promise<Buffer | undefined> {
    while (this.#received.length === 0 && !this.isClosed) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.#received.shift();
  }

  async ask(payload: Buffer): Promise<Buffer | undefined> {
    this.send(payload);
    return await this.next();
  }

  async ended(): Promise<void> {
    assert.equal(await this.next(), undefined, "the server answered instead of ending the connection");
  }
}

const header = (change: Partial<Header>): Buffer =>
  encodeHeader({
    creditCharge: 0,
    status: 0,
    command: 0,
    credits: 1,
    flags: 0,
    nextCommand: 0,
    messageId: 0n,
    asyncId: 0n,
    processId: 0,
    treeId: 0,
    sessionId: 0n,
    ...change,
  });

const NEGOTIATE = Buffer.concat([
  header({}),
  encodeNegotiateRequest({
    securityMode: 1,
    capabilities: 0x7f,
    clientGuid: Buffer.alloc(16, 7),
    dialects: [0x202, 0x210, 0x300, 0x302, 0x311],
    contexts: [
      { type: 1, data: encodePreauthIntegrity({ hashes: [1], salt: Buffer.alloc(32) }) },
      { type: 2, data: encodeIds([2, 1]) },
    ],
  }),
]);

async function greeted(): Promise<RawClient> {
  const client = new RawClient();
  const reply = await client.ask(NEGOTIATE);
  assert.equal(decodeHeader(reply!).status, STATUS.SUCCESS);
  return client;
}

test("an SMB1 client that knows SMB2 is told to ask again, any other is not answered", async () => {
  const client = new RawClient();
  const reply = await client.ask(encodeSmb1Negotiate(["NT LM 0.12", "SMB 2.???"]));
  assert.equal(decodeNegotiateResponse(reply!).dialect, 0x02ff);
  const second = Buffer.from(NEGOTIATE);
  second.writeBigUInt64LE(1n, 24);
  assert.equal(decodeNegotiateResponse((await client.ask(second))!).dialect, 0x0311);
  client.socket.destroy();
  const old = new RawClient();
  old.send(encodeSmb1Negotiate(["NT LM 0.12"]));
  await old.ended();
});

test("a dialect we do not speak is refused, 2.0.2 among them", async () => {
  const client = new RawClient();
  const body = encodeNegotiateRequest({
    securityMode: 1,
    capabilities: 0,
    clientGuid: Buffer.alloc(16),
    dialects: [0x202],
    contexts: [],
  });
  const reply = await client.ask(Buffer.concat([header({}), body]));
  assert.equal(decodeHeader(reply!).status, STATUS.NOT_SUPPORTED);
  client.socket.destroy();
});

test("before a login nothing is told but that there is no session", async () => {
  const client = await greeted();
  const path = utf16("\\\\server\\work");
  const tree = treeConnectRequest.encode({ flags: 0, path });
  const asked = Buffer.concat([
    header({ command: COMMAND.TREE_CONNECT, messageId: 1n, sessionId: 5n }),
    tree,
  ]);
  const reply = (await client.ask(asked))!;
  assert.equal(decodeHeader(reply).status, STATUS.USER_SESSION_DELETED);
  assert.equal(reply.length, 64 + 9);
  client.socket.destroy();
});

test("what breaks the protocol ends the connection without a word", async () => {
  const echo = Buffer.concat([header({ command: COMMAND.ECHO, messageId: 1n }), emptyBody.encode({})]);
  const breaches: Readonly<Record<string, () => Buffer>> = {
    "a second NEGOTIATE": () => {
      const again = Buffer.from(NEGOTIATE);
      again.writeBigUInt64LE(1n, 24);
      return again;
    },
    "a message id without a credit": () => {
      const far = Buffer.from(echo);
      far.writeBigUInt64LE(500n, 24);
      return far;
    },
    "a reply": () => {
      const reply = Buffer.from(echo);
      reply.writeUInt32LE(FLAG.RESPONSE, 16);
      return reply;
    },
    "a wrong magic": () => Buffer.alloc(80, 0x41),
    "a header cut short": () => echo.subarray(0, 40),
    "NextCommand into nowhere": () => {
      const chain = Buffer.from(echo);
      chain.writeUInt32LE(4_096, 20);
      return chain;
    },
    "an encrypted message for no session": () => {
      const sealed = Buffer.alloc(52 + 64);
      sealed.writeUInt32LE(0x424d_53fd, 0);
      sealed.writeUInt32LE(64, 36);
      sealed.writeUInt16LE(1, 42);
      return sealed;
    },
    "a compressed message": () => Buffer.from("fc534d42000000000000000000000000", "hex"),
    "more than a login needs": () => Buffer.alloc(100_000),
  };
  for (const [name, make] of Object.entries(breaches)) {
    const client = await greeted();
    client.send(make());
    await client.ended().catch((error: Error) => assert.fail(`${name}: ${error.message}`));
  }
  const wild = new RawClient();
  wild.socket.write("GET / HTTP/1.1\r\n\r\n");
  await wild.ended();
});

test("thousands of mangled messages leave the server alive", async (t) => {
  const random = seededRandom(seedOfThisRun(t));
  const token = Buffer.concat([Buffer.from("NTLMSSP\0\x01\0\0\0", "latin1"), Buffer.alloc(24)]);
  const setup = Buffer.concat([
    header({ command: COMMAND.SESSION_SETUP, messageId: 1n }),
    sessionSetupRequest.encode({
      flags: 0,
      securityMode: 1,
      capabilities: 0,
      channel: 0,
      previousSessionId: 0n,
      token,
    }),
  ]);
  for (let round = 0; round < 300; round++) {
    const client = new RawClient();
    const isFirst = random.fraction() < 0.5;
    if (!isFirst) client.send(NEGOTIATE);
    const mangled = Buffer.from(isFirst ? NEGOTIATE : setup);
    for (let change = 0; change < 6; change++)
      mangled[Math.floor(random.fraction() * mangled.length)] = Math.floor(random.fraction() * 256);
    client.send(mangled.subarray(0, Math.max(4, Math.floor(random.fraction() * 2 * mangled.length))));
    client.socket.end();
    await new Promise((resolve) => client.socket.once("close", resolve));
  }
  const client = await greeted();
  client.socket.destroy();
});

test("of too many connections the oldest without a login gives way, and those with one stay", async () => {
  const small = await startSmbServer({ connectionsMax: 3 });
  const open = async (): Promise<SmbClient> => {
    const client = new SmbClient({ port: small.port });
    await client.negotiate();
    return client;
  };
  const login = async (client: SmbClient): Promise<number | undefined> =>
    client.login({ user: SMB_ACCOUNT, password: SMB_PASSWORD });
  const inside = await open();
  assert.equal(await login(inside), STATUS.SUCCESS);
  const [silent, other] = [await open(), await open()];
  const newest = await open();
  assert.equal(await silent.next(), undefined, "it was ended");
  for (const client of [other, newest]) assert.equal(await login(client), STATUS.SUCCESS);
  const late = new SmbClient({ port: small.port });
  assert.equal(await late.negotiate(), -1, "all that are there have logged in");
  assert.equal(await inside.tree("work"), STATUS.SUCCESS);
  for (const client of [inside, other, newest]) client.close();
  await small.close();
});
