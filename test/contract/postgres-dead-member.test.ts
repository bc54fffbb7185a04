import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { pause } from "../../src/base/clock.ts";
import { freshSchema } from "../kit/postgres.ts";
import { startProgram } from "../kit/program.ts";

test("a member that was silent for too long says so and stops; the others say what they do about it", async () => {
  const schema = await freshSchema();
  const [silent, other] = await Promise.all([0, 1].map(() => startProgram(["--store", schema.address])));
  try {
    const ended = once(silent!.child, "exit");
    silent!.child.kill("SIGSTOP");
    while (!other!.stderr().includes("a member no longer answers")) await pause(50);
    await pause(500);
    silent!.child.kill("SIGCONT");
    const [code] = await ended;
    assert.equal(code, 1);
    assert.match(silent!.stderr(), /declared this one dead, because it sent no heartbeat/);
    // The message must not send an operator to look at a disk.
    for (const { stderr } of [silent!, other!]) assert.doesNotMatch(stderr(), /disk/);
  } finally {
    await Promise.all([silent!.stop("SIGKILL"), other!.stop()]);
    await schema.drop();
  }
});
