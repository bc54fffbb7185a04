import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { freshSchema } from "../../../test/kit/postgres.ts";
import { silentLog } from "../../observability/log.ts";
import type { MigrationStep } from "../migrate.ts";
import type { StoreChoice } from "../options.ts";
import { Runtime } from "../runtime.ts";
import { azuriteOffer } from "./azurite-data.ts";
import { type AzuriteImported, importAzurite } from "./import-azurite.ts";

/** Files as Azurite writes them; test/contract/azurite-data.test.ts has real ones. */
const account = "devstoreaccount1";
const time = "2026-01-02T03:04:05.678Z";
let folder = "";
let from = "";
let to: StoreChoice;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "holdfast-import-"));
  from = join(folder, "azurite");
  to = { kind: "embedded", directory: join(folder, "data") };
  mkdirSync(join(from, "__blobstorage__"), { recursive: true });
  writeFileSync(join(from, "__blobstorage__", "bodies"), "hello, world");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const container = (name: string): object => ({
  accountName: account,
  name,
  properties: { etag: '"0x1"', lastModified: time },
});

const blob = (name: string, changes: object = {}): object => ({
  accountName: account,
  containerName: "one",
  name,
  snapshot: "",
  isCommitted: true,
  properties: { creationTime: time, lastModified: time, contentLength: 5, blobType: "BlockBlob" },
  persistency: { id: "bodies", offset: 0, count: 5 },
  ...changes,
});

function write(containers: readonly object[], blobs: readonly object[]): void {
  const collections = [
    { name: "$CONTAINERS_COLLECTION$", data: containers },
    { name: "$BLOBS_COLLECTION$", data: blobs },
  ];
  writeFileSync(join(from, "__azurite_db_blob__.json"), JSON.stringify({ filename: "x", collections }));
}

function run(progress = (_: MigrationStep): void => {}): Promise<AzuriteImported> {
  return importAzurite({ directory: from, to, log: silentLog, progress });
}

test("an interrupted import continues where it stopped, and the target refuses to serve until then", async () => {
  const { address, drop } = await freshSchema();
  try {
    to = { kind: "postgres", address };
    write(
      [container("one")],
      Array.from({ length: 2_500 }, (_, index) => blob(`blob ${index}`)),
    );
    let batches = 0;
    const interrupted = run(() => {
      if (++batches === 3) throw new Error("pulled the plug");
    });
    await assert.rejects(interrupted, /pulled the plug/);
    const fail = (error: unknown): never => {
      throw error;
    };
    const runtime = new Runtime({ choice: to, owner: "test", log: silentLog, onFatal: fail });
    await assert.rejects(runtime.recoverAll(), /is unfinished/);
    await runtime.close();
    const imports: number[] = [];
    const { records } = await run(({ phase, done, total }) => {
      if (phase === "import") imports.push(done / total!);
    });
    assert.ok(imports[0]! > 0.15, "the first batches are not imported again");
    assert.equal(records, 2_501);
    await assert.rejects(run(), /is not empty/);
  } finally {
    await drop();
  }
});

test("other data than that of the interrupted import is refused", async () => {
  write([container("one")], [blob("a")]);
  await assert.rejects(
    run(() => {
      throw new Error("pulled the plug");
    }),
  );
  write([container("one")], [blob("b")]);
  await assert.rejects(run(), /unfinished migration from another source/);
});

test("damaged data is refused with the name of the object, and what is wrong with it", async () => {
  const persistency = (id: string, offset: number): object => ({ persistency: { id, offset, count: 5 } });
  const damages: [object, RegExp][] = [
    [blob("a", persistency("gone", 0)), /the blob devstoreaccount1\/one\/a .* is missing/],
    [blob("a", persistency("bodies", 9)), /the blob devstoreaccount1\/one\/a .* cut off at 12/],
    [blob("a", persistency("../secret", 0)), /found \.\.\/secret/],
    [
      blob("a", { properties: { lastModified: "soon", contentLength: 5, blobType: "BlockBlob" } }),
      /expected a time as lastModified/,
    ],
    [blob("a", { properties: { lastModified: time, contentLength: 5, blobType: "Blob" } }), /it is a Blob/],
    [blob("a", { persistency: undefined }), /it has 0 of its 5 bytes/],
    [{ accountName: account }, /a blob .* it has no containerName/],
  ];
  for (const [damagedBlob, reason] of damages) {
    write([container("one")], [damagedBlob]);
    await assert.rejects(run(), reason);
    rmSync((to as { directory: string }).directory, { recursive: true });
  }
});

test("blobs without their container are counted and left out; a copy shares the bytes of its source", async () => {
  writeFileSync(join(from, "__blobstorage__", "bodies"), Buffer.alloc(100_000, "long"));
  const long = {
    properties: { creationTime: time, lastModified: time, contentLength: 90_000, blobType: "BlockBlob" },
    persistency: { id: "bodies", offset: 0, count: 90_000 },
  };
  const lost = { ...blob("lost", long), containerName: "gone" };
  write([container("one")], [lost, blob("a", long), blob("copy", long)]);
  const { records, orphans } = await run();
  assert.deepEqual([records, orphans], [4, 1]);
});

test("a directory without Azurite's files is refused; with them, the first start offers the import", async () => {
  await assert.rejects(run(), /holds no data of Azurite/);
  write([], []);
  const inside = join(from, ".holdfast");
  for (const directory of [from, inside])
    assert.match(
      azuriteOffer({ kind: "embedded", directory })!,
      new RegExp(`azurite:${from} --to ${directory}$`),
    );
  assert.equal(azuriteOffer({ kind: "embedded", directory: join(from, "other") }), undefined);
  mkdirSync(inside);
  writeFileSync(join(inside, "holdfast.json"), "{}");
  assert.equal(azuriteOffer({ kind: "embedded", directory: inside }), undefined);
});
