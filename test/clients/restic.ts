import assert from "node:assert/strict";
import { connect } from "node:net";
import { join } from "node:path";
import { startTestServer } from "../kit/server.ts";
import { differences, makeTree, readTree, run } from "./run.ts";

/** For the well-known account restic knows one address and takes no other. */
export const RESTIC_PORT = 10_000;

/** Whether another program listens there already. */
export function isInUse(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.on("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.on("error", () => resolve(false));
  });
}

/** restic backs a tree up twice, with a change in between, checks its repository and restores both states. */
export async function resticBackup(directory: string, seed: number): Promise<string> {
  const server = await startTestServer({ engine: "embedded", flags: ["--blobPort", String(RESTIC_PORT)] });
  try {
    const [source, first, second] = ["source", "first", "second"].map((name) => join(directory, name));
    const env = {
      AZURE_ACCOUNT_NAME: server.account,
      AZURE_ACCOUNT_KEY: server.key,
      RESTIC_PASSWORD: "correct horse",
      RESTIC_CACHE_DIR: join(directory, "cache"),
    };
    const restic = (...args: string[]) =>
      run("restic", ["-r", "azure:restic-backups:/repo", ...args], { env });
    makeTree(source!, { files: 300, seed });
    await restic("init");
    const backup = await restic("backup", source!);
    const before = readTree(source!);
    makeTree(source!, { files: 350, seed: seed + 1 });
    await restic("backup", source!);
    await restic("check", "--read-data");
    const { out } = await restic("snapshots", "--json");
    const ids = (JSON.parse(out) as { readonly short_id: string }[]).map(({ short_id: id }) => id);
    assert.equal(ids.length, 2);
    await restic("restore", ids[0]!, "--target", first!);
    await restic("restore", ids[1]!, "--target", second!);
    assert.deepEqual(differences(before, readTree(join(first!, source!))), []);
    assert.deepEqual(differences(readTree(source!), readTree(join(second!, source!))), []);
    await restic("forget", ids[0]!, "--prune");
    await restic("check");
    return `2 backups of ${before.size} and 350 files restored unchanged, the first in ${Math.round(backup.millis)} ms`;
  } finally {
    await server.close();
  }
}
