import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { plantedEnvironment, readPlants, uselessEdits } from "../support/planted.ts";

test("every planted bug still finds the code it changes, in the sources and in the build", () => {
  assert.deepEqual(uselessEdits("src"), []);
  assert.deepEqual(uselessEdits("dist"), []);
  assert.equal(new Set(readPlants().map(({ name }) => name)).size, readPlants().length);
});

test("a process with a planted bug has it, and one without has not", () => {
  const lock = fileURLToPath(new URL("../../src/concurrency/byte-range-lock.ts", import.meta.url));
  const script = `import { mayRestWrite } from ${JSON.stringify(lock)}; console.log(mayRestWrite([{}]));`;
  const run = (env: Record<string, string>): string => {
    const args = ["--import", "tsx", "--input-type=module", "--eval", script];
    const done = spawnSync(process.execPath, args, { encoding: "utf8", env: { ...process.env, ...env } });
    assert.equal(done.status, 0, done.stderr);
    return done.stdout.trim();
  };
  assert.equal(run({}), "false");
  assert.equal(run(plantedEnvironment("rest-ignores-locks")), "true");
  assert.throws(() => plantedEnvironment("no-such-bug"), /there is no planted bug/);
});
