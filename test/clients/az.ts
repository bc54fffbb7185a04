import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestServer } from "../kit/server.ts";
import { differences, makeTree, readTree, run } from "./run.ts";

/**
 * The program with the environment it needs; it counts its commands, each of which is a process of Python.
 */
export interface Az {
  readonly count: number;
  /** `az storage` with these words; its JSON, or undefined where it prints nothing. */
  <T = unknown>(...args: string[]): Promise<T>;
}

export function azFor(
  server: Pick<TestServer, "connectionString">,
  directory: string,
  progress: (text: string) => void,
): Az {
  mkdirSync(directory, { recursive: true });
  const env = {
    AZURE_STORAGE_CONNECTION_STRING: server.connectionString,
    AZURE_CONFIG_DIR: join(directory, "config"),
    AZURE_CORE_COLLECT_TELEMETRY: "false",
    AZURE_CORE_NO_COLOR: "true",
  };
  let count = 0;
  const az = async (...args: string[]): Promise<unknown> => {
    progress(`az storage ${args.slice(0, 3).join(" ")}`);
    const { out } = await run("az", ["storage", ...args, "--only-show-errors", "-o", "json"], { env });
    count++;
    return out.trim() === "" ? undefined : JSON.parse(out);
  };
  return Object.defineProperty(az, "count", { get: () => count }) as Az;
}

/**
 * `az storage container` and `az storage blob`, command by command, as a script of the shell would use them.
 */
export async function azStorageBlob(
  server: TestServer,
  directory: string,
  progress: (text: string) => void,
): Promise<string> {
  const az = azFor(server, directory, progress);
  const container = ["--container-name", "az-files"];
  const on = (name: string): string[] => [...container, "--name", name];

  const created = await az<{ created: boolean }>(
    "container",
    "create",
    "--name",
    "az-files",
    "--metadata",
    "a=b",
  );
  assert.equal(created.created, true);
  await az("container", "lease", "acquire", "--container-name", "az-files", "--lease-duration", "15");
  await az("container", "lease", "break", "--container-name", "az-files", "--lease-break-period", "0");
  assert.equal((await az<{ exists: boolean }>("container", "exists", "--name", "az-files")).exists, true);

  const file = join(directory, "one.txt");
  writeFileSync(file, "one two three");
  await az(
    "blob",
    "upload",
    ...on("dir/one.txt"),
    "--file",
    file,
    "--content-type",
    "text/plain",
    "--tags",
    "k=v",
  );
  await az("blob", "upload", ...on("log"), "--file", file, "--type", "append");
  writeFileSync(join(directory, "disk"), Buffer.alloc(4096, 7));
  await az("blob", "upload", ...on("disk"), "--file", join(directory, "disk"), "--type", "page");
  const shown = await az<{
    properties: { contentLength: number; contentSettings: { contentType: string } };
  }>("blob", "show", ...on("dir/one.txt"));
  assert.deepEqual(
    [shown.properties.contentLength, shown.properties.contentSettings.contentType],
    [13, "text/plain"],
  );
  const listed = await az<{ name: string }[]>("blob", "list", ...container);
  assert.deepEqual(
    listed.map(({ name }) => name),
    ["dir/one.txt", "disk", "log"],
  );
  const back = join(directory, "back.txt");
  await az("blob", "download", ...on("dir/one.txt"), "--file", back);
  assert.equal(readFileSync(back, "utf8"), "one two three");
  await az("blob", "metadata", "update", ...on("dir/one.txt"), "--metadata", "x=1");
  assert.deepEqual(await az("blob", "metadata", "show", ...on("dir/one.txt")), { x: "1" });
  const { snapshot } = await az<{ snapshot: string }>("blob", "snapshot", ...on("dir/one.txt"));
  await az("blob", "set-tier", ...on("dir/one.txt"), "--tier", "Cool");
  const lease = (await az(
    "blob",
    "lease",
    "acquire",
    ...containerOf("dir/one.txt"),
    "--lease-duration",
    "60",
  )) as string;
  await az("blob", "lease", "release", ...containerOf("dir/one.txt"), "--lease-id", lease);
  const copy = ["--destination-container", "az-files", "--destination-blob", "copied"];
  // By the names of account and container alone it would look for the source in the cloud.
  const uri = `${server.endpoints.blob}/${server.account}/az-files/dir/one.txt`;
  await az("blob", "copy", "start", ...copy, "--source-uri", uri);
  assert.equal((await az<{ exists: boolean }>("blob", "exists", ...on("copied"))).exists, true);
  const sas = await az<string>(
    "blob",
    "generate-sas",
    ...on("copied"),
    "--permissions",
    "r",
    "--expiry",
    "2099-01-01T00:00Z",
  );
  assert.match(sas, /sig=/);
  await az("blob", "delete", ...on("dir/one.txt"), "--snapshot", snapshot);
  await az("blob", "delete", ...on("dir/one.txt"));

  const [tree, down] = [join(directory, "tree"), join(directory, "down")];
  makeTree(tree, { files: 30, seed: 5 });
  mkdirSync(down);
  await az(
    "blob",
    "upload-batch",
    "--destination",
    "az-files",
    "--destination-path",
    "tree",
    "--source",
    tree,
  );
  await az("blob", "download-batch", "--source", "az-files", "--pattern", "tree/*", "--destination", down);
  assert.deepEqual(differences(readTree(tree), readTree(join(down, "tree"))), []);
  await az("blob", "delete-batch", "--source", "az-files", "--pattern", "tree/*");
  const left = await az<{ name: string }[]>("blob", "list", ...container, "--num-results", "*");
  assert.deepEqual(
    left.map(({ name }) => name),
    ["copied", "disk", "log"],
  );
  await az(
    "blob",
    "service-properties",
    "update",
    "--static-website",
    "true",
    "--index-document",
    "index.html",
  );
  await az("container", "delete", "--name", "az-files");
  return `${az.count} commands`;
}

/** The lease commands call a blob's name by another name than the others do. */
function containerOf(name: string): string[] {
  return ["--container-name", "az-files", "--blob-name", name];
}
