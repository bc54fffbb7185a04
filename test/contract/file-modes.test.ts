import assert from "node:assert/strict";
import { chmodSync, lstatSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, suite, test } from "node:test";
import { TableClient } from "@azure/data-tables";
import { BlobServiceClient } from "@azure/storage-blob";
import { ShareServiceClient } from "@azure/storage-file-share";
import { QueueServiceClient } from "@azure/storage-queue";
import { MIB } from "../../src/base/limits.ts";
import { startHoldfast } from "../../src/process/library.ts";
import { WELL_KNOWN_ACCOUNT, WELL_KNOWN_KEY } from "../../src/services/account/account-list.ts";
import { DISPOSITION } from "../../src/smb/wire/create.ts";
import { startProgram } from "../kit/program.ts";
import { SmbTestClient } from "../kit/smb-test-client.ts";

/** Stored data is for the owner only: files 0600 and directories 0700, whatever the umask. */
const root = mkdtempSync(join(tmpdir(), "holdfast-modes-"));
after(() => rmSync(root, { recursive: true, force: true }));

/** Runs a command with nothing masked. */
const WITHOUT_UMASK = ["sh", "-c", 'umask 000; exec "$@"', "sh"];

interface Entry {
  readonly path: string;
  readonly isDirectory: boolean;
  readonly mode: number;
}

/** Files may be removed while we look. */
function walk(path: string): Entry[] {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return [];
  const entry = { path, isDirectory: stat.isDirectory(), mode: stat.mode & 0o7777 };
  if (!entry.isDirectory) return [entry];
  return [entry, ...readdirSync(path).flatMap((name) => walk(join(path, name)))];
}

/** Everything below a data directory with a mode it must not have. */
function tooWide(directory: string): string[] {
  return walk(directory)
    .filter(({ isDirectory, mode }) => mode !== (isDirectory ? 0o700 : 0o600))
    .map(({ path, mode }) => `${path} ${mode.toString(8)}`);
}

/** Something small and something large in every service, so that records, journal and extents are written. */
async function writeEverywhere(connectionString: string, smbPort?: number): Promise<void> {
  const large = Buffer.alloc(2 * MIB, 7);
  const container = BlobServiceClient.fromConnectionString(connectionString).getContainerClient("work");
  await container.create();
  await container.getBlockBlobClient("small").upload("text", 4);
  await container.getBlockBlobClient("large").upload(large, large.length);
  const queue = QueueServiceClient.fromConnectionString(connectionString).getQueueClient("work");
  await queue.create();
  await queue.sendMessage("text");
  const table = TableClient.fromConnectionString(connectionString, "work", { allowInsecureConnection: true });
  await table.createTable();
  await table.createEntity({ partitionKey: "p", rowKey: "r", text: "text" });
  const share = ShareServiceClient.fromConnectionString(connectionString).getShareClient("work");
  await share.create();
  const file = share.rootDirectoryClient.getFileClient("large");
  await file.create(large.length);
  await file.uploadRange(large, 0, large.length);
  if (smbPort === undefined) return;
  const login = { user: WELL_KNOWN_ACCOUNT, password: WELL_KNOWN_KEY, share: "work" };
  const smb = await SmbTestClient.connect({ port: smbPort, ...login });
  const handle = await smb.open("by-smb", { access: "RW", disposition: DISPOSITION.OPEN_IF });
  await smb.write(handle, 0, "text");
  await smb.close(handle);
  smb.vanish();
}

suite("the data directory is for its owner only", () => {
  for (const workers of [1, 2]) {
    test(`with a umask of 000 and --workers ${workers}`, async (t) => {
      const data = join(root, `program-${workers}`);
      const logs = ["--accessLog", join(data, "access.log"), "--debug", join(data, "debug.log")];
      const flags = ["--location", data, "--workers", String(workers), ...logs];
      const program = await startProgram(flags, {}, WITHOUT_UMASK);
      t.after(() => program.stop());
      await writeEverywhere(program.connectionString, program.ports.smb);
      assert.deepEqual(tooWide(data), []);
      const names = walk(data).map(({ path }) => path.slice(data.length + 1));
      const expected = ["holdfast.json", "records/records.mdb", "records/records.mdb-lock", "access.log"];
      for (const name of [...expected, workers === 1 ? "records/journal-a" : "records/ephemeral.mdb"])
        assert.ok(names.includes(name), `${name} is missing among ${names.join(" ")}`);
      assert.ok(names.some((name) => /^extents\/./.test(name)));
      assert.ok(names.some((name) => /^lock\/.*\.sock$/.test(name)));
      assert.equal(await program.stop(), 0);
      assert.deepEqual(tooWide(data), []);
    });
  }

  test("in a program that uses the library and masks nothing", async () => {
    const data = join(root, "library");
    const before = process.umask(0);
    try {
      const server = await startHoldfast({ directory: data });
      await writeEverywhere(server.connectionString);
      assert.deepEqual(tooWide(data), []);
      await server.close();
      assert.deepEqual(tooWide(data), []);
    } finally {
      process.umask(before);
    }
  });

  test("after it was open to others: the start tightens it and says so", async () => {
    const data = join(root, "older");
    const older = await startProgram(["--location", data]);
    await writeEverywhere(older.connectionString, older.ports.smb);
    assert.equal(await older.stop(), 0);
    const foreign = join(data, "__azurite_db_blob__.json");
    writeFileSync(foreign, "{}");
    for (const { path, isDirectory } of walk(data)) chmodSync(path, isDirectory ? 0o755 : 0o644);
    const count = walk(data).length - 1;

    const newer = await startProgram(["--location", data]);
    assert.deepEqual(tooWide(data), [`${foreign} 644`], "files of others are left as they are");
    assert.match(newer.stderr(), new RegExp(`"count":${count},.*modes set to owner only`));
    assert.equal(await newer.stop(), 0);

    const again = await startProgram(["--location", data]);
    assert.doesNotMatch(again.stderr(), /owner only/, "once is enough");
    assert.equal(await again.stop(), 0);
  });
});
