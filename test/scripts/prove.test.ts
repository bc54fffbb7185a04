import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { printTable, printTime, runProofs } from "../../scripts/prove/run-proofs.ts";
import { pause } from "../../src/base/clock.ts";
import type { Proof } from "../support/proof.ts";

const repository = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const scratch = mkdtempSync(join(tmpdir(), "holdfast-prove-test-"));
after(() => rmSync(scratch, { recursive: true, force: true }));

const put = (path: string, text: string): void => {
  mkdirSync(dirname(join(scratch, path)), { recursive: true });
  writeFileSync(join(scratch, path), text);
};
put(
  "good/one.mjs",
  `export const proof = { name: "one", what: "one holds", minutes: 2, run: async ({ length, seed, progress }) => {
    progress("half way");
    return { ok: true, summary: length + " " + seed };
  } };`,
);
put(
  "good/two.mjs",
  'export const proof = { name: "two", what: "two holds", minutes: 1, run: async () => ({ ok: true, summary: "2" }) };',
);
put("good/helper.mjs", "export const help = 1;");
put(
  "bad/broken.mjs",
  'export const proof = { name: "broken", what: "it holds", minutes: 1, run: async () => { throw new Error("no"); } };',
);

function prove(...args: string[]) {
  const done = spawnSync(process.execPath, ["--import", "tsx", "scripts/prove.ts", ...args], {
    cwd: repository,
    env: { ...process.env, TMPDIR: scratch },
    encoding: "utf8",
  });
  return { ...done, text: done.stdout + done.stderr };
}

test("a proof gets its own directory, which is kept only when it does not hold", async () => {
  const directories: string[] = [];
  const proof = (name: string, ok: boolean): Proof => ({
    name,
    what: "w",
    minutes: 1,
    run: async ({ directory }) => {
      directories.push(directory);
      writeFileSync(join(directory, "trace"), "x");
      return { ok, summary: "f" };
    },
  });
  const lines: string[] = [];
  const outcomes = await runProofs({
    proofs: [proof("a", true), proof("b", false)],
    length: "quick",
    seed: 7,
    print: (line) => lines.push(line),
  });
  assert.deepEqual(
    outcomes.map(({ name, ok, seed }) => [name, ok, seed]),
    [
      ["a", true, 7],
      ["b", false, 7],
    ],
  );
  assert.equal(existsSync(directories[0]!), false);
  assert.equal(existsSync(directories[1]!), true);
  assert.match(lines.at(-1)!, /^\[2\/2\] b: BROKEN, f, .*\(seed 7, see /);
  assert.match(
    printTable(outcomes),
    /^proof {2}verdict {2}time {3}summary\na {6}holds {4}0\.0 s {2}f\nb {6}BROKEN {3}0\.0 s {2}f\n$/,
  );
  rmSync(directories[1]!, { recursive: true });
});

test("the longest begin first, some at a time, and those that want the machine alone come last", async () => {
  const running = new Set<string>();
  const seen: string[] = [];
  const proof = (name: string, minutes: number, isAlone = false): Proof => ({
    name,
    what: "w",
    minutes,
    isAlone,
    run: async () => {
      running.add(name);
      seen.push([...running].join("+"));
      await pause(5 * minutes);
      running.delete(name);
      return { ok: true, summary: "f" };
    },
  });
  const proofs = [
    proof("alone", 1, true),
    proof("short", 1),
    proof("long", 20),
    proof("middle", 5),
    proof("shorter", 3),
  ];
  const outcomes = await runProofs({ proofs, length: "usual", seed: 1, print: () => {} });
  assert.deepEqual(seen, ["long", "long+middle", "long+middle+shorter", "long+middle+short", "alone"]);
  assert.deepEqual(
    outcomes.map(({ name }) => name),
    ["alone", "short", "long", "middle", "shorter"],
  );
});

test("times are printed for people", () => {
  assert.equal(printTime(1_234), "1.2 s");
  assert.equal(printTime(125_000), "2 min 5 s");
});

test("the command runs what it finds, shows progress, ends with a table and writes JSON", () => {
  const json = join(scratch, "out", "proofs.json");
  const { status, text } = prove("--from", join(scratch, "good"), "--quick", "--seed", "5", "--json", json);
  assert.equal(status, 0, text);
  assert.match(text, /\[1\/2\] one: 0\.0 s half way/);
  assert.match(text, /one {4}holds {4}0\.0 s {2}quick 5\ntwo/);
  const written = JSON.parse(readFileSync(json, "utf8"));
  assert.equal(written.seed, 5);
  assert.equal(written.outcomes.length, 2);
});

test("--only and --list choose and name, and a name nobody has is an error", () => {
  const from = ["--from", join(scratch, "good")];
  assert.doesNotMatch(prove(...from, "--only", "two").text, /one holds/);
  assert.match(prove(...from, "--list").stdout, /^one +2 min +one holds\ntwo +1 min +two holds\n$/);
  assert.equal(prove(...from, "--only", "three").status, 2);
  assert.equal(prove("--slow").status, 2);
  assert.equal(prove(...from, "--quick", "--long").status, 2);
  assert.equal(prove(...from, "--seed", "x").status, 2);
});

test("a proof that throws is broken, and the exit code is 1", () => {
  const { status, text } = prove("--from", join(scratch, "bad"));
  assert.equal(status, 1);
  assert.match(text, /broken: BROKEN, stopped by Error: no/);
});

test("without any proof there is nothing to break", () => {
  const { status, text } = prove("--from", join(scratch, "nowhere"));
  assert.equal(status, 0);
  assert.match(text, /no proofs were run/);
});
