import { join } from "node:path";
import { installMissing, thisSystem } from "../../scripts/test/programs.ts";
import { azStorageBlob } from "../clients/az.ts";
import { azFileTree, azStorageFile } from "../clients/az-file.ts";
import { azStorageQueue } from "../clients/az-queue.ts";
import { azStorageTable } from "../clients/az-table.ts";
import { rcloneTree } from "../clients/rclone.ts";
import { isInUse, RESTIC_PORT, resticBackup } from "../clients/restic.ts";
import { startTestServer } from "../kit/server.ts";
import type { Proof } from "../support/proof.ts";

const NEEDED = [
  { program: "rclone", pack: "rclone", why: "syncs a tree" },
  { program: "restic", pack: "restic", why: "backs up and restores" },
  { program: "az", pack: "azure-cli", why: "speaks to all services from a shell" },
];

export const proof: Proof = {
  name: "blob-clients",
  what: "rclone, restic and az storage do their work against us unchanged",
  minutes: 3,
  async run({ length, progress, seed, directory }) {
    progress(installMissing(NEEDED, thisSystem));
    const stats: string[] = [];
    const isThere = (program: string): boolean => {
      const has = thisSystem.has(program);
      if (!has) stats.push(`${program} not run: it could not be installed`);
      return has;
    };
    const server = await startTestServer({ engine: "embedded" });
    try {
      const files = length === "long" ? 2_000 : 200;
      if (isThere("rclone")) {
        stats.push(`rclone: ${await rcloneTree(server, join(directory, "rclone"), { files, seed })}`);
      }
      // Each of its commands takes a second to start.
      if (length === "quick") stats.push("az: not in the quick run");
      else if (isThere("az")) {
        stats.push(`az storage blob: ${await azStorageBlob(server, join(directory, "az"), progress)}`);
        stats.push(`queue: ${await azStorageQueue(server, join(directory, "az-queue"), progress)}`);
        stats.push(`table: ${await azStorageTable(server, join(directory, "az-table"), progress)}`);
        stats.push(`file: ${await azStorageFile(server, join(directory, "az-file"), progress)}`);
        const tree = { files: length === "long" ? 500 : 100, progress };
        stats.push(`files in batches: ${await azFileTree(server, join(directory, "az-tree"), tree)}`);
      }
    } finally {
      await server.close();
    }
    if (isThere("restic")) {
      const isBusy = await isInUse(RESTIC_PORT);
      if (isBusy) stats.push(`restic not run: port ${RESTIC_PORT}, the only one it knows, is in use`);
      else stats.push(`restic: ${await resticBackup(join(directory, "restic"), seed)}`);
    }
    return { ok: true, summary: stats.join("; ") };
  },
};
