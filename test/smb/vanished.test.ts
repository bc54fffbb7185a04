import assert from "node:assert/strict";
import { test } from "node:test";
import { pause } from "../../src/base/clock.ts";
import { DISPOSITION } from "../../src/smb/wire/create.ts";
import { OPLOCK } from "../../src/smb/wire/oplock-break.ts";
import { SMB_ACCOUNT, SMB_PASSWORD, startSmbServer } from "../kit/smb-server.ts";
import { SmbTestClient } from "../kit/smb-test-client.ts";

const CLIENTS = 24;
const TRIES_MAX = 200;

test("clients that vanish with files, locks, caches and watches leave nothing behind in the server", async () => {
  const { server, port, close } = await startSmbServer();
  const to = { port, user: SMB_ACCOUNT, password: SMB_PASSWORD, share: "work" };
  const openAndVanish = async (index: number): Promise<void> => {
    const client = await SmbTestClient.connect(to);
    const cache =
      index % 2 === 0
        ? { oplock: OPLOCK.EXCLUSIVE }
        : { lease: { key: Buffer.alloc(16, index + 1), state: "RW" } };
    const request = { access: "RW", share: "RWD", disposition: DISPOSITION.OPEN_IF, ...cache };
    const file = await client.open(`f${index}`, request);
    await client.write(file, 0, "text");
    await client.lock(file, 0, 10);
    const root = await client.open("", { access: "R", isDirectory: true });
    client.watch(root).catch(() => {});
    // The watch was sent before this, and messages are taken in their order.
    await client.read(file, 0, 4);
    client.vanish();
  };
  try {
    await Promise.all(Array.from({ length: CLIENTS }, (_, index) => openAndVanish(index)));
    for (let tries = 0; tries < TRIES_MAX && server.inodes.size > 0; tries++) await pause(20);
    const left = {
      connections: server.connectionCount,
      sessions: server.sessions.size,
      inodes: server.inodes.size,
      isAnyCached: server.inodes.isAnyCached,
      watchedShares: [...server.changes.watchedShares()].length,
    };
    assert.deepEqual(left, { connections: 0, sessions: 0, inodes: 0, isAnyCached: false, watchedShares: 0 });
  } finally {
    await close();
  }
});
