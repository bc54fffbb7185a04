import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock, seconds, systemTimers, type Timers } from "../../src/base/clock.ts";
import { SMB_LIMITS } from "../../src/smb/limits.ts";
import { SMB_ACCOUNT, SMB_PASSWORD, startSmbServer } from "../kit/smb-server.ts";
import { SmbTestClient } from "../kit/smb-test-client.ts";

test("a silent client keeps its opens and locks; one without opens is disconnected", async () => {
  const clock = new ManualClock();
  const sweeps: (() => void)[] = [];
  const timers: Timers = {
    ...systemTimers,
    every: (_, run) => {
      sweeps.push(run);
      return { cancel() {} };
    },
  };
  const { port, server, close } = await startSmbServer({ clock, timers });
  const to = { port, user: SMB_ACCOUNT, password: SMB_PASSWORD, share: "work" };
  try {
    const holder = await SmbTestClient.connect(to);
    const file = await holder.open("f", { access: "RW", disposition: 3 });
    await holder.write(file, 0, "text");
    await holder.lock(file, 0, 10);
    const idle = await SmbTestClient.connect(to);
    const isReleased = new Promise<void>((resolve) => idle.onClose(resolve));
    for (let silent = 0; silent < 4 * SMB_LIMITS.idleMillis; silent += seconds(60)) {
      clock.advance(seconds(60));
      for (const sweep of sweeps) sweep();
    }
    await isReleased;
    assert.equal(server.connectionCount, 1);
    assert.equal((await holder.read(file, 0, 4)).toString(), "text");
    await holder.unlock(file, 0, 10);
    await holder.close(file);
    clock.advance(SMB_LIMITS.idleMillis + seconds(1));
    for (const sweep of sweeps) sweep();
    assert.equal(server.connectionCount, 0);
  } finally {
    await close();
  }
});
