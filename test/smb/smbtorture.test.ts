import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { after, before, test } from "node:test";
import { SMB_ACCOUNT, SMB_PASSWORD, type SmbTestServer, startSmbServer } from "../kit/smb-server.ts";

/**
 * Samba's own test suite, the quick part of it. Each row names the tests that are known to fail and why they do is
 * told in docs/smb.md; any other failure is one of ours, and so is a test that has begun to pass unnoticed.
 */
const SUITES: Readonly<Record<string, readonly string[]>> = {
  "smb2.connect": [],
  "smb2.tcon": [],
  "smb2.mkdir": [],
  "smb2.read": [],
  "smb2.rw": ["invalid"],
  "smb2.lock": ["replay_broken_windows"],
  "smb2.sharemode": [],
  "smb2.deny": [],
  "smb2.openattr": [],
  "smb2.winattr": [],
  "smb2.sdread": [],
  "smb2.session-id": [],
  "smb2.credits": [],
  "smb2.create_no_streams": [],
  "smb2.compound_async": [],
  "smb2.rename": ["no_share_delete_no_delete_access"],
  "smb2.fileid": ["fileid", "fileid-dir"],
  "smb2.durable-v2-delay": [],
  "smb2.lease.upgrade3": [],
};

const isMissing = spawnSync("smbtorture", ["--version"]).status !== 0;
const skip = isMissing ? "smbtorture is not installed (apt-get install samba-testsuite)" : false;

let smb: SmbTestServer;
before(async () => {
  // The suites try what happens without signatures: the client decides, as it did for Samba's own score.
  smb = await startSmbServer({ signing: "enabled" });
});
after(() => smb.close());

function smbtorture(suite: string): Promise<string> {
  const args = [
    "//127.0.0.1/work",
    "-p",
    String(smb.port),
    "-U",
    `${SMB_ACCOUNT}%${SMB_PASSWORD}`,
    "--option=torture:progress=no",
    "--fullname",
    suite,
  ];
  return new Promise((resolve, reject) => {
    const child = spawn("smbtorture", args, { timeout: 120_000 });
    const pieces: Buffer[] = [];
    child.stdout.on("data", (piece: Buffer) => pieces.push(piece));
    child.stderr.on("data", (piece: Buffer) => pieces.push(piece));
    child.on("error", reject);
    child.on("close", () => resolve(Buffer.concat(pieces).toString()));
  });
}

for (const [suite, known] of Object.entries(SUITES)) {
  test(`smbtorture ${suite}`, { skip }, async () => {
    const output = await smbtorture(suite);
    const named = (result: string): string[] =>
      [...output.matchAll(new RegExp(`^${result}: (\\S+)`, "gm"))].map(([, name]) =>
        name!.replace(`${suite}.`, ""),
      );
    assert.ok(named("success").length > 0, output);
    const failed = [...named("failure"), ...named("error")].sort();
    assert.deepEqual(failed, [...known].sort(), output);
    // A test that neither passed nor failed hung or took the client down.
    const ended = named("success").length + failed.length + named("skip").length;
    assert.equal(ended, named("test").length, output);
  });
}
