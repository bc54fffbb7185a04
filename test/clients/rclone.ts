import assert from "node:assert/strict";
import { join } from "node:path";
import type { TestServer } from "../kit/server.ts";
import { differences, makeTree, readTree, run } from "./run.ts";

/**
 * rclone copies a tree up, finds nothing to do the second time, checks it by MD5, and copies it down again
 * unchanged; then a file is deleted here and the next sync deletes it there.
 */
export async function rcloneTree(
  server: TestServer,
  directory: string,
  { files, seed }: { readonly files: number; readonly seed: number },
): Promise<string> {
  const [up, down] = [join(directory, "up"), join(directory, "down")];
  makeTree(up, { files, seed });
  // Only as an "emulator" does it take an address with a port.
  const endpoint = `${server.endpoints.blob}/${server.account}`;
  const remote = `:azureblob,use_emulator=true,endpoint='${endpoint}':rclone-tree`;
  const flags = [
    "--config",
    "/dev/null",
    "--checksum",
    "--transfers",
    "16",
    "--checkers",
    "16",
    "--retries",
    "1",
    "--low-level-retries",
    "1",
  ];
  await run("rclone", ["mkdir", remote, ...flags]);
  const upload = await run("rclone", ["sync", up, remote, ...flags]);
  const again = await run("rclone", ["sync", up, remote, ...flags, "--stats-one-line", "-v"]);
  await run("rclone", ["check", up, remote, ...flags]);
  const download = await run("rclone", ["sync", remote, down, ...flags]);
  assert.deepEqual(differences(readTree(up), readTree(down)), []);
  assert.equal(readTree(down).size, files);
  assert.doesNotMatch(again.out, /Copied/);
  await run("rclone", ["purge", remote, ...flags]);
  const rate = (millis: number): string => `${Math.round((files * 1_000) / millis)}/s`;
  return `${files} files up at ${rate(upload.millis)}, down at ${rate(download.millis)}`;
}
