import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { seededRandom } from "../../src/base/random.ts";
import type { TestServer } from "../kit/server.ts";
import { type Az, azFor } from "./az.ts";
import { differences, makeTree, readTree } from "./run.ts";

interface Named {
  readonly name: string;
}

/** A tree goes up, one of its files is copied within the share, and everything comes down byte for byte. */
export async function azFileTree(
  server: Pick<TestServer, "connectionString">,
  directory: string,
  { files, progress }: { readonly files: number; readonly progress: (text: string) => void },
): Promise<string> {
  const az = azFor(server, directory, progress);
  const [up, down] = [join(directory, "up"), join(directory, "down")];
  makeTree(up, { files, seed: 9 });
  mkdirSync(down);
  const copied = "d1/file 1 +&=#%.txt";
  await az("share", "create", "--name", "batch", "--quota", "5");
  await az("file", "upload-batch", "--source", up, "--destination", "batch");
  await startCopy(az, "batch", copied, "d1/copied");
  const listed = await az<Named[]>("file", "list", "--share-name", "batch", "--path", "d1");
  assert.ok(listed.some(({ name }) => name === "copied"));
  await az("file", "download-batch", "--source", "batch", "--destination", down);
  const [before, after] = [readTree(up), readTree(down)];
  assert.deepEqual(after.get("d1/copied"), before.get(copied));
  after.delete("d1/copied");
  assert.deepEqual(differences(before, after), []);
  return `${az.count} commands, ${files} files`;
}

/**
 * `az storage share`, `directory` and `file`, command by command, as a script of the shell would use them.
 */
export async function azStorageFile(
  server: Pick<TestServer, "connectionString">,
  directory: string,
  progress: (text: string) => void,
): Promise<string> {
  const az = azFor(server, directory, progress);
  const on = (path: string): string[] => ["--share-name", "cli", "--path", path];
  await az("share", "create", "--name", "cli", "--quota", "5");
  const shares = await az<Named[]>("share", "list", "--prefix", "cli");
  assert.deepEqual(
    shares.map(({ name }) => name),
    ["cli"],
  );
  for (const name of ["d1", "d1/d2"]) await az("directory", "create", "--share-name", "cli", "--name", name);
  const source = join(directory, "one.bin");
  const content = seededRandom(3).bytes(5_000_000);
  writeFileSync(source, content);
  await az("file", "upload", "--source", source, ...on("d1/d2/one.bin"));
  await startCopy(az, "cli", "d1/d2/one.bin", "d1/two.bin");
  const listed = await az<Named[]>("file", "list", ...on("d1"));
  assert.deepEqual(listed.map(({ name }) => name).sort(), ["d2", "two.bin"]);
  const target = join(directory, "back.bin");
  await az("file", "download", ...on("d1/two.bin"), "--dest", target);
  assert.ok(readFileSync(target).equals(content));
  const { snapshot } = await az<{ snapshot: string }>("share", "snapshot", "--name", "cli");
  await az("file", "delete", ...on("d1/two.bin"));
  assert.equal((await az<{ exists: boolean }>("file", "exists", ...on("d1/two.bin"))).exists, false);
  const atSnapshot = await az<{ properties: { contentLength: number } }>(
    "file",
    "show",
    ...on("d1/two.bin"),
    "--snapshot",
    snapshot,
  );
  assert.equal(atSnapshot.properties.contentLength, content.length);
  await az("share", "delete", "--name", "cli", "--delete-snapshots", "include");
  return `${az.count} commands`;
}

function startCopy(az: Az, share: string, from: string, to: string): Promise<unknown> {
  const source = ["--source-share", share, "--source-path", from];
  return az("file", "copy", "start", ...source, "--destination-share", share, "--destination-path", to);
}
