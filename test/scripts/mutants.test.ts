import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { KEY } from "../../bench/sign.ts";
import { startProgram } from "../kit/program.ts";
import { mutantEnvironment, readMutants, uselessEdits } from "../support/mutants.ts";

test("every mutant still finds the code it changes, in the sources and in the build", () => {
  assert.deepEqual(uselessEdits("src"), []);
  assert.deepEqual(uselessEdits("dist"), []);
  assert.equal(new Set(readMutants().map(({ name }) => name)).size, readMutants().length);
});

test("only a process with a mutant has its bug", () => {
  const lock = fileURLToPath(new URL("../../src/concurrency/byte-range-lock.ts", import.meta.url));
  const script = `import { mayRestWrite } from ${JSON.stringify(lock)}; console.log(mayRestWrite([{}]));`;
  const run = (env: Record<string, string>): string => {
    const args = ["--import", "tsx", "--input-type=module", "--eval", script];
    const done = spawnSync(process.execPath, args, { encoding: "utf8", env: { ...process.env, ...env } });
    assert.equal(done.status, 0, done.stderr);
    return done.stdout.trim();
  };
  assert.equal(run({}), "false");
  assert.equal(run(mutantEnvironment("rest-ignores-locks")), "true");
  assert.throws(() => mutantEnvironment("no-such-bug"), /there is no mutant/);
});

test("the program has the bug too, though it is one file", async () => {
  const fields = [
    "devstoreaccount1",
    "l",
    "b",
    "s",
    "",
    "2020-01-01T00:00:00Z",
    "",
    "",
    "2020-12-06",
    "",
    "",
  ];
  const signature = createHmac("sha256", KEY).update(fields.join("\n")).digest("base64");
  const sas = `sv=2020-12-06&ss=b&srt=s&sp=l&se=2020-01-01T00:00:00Z&sig=${encodeURIComponent(signature)}`;
  const list = async (env: Record<string, string>): Promise<number> => {
    const program = await startProgram(["--inMemoryPersistence", "--silent"], env);
    try {
      const address = `http://127.0.0.1:${program.ports.blob}/devstoreaccount1?comp=list&${sas}`;
      return (await fetch(address)).status;
    } finally {
      await program.stop();
    }
  };
  assert.equal(await list({}), 403);
  assert.equal(await list(mutantEnvironment("sas-never-ends")), 200);
});
