import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, suite, test } from "node:test";
import { WELL_KNOWN_KEY } from "../../src/services/account/account-list.ts";
import { sample } from "../contract/file/kit.ts";
import { startTestServer, type TestServer } from "../kit/server.ts";

/** Debian's Azure CLI against the File service. Each command is a Python process, so there are few of them. */
const hasCli = spawnSync("az", ["--version"], { timeout: 60_000 }).status === 0;

suite("the Azure CLI", { skip: hasCli ? false : "az is not installed" }, () => {
  let server: TestServer;
  let folder: string;
  before(async () => {
    server = await startTestServer({ engine: "embedded" });
    folder = mkdtempSync(join(tmpdir(), "holdfast-cli-"));
  });
  after(async () => {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function az(...args: string[]): Promise<unknown> {
    const env = {
      ...process.env,
      AZURE_CONFIG_DIR: join(folder, "config"),
      AZURE_CORE_COLLECT_TELEMETRY: "false",
      AZURE_CORE_NO_COLOR: "true",
      AZURE_CORE_ONLY_SHOW_ERRORS: "true",
      AZURE_STORAGE_CONNECTION_STRING: server.connectionString.replace("<key>", WELL_KNOWN_KEY),
    };
    const output = await new Promise<string>((resolve, reject) => {
      execFile(
        "az",
        ["storage", ...args, "-o", "json"],
        { env, timeout: 300_000, maxBuffer: 2 ** 26 },
        (error, out, err) =>
          error === null ? resolve(out) : reject(new Error(`az ${args.join(" ")}: ${err}`)),
      );
    });
    return output.trim() === "" ? undefined : JSON.parse(output);
  }

  test("shares, directories and files", async () => {
    await az("share", "create", "--name", "cli", "--quota", "5");
    const shares = (await az("share", "list")) as { name: string }[];
    assert.deepEqual(
      shares.map(({ name }) => name),
      ["cli"],
    );
    await az("directory", "create", "-s", "cli", "-n", "d1");
    await az("directory", "create", "-s", "cli", "-n", "d1/d2");
    const source = join(folder, "one.bin");
    writeFileSync(source, sample(5_000_000));
    await az("file", "upload", "-s", "cli", "--source", source, "-p", "d1/d2/one.bin");
    await az(
      "file",
      "copy",
      "start",
      "--source-share",
      "cli",
      "--source-path",
      "d1/d2/one.bin",
      "-s",
      "cli",
      "-p",
      "d1/two.bin",
    );
    const listed = (await az("file", "list", "-s", "cli", "-p", "d1")) as { name: string }[];
    assert.deepEqual(listed.map(({ name }) => name).sort(), ["d2", "two.bin"]);
    const target = join(folder, "back.bin");
    await az("file", "download", "-s", "cli", "-p", "d1/two.bin", "--dest", target);
    assert.deepEqual(readFileSync(target), sample(5_000_000));
    const { snapshot } = (await az("share", "snapshot", "-n", "cli")) as { snapshot: string };
    await az("file", "delete", "-s", "cli", "-p", "d1/two.bin");
    assert.equal(
      ((await az("file", "exists", "-s", "cli", "-p", "d1/two.bin")) as { exists: boolean }).exists,
      false,
    );
    const past = await az("file", "show", "-s", "cli", "-p", "d1/two.bin", "--snapshot", snapshot);
    assert.equal((past as { properties: { contentLength: number } }).properties.contentLength, 5_000_000);
    await az("share", "delete", "-n", "cli", "--delete-snapshots", "include");
  });

  test("a tree of 500 files goes up and comes down byte for byte", async () => {
    const tree = new Map<string, Buffer>();
    for (let i = 0; i < 500; i++) {
      const name = i % 3 === 0 ? `file ${i}.bin` : i % 3 === 1 ? `a/file-${i}.bin` : `a/b c/é-${i}.bin`;
      tree.set(name, sample((i * 997) % 30_000, i));
    }
    const up = join(folder, "up");
    for (const [name, bytes] of tree) {
      mkdirSync(dirname(join(up, name)), { recursive: true });
      writeFileSync(join(up, name), bytes);
    }
    await az("share", "create", "--name", "batch");
    await az("file", "upload-batch", "-s", up, "-d", "batch");
    const down = join(folder, "down");
    mkdirSync(down);
    await az("file", "download-batch", "-s", "batch", "-d", down);
    const found = readdirSync(down, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    );
    assert.equal(found.length, 500);
    for (const [name, bytes] of tree) assert(readFileSync(join(down, name)).equals(bytes), name);
  });
});
