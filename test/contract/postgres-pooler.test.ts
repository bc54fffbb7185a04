import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { BlobServiceClient } from "@azure/storage-blob";
import { pause } from "../../src/base/clock.ts";
import { freePort, freshSchema, sharedDatabase } from "../kit/postgres.ts";
import { startProgram } from "../kit/program.ts";

/** Debian's PgBouncer between a member and its database, with session pooling as in the operations guide. */
const PROGRAM = ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer", "/usr/local/bin/pgbouncer"].find(existsSync);
const skip = PROGRAM === undefined ? "pgbouncer is not installed (apt-get install pgbouncer)" : false;
const UNPRIVILEGED = 65_534;
const isRoot = process.getuid?.() === 0;

async function startPooler(databasePort: number): Promise<{ readonly port: number; stop(): Promise<void> }> {
  const directory = mkdtempSync(join(tmpdir(), "holdfast-pooler-"));
  const port = await freePort();
  const settings = [
    "[databases]",
    `postgres = host=127.0.0.1 port=${databasePort}`,
    "[pgbouncer]",
    "listen_addr = 127.0.0.1",
    `listen_port = ${port}`,
    "unix_socket_dir =",
    "auth_type = trust",
    `auth_file = ${join(directory, "users")}`,
    "pool_mode = session",
    "default_pool_size = 50",
  ];
  writeFileSync(join(directory, "users"), '"holdfast" ""\n');
  writeFileSync(join(directory, "pgbouncer.ini"), `${settings.join("\n")}\n`);
  if (isRoot)
    for (const name of ["", "users", "pgbouncer.ini"])
      chownSync(join(directory, name), UNPRIVILEGED, UNPRIVILEGED);
  const child = spawn(PROGRAM!, [join(directory, "pgbouncer.ini")], {
    stdio: ["ignore", "ignore", "pipe"],
    // It refuses to run as root.
    ...(isRoot ? { uid: UNPRIVILEGED, gid: UNPRIVILEGED } : {}),
  });
  let said = "";
  child.stderr.on("data", (chunk: Buffer) => {
    said += chunk.toString();
  });
  const ended = new Promise<void>((resolve) => child.on("exit", () => resolve()));
  const end = (): void => {
    child.kill("SIGKILL");
  };
  process.once("exit", end);
  while (!said.includes("process up")) {
    assert.equal(child.exitCode, null, said);
    await pause(20);
  }
  return {
    port,
    stop: async () => {
      process.off("exit", end);
      end();
      await ended;
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

test("a member works through PgBouncer that pools sessions", { skip }, async () => {
  const { address, drop } = await freshSchema();
  const pooler = await startPooler((await sharedDatabase()).port);
  try {
    const program = await startProgram([
      "--store",
      address.replace(/127\.0\.0\.1:\d+/, `127.0.0.1:${pooler.port}`),
    ]);
    try {
      const container = BlobServiceClient.fromConnectionString(program.connectionString).getContainerClient(
        "pooled",
      );
      await container.create();
      await Promise.all(
        Array.from({ length: 20 }, (_, i) =>
          container.getBlockBlobClient(`b${i}`).upload(`text ${i}`, `text ${i}`.length),
        ),
      );
      const large = Buffer.alloc(300_000, "x");
      await container.getBlockBlobClient("large").upload(large, large.length);
      assert.ok((await container.getBlobClient("large").downloadToBuffer()).equals(large));
      assert.equal((await container.getBlobClient("b19").downloadToBuffer()).toString(), "text 19");
    } finally {
      await program.stop();
    }
  } finally {
    await pooler.stop();
    await drop();
  }
});
