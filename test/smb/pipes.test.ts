import assert from "node:assert/strict";
import { test } from "node:test";
import { pause } from "../../src/base/clock.ts";
import { createRequest, createResponse, DISPOSITION } from "../../src/smb/wire/create.ts";
import { readRequest, readResponse, writeRequest } from "../../src/smb/wire/file-io.ts";
import { COMMAND } from "../../src/smb/wire/header.ts";
import type { FileId } from "../../src/smb/wire/layout.ts";
import { OPLOCK } from "../../src/smb/wire/oplock-break.ts";
import { STATUS } from "../../src/smb/wire/status.ts";
import { utf16 } from "../../src/smb/wire/text.ts";
import type { Store } from "../../src/store/kv.ts";
import { SmbClient } from "../kit/smb-client.ts";
import { SMB_ACCOUNT, SMB_PASSWORD, startSmbServer } from "../kit/smb-server.ts";

const BIND =
  "05000b03100000004800000001000000b810b810000000000100000000000100" +
  "c84f324b7016d30112785a47bf6ee18803000000045d888aeb1cc9119fe808002b10486002000000";
/** NetrShareEnum of level 1, without a server name. */
const ENUMERATE =
  "05000003100000003800000002000000200000000000" +
  "0f000000000001000000010000000100000000000000000000000000000000000000";

async function openPipe(client: SmbClient): Promise<FileId> {
  const body = createRequest.encode({
    requestedOplockLevel: OPLOCK.NONE,
    impersonationLevel: 2,
    desiredAccess: 0x12_019f,
    fileAttributes: 0,
    shareAccess: 7,
    createDisposition: DISPOSITION.OPEN,
    createOptions: 0,
    name: utf16("srvsvc"),
    contexts: Buffer.alloc(0),
  });
  return createResponse.decode((await client.ask(COMMAND.CREATE, body))!.pdu).fileId;
}

const writeOf = (fileId: FileId, hex: string): Buffer =>
  writeRequest.encode({
    offset: 0n,
    fileId,
    channel: 0,
    remainingBytes: 0,
    flags: 0,
    data: Buffer.from(hex, "hex"),
  });

const readOf = (fileId: FileId): Buffer =>
  Buffer.concat([
    readRequest.encode({
      flags: 0,
      length: 4_280,
      offset: 0n,
      fileId,
      minimumCount: 0,
      channel: 0,
      remainingBytes: 0,
    }),
    Buffer.alloc(1),
  ]);

test("a READ of a pipe waits for the answer to what was written, however long that takes", async () => {
  const { port, files, close } = await startSmbServer();
  const { store } = files.parts;
  const read: Store["read"] = store.read.bind(store);
  store.read = async (fn) => {
    await pause(100);
    return read(fn);
  };
  const client = new SmbClient({ port });
  try {
    assert.equal(await client.negotiate(), STATUS.SUCCESS);
    assert.equal(await client.login({ user: SMB_ACCOUNT, password: SMB_PASSWORD }), STATUS.SUCCESS);
    assert.equal(await client.tree("IPC$"), STATUS.SUCCESS);
    const pipe = await openPipe(client);
    for (const call of [BIND, ENUMERATE]) {
      assert.equal(await client.statusOf(COMMAND.WRITE, writeOf(pipe, call)), STATUS.SUCCESS);
      const { pdu } = (await client.ask(COMMAND.READ, readOf(pipe)))!;
      const { data } = readResponse.decode(pdu);
      assert.equal(data[2], call === BIND ? 12 : 2);
      if (call === ENUMERATE) assert.ok(data.includes(utf16("work\0")), data.toString("hex"));
    }
    assert.equal(await client.statusOf(COMMAND.READ, readOf(pipe)), STATUS.PIPE_EMPTY);
  } finally {
    client.close();
    await close();
  }
});
