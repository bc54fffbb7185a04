import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { BlobServiceClient } from "@azure/storage-blob";
import { type Holdfast, startHoldfast } from "../../src/process/library.ts";

const containerOf = ({ connectionString }: Holdfast) =>
  BlobServiceClient.fromConnectionString(connectionString, {
    retryOptions: { maxTries: 1 },
  }).getContainerClient("container");

const isFault = (error: unknown): boolean => (error as { statusCode?: number }).statusCode === 500;

test("a blob whose record has a flipped bit is 500, not 404 and not other bytes; the others are served", async (t) => {
  const directory = mkdtempSync(join(tmpdir(), "holdfast-test-"));
  const before = await startHoldfast({ directory });
  await containerOf(before).create();
  for (const name of ["one", "two"]) {
    const text = `the bytes of ${name}`;
    await containerOf(before).getBlockBlobClient(name).upload(text, text.length);
  }
  await before.close();
  const path = join(directory, "records", "records.mdb");
  const bytes = readFileSync(path);
  for (let at = bytes.indexOf("the bytes of one"); at >= 0; at = bytes.indexOf("the bytes of one", at))
    bytes[at]! ^= 1;
  writeFileSync(path, bytes);

  const holdfast = await startHoldfast({ directory });
  t.after(async () => {
    await holdfast.close();
    rmSync(directory, { recursive: true });
  });
  const container = containerOf(holdfast);
  const one = container.getBlockBlobClient("one");
  await assert.rejects(one.downloadToBuffer(), isFault);
  await assert.rejects(one.getProperties(), isFault);
  await assert.rejects(one.upload("new", 3, { conditions: { ifMatch: "*" } }), isFault);
  assert.equal(String(await container.getBlockBlobClient("two").downloadToBuffer()), "the bytes of two");
  await container.getBlockBlobClient("two, too").upload("3", 1);
  // It would lie beside a key that cannot be trusted, so that its absence is not certain.
  await assert.rejects(container.getBlockBlobClient("three").getProperties(), isFault);
});
