import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { installMissing, type System } from "../../scripts/test/programs.ts";

const repository = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const scratch = mkdtempSync(join(tmpdir(), "holdfast-test-command-"));
after(() => rmSync(scratch, { recursive: true, force: true }));

const put = (path: string, body: string): void => {
  mkdirSync(dirname(join(scratch, path)), { recursive: true });
  writeFileSync(join(scratch, path), `import { describe, test } from "node:test";\n${body}\n`);
};
put(
  "src/blob/good.test.ts",
  'test("works", () => {});\ndescribe("group", () => { test("inside", () => {}); });',
);
put(
  "src/queue/skips.test.ts",
  'test("later", { skip: "needs a queue" }, () => {});\ntest("now", () => {});\n' +
    'describe("all of it", { skip: "needs a server" }, () => { test("inside", () => {}); });',
);
put(
  "test/bad.test.ts",
  'describe("group", () => { test("breaks", () => { throw new Error("it broke"); }); });',
);
put("test/crash.test.ts", 'test("fine", () => {});\nthrow new Error("at load");');
put("test/helper.ts", 'test("not a test file", () => {});');

function testCommand(...args: string[]): { lines: string[]; status: number | null; text: string } {
  // The runner tells its children by this variable; a test command started from a test must not take itself
  // for one.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const done = spawnSync(
    process.execPath,
    ["--import", "tsx", join(repository, "scripts/test.ts"), "--root", scratch, ...args],
    { cwd: repository, env, encoding: "utf8" },
  );
  const text = done.stdout + done.stderr;
  return { lines: done.stdout.trimEnd().split("\n"), status: done.status, text };
}

test("tests that pass or skip end well, with counts last and the reason of each skip", () => {
  const { lines, status, text } = testCommand("--only-tests", "blob", "queue");
  assert.equal(status, 0, text);
  assert.equal(lines.at(-1), "3 passed, 0 failed, 2 skipped", text);
  assert.ok(lines.includes("ℹ tests 4"), text);
  assert.ok(lines.includes("ℹ pass 3"), text);
  assert.ok(lines.includes("ℹ skipped 1"), text);
  assert.match(text, /src\/queue\/skips\.test\.ts: later: needs a queue/);
  assert.match(text, /src\/queue\/skips\.test\.ts: all of it: needs a server/);
  assert.match(text, /^dearest of 2 files, which took \d+ seconds of a core:$/m);
  assert.match(text, /^ {2}\d+\.\d s in \d+\.\d s {2}src\/blob\/good\.test\.ts$/m);
  assert.match(text, /^ok {3}src\/blob\/good\.test\.ts {2}2 passed/m);
  assert.match(text, /tests +ok +\d+\.\d s/);
  assert.doesNotMatch(text, /bad\.test/);
});

test("a test that fails is shown with its error, and the exit code says so", () => {
  const { lines, status, text } = testCommand("--only-tests", "bad");
  assert.equal(status, 1);
  assert.equal(lines.at(-1), "0 passed, 1 failed, 0 skipped", text);
  assert.match(text, /^FAIL test\/bad\.test\.ts/m);
  assert.match(text, /test\/bad\.test\.ts: breaks\n +Error: it broke/);
});

test("an error that is no Error any more on its way here, and cannot be a text, is shown all the same", () => {
  put(
    "test/odd.test.ts",
    'test("breaks oddly", () => { throw Object.assign(Object.create(null), { code: 404 }); });',
  );
  const { status, text } = testCommand("--only-tests", "odd");
  assert.equal(status, 1, text);
  assert.match(text, /test\/odd\.test\.ts: breaks oddly\n.*code: 404/);
});

test("a file that breaks while it loads is a failure", () => {
  const { lines, status, text } = testCommand("--only-tests", "crash");
  assert.equal(status, 1, text);
  assert.match(lines.at(-1)!, /^\d passed, 1 failed, 0 skipped$/, text);
});

test("a file that cannot be compiled fails alone, and says where", () => {
  put("test/torn/torn.test.ts", 'test("half", () => {');
  put("test/torn/whole.test.ts", 'test("whole", () => {});');
  const { lines, status, text } = testCommand("--only-tests", "torn");
  assert.equal(status, 1, text);
  assert.equal(lines.at(-1), "1 passed, 1 failed, 0 skipped", text);
  assert.match(text, /test\/torn\/torn\.test\.ts:3:/);
});

test("a filter that matches nothing and a flag nobody knows are errors", () => {
  assert.equal(testCommand("--only-tests", "nothing-like-it").status, 1);
  const { status, text } = testCommand("--fast");
  assert.equal(status, 2);
  assert.match(text, /--fast: expected --only-tests/);
});

test("without --only-tests a tree that does not pass the checks fails, whatever its tests say", () => {
  const { status, text } = testCommand("blob");
  assert.equal(status, 1);
  assert.match(text, /^FAIL types/m);
  assert.match(text, /2 passed, 0 failed, 0 skipped\n$/);
});

test("missing programs are installed where that is possible, and every other case says why not", () => {
  const needed = [{ program: "smbclient", pack: "smbclient", why: "the SMB suite" }];
  const ran: string[] = [];
  const system = (over: Partial<System>, there: string[] = ["apt-get"]): System => ({
    has: (program) => there.includes(program),
    isRoot: true,
    run: (command, args) => {
      ran.push([command, ...args].join(" "));
      return true;
    },
    ...over,
  });
  assert.equal(installMissing([], system({})), "no program of the system is needed");
  assert.equal(installMissing(needed, system({}, ["smbclient"])), "all there: smbclient");
  assert.match(
    installMissing(needed, system({ isRoot: false })),
    /smbclient \(the SMB suite\); .* not root$/,
  );
  assert.match(installMissing(needed, system({}, [])), /there is no apt-get$/);
  assert.deepEqual(ran, []);
  assert.equal(installMissing(needed, system({})), "installed: smbclient");
  assert.deepEqual(ran, ["apt-get install -y --no-install-recommends smbclient"]);
  assert.match(installMissing(needed, system({ run: () => false })), /could not install them/);
});
