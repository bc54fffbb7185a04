import assert from "node:assert/strict";
import { test } from "node:test";
import { DISPOSITION } from "../../src/smb/wire/create.ts";
import { encodeCopyChunk, FSCTL, RESUME_KEY_BYTES, zeroDataInput } from "../../src/smb/wire/ioctl.ts";
import { SMB_ACCOUNT, SMB_PASSWORD, startSmbServer } from "../kit/smb-server.ts";
import { SmbTestClient } from "../kit/smb-test-client.ts";

const SIZE = 0x8;

test("a watch reports content that the server copied or cleared", async () => {
  const server = await startSmbServer();
  const to = { port: server.port, user: SMB_ACCOUNT, password: SMB_PASSWORD, share: "work" };
  try {
    const [smb, watcher] = await Promise.all([SmbTestClient.connect(to), SmbTestClient.connect(to)]);
    const made = { access: "RW", disposition: DISPOSITION.OPEN_IF };
    const source = await smb.open("source", made);
    await smb.write(source, 0, "content");
    const target = await smb.open("target", made);
    const key = (await smb.ioctl(source, FSCTL.SRV_REQUEST_RESUME_KEY)).subarray(0, RESUME_KEY_BYTES);
    const root = await watcher.open("", { isDirectory: true });
    const copied = watcher.watch(root, SIZE);
    const chunks = [{ sourceOffset: 0n, targetOffset: 0n, length: 7 }];
    await smb.ioctl(target, FSCTL.SRV_COPYCHUNK, encodeCopyChunk({ key, chunks }));
    assert.deepEqual(await copied, ["3 target"]);
    const cleared = watcher.watch(root, SIZE);
    await smb.ioctl(
      target,
      FSCTL.SET_ZERO_DATA,
      zeroDataInput.encode({ fileOffset: 0n, beyondFinalZero: 3n }),
    );
    assert.deepEqual(await cleared, ["3 target"]);
    assert.equal((await smb.read(target, 0, 10)).toString(), "\0\0\0tent");
    for (const client of [smb, watcher]) client.vanish();
  } finally {
    await server.close();
  }
});
