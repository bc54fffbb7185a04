import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { suite, test } from "node:test";
import { startSmbServer } from "../kit/smb-server.ts";
import { readTorture, smbtorture } from "../kit/smbtorture.ts";
import { MISSED_BY_DEFAULT, SELECTED, TORTURE_SUITES } from "./torture-suites.ts";

/**
 * Samba's own test suite: what is short, and single tests of the long suites; `npm run prove -- --only
 * smb-torture` runs it all. A failure that is not listed is one of ours, and so is a listed one that has
 * begun to pass unnoticed.
 */
const isMissing = spawnSync("smbtorture", ["--version"]).status !== 0;
const skip = isMissing ? "smbtorture is not installed (apt-get install samba-testsuite)" : false;
/** Only the proof runs these: they wait for seconds on purpose, or fail as a whole. */
const ONLY_PROVED = ["smb2.multichannel", "smb2.compound_find", "smb2.dir", "smb2.create"];

interface Settings {
  readonly acls?: "enforced";
  readonly streams?: "refused" | "kept";
}
const AS_SAMBA = { acls: "enforced", streams: "kept" } as const;

async function run(name: string, expected: readonly string[], settings: Settings): Promise<void> {
  // A server for each: what an aborted test leaves behind must not fail the next. The suites also try what
  // happens without signatures: the client decides, as it did for Samba's own score.
  const server = await startSmbServer({ signing: "enabled", ...settings });
  try {
    const { passed, failed, unfinished, output } = await smbtorture({ port: server.port, suite: name });
    assert.deepEqual([...failed].sort(), [...expected].sort(), output);
    assert.deepEqual(unfinished, [], output);
    assert.ok(passed.length + failed.length > 0, output);
  } finally {
    await server.close();
  }
}

/** Beside each other: each has a server of its own, and most of them wait most of the time. */
const AT_ONCE = 4;
suite("smbtorture", { skip, concurrency: AT_ONCE }, () => {
  for (const { suite: name, misses, isLong, streams = AS_SAMBA.streams } of TORTURE_SUITES) {
    if (isLong || ONLY_PROVED.includes(name)) continue;
    const expected = Object.keys(misses);
    test(name, () => run(name, expected, { ...AS_SAMBA, streams }));
    const others = MISSED_BY_DEFAULT[name];
    if (others === undefined) continue;
    test(`${name} on a server with its defaults`, () => run(name, [...expected, ...Object.keys(others)], {}));
  }
  for (const [long, names] of Object.entries(SELECTED))
    for (const name of names) test(`${long}.${name}`, () => run(`${long}.${name}`, [], AS_SAMBA));
});

test("results are read by their names, also those with spaces and those that never came", () => {
  const lines = [
    "test: smb2.x.a b",
    "success: smb2.x.a b",
    "test: smb2.x.c",
    "failure: smb2.x.c [",
    "why",
    "]",
  ];
  const read = readTorture([...lines, "test: smb2.x.d"].join("\n"), "smb2.x");
  assert.deepEqual([read.passed, read.failed, read.unfinished], [["a b"], ["c"], ["d"]]);
});
