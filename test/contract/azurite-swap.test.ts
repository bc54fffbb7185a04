import assert from "node:assert/strict";
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, suite, test } from "node:test";
import { BlobServiceClient } from "@azure/storage-blob";
import { WELL_KNOWN_ACCOUNT, WELL_KNOWN_KEY } from "../../src/services/account/account-list.ts";
import { MAIN } from "../kit/program.ts";

/**
 * Programs that bring Azurite with them start it as a child, wait for its words on stdout, read the ports
 * from them, and end it by a message or a signal. Here Holdfast stands in its place, under its names.
 */
const folder = mkdtempSync(join(tmpdir(), "holdfast-azurite-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const FREE = ["--blobPort", "0", "--queuePort", "0", "--tablePort", "0"];
const OURS = ["--filePort", "0", "--smbPort", "0", "--adminPort", "0"];

/** Starts it as `name` and waits until each of the patterns was seen, as such programs do. */
async function startAs(name: string, flags: readonly string[], awaited: readonly RegExp[]) {
  const link = join(folder, name);
  rmSync(link, { force: true });
  symlinkSync(MAIN, link);
  const child = fork(link, [...flags], { silent: true });
  const kill = (): boolean => child.kill("SIGKILL");
  process.once("exit", kill);
  child.once("exit", () => process.off("exit", kill));
  let stdout = "";
  let stderr = "";
  child.stderr?.on("data", (piece: Buffer) => {
    stderr += piece;
  });
  await new Promise<void>((resolve, reject) => {
    child.stdout?.on("data", (piece: Buffer) => {
      stdout += piece;
      if (awaited.every((pattern) => pattern.test(stdout))) resolve();
    });
    child.once("exit", (code) => reject(new Error(`ended with ${code}: ${stdout}${stderr}`)));
  });
  return { child, stdout: () => stdout };
}

async function listsContainers(endpoint: string): Promise<void> {
  const service = BlobServiceClient.fromConnectionString(
    `DefaultEndpointsProtocol=http;AccountName=${WELL_KNOWN_ACCOUNT};AccountKey=${WELL_KNOWN_KEY};` +
      `BlobEndpoint=${endpoint}/${WELL_KNOWN_ACCOUNT};`,
  );
  const { value } = await service.listContainers().byPage().next();
  assert.deepEqual(value.containerItems, []);
}

const endOf = async (child: ChildProcess): Promise<unknown> => (await once(child, "exit"))[0];

suite("in the place of Azurite", () => {
  test("azurite --silent: the words a fixture waits for, with the real ports, and no others", async () => {
    const words = ["Blob", "Queue", "Table"].map(
      (title) =>
        new RegExp(`^Azurite ${title} service is successfully listening at http://127.0.0.1:\\d+$`, "m"),
    );
    const flags = ["--silent", "--inMemoryPersistence", "--skipApiVersionCheck", ...FREE, ...OURS];
    const { child, stdout } = await startAs("azurite", flags, words);
    assert.equal(stdout().trim().split("\n").length, 3, stdout());
    await listsContainers(/Blob service .* at (http.*)$/m.exec(stdout())![1]!);
    const ended = endOf(child);
    child.send("shutdown");
    assert.equal(await ended, 0);
  });

  test("azurite -l X -d X/debug.log: the usual command line, twice on the same directory", async () => {
    const place = join(folder, "workspace");
    for (let i = 0; i < 2; i++) {
      const flags = [
        "-l",
        place,
        "-d",
        join(place, "debug.log"),
        "-L",
        "--disableTelemetry",
        ...FREE,
        ...OURS,
      ];
      const { child, stdout } = await startAs("azurite", flags, [
        /Table service is successfully/,
        /is ready/,
      ]);
      await listsContainers(/Blob service .* at (http.*)$/m.exec(stdout())![1]!);
      const ended = endOf(child);
      child.kill("SIGTERM");
      assert.equal(await ended, 0);
    }
  });

  test("azurite-blob, azurite-queue, azurite-table: that service alone has a port of its own", async () => {
    for (const [name, flag, words] of [
      [
        "azurite-blob",
        "--blobPort",
        /^Azurite Blob service successfully listens on http:\/\/127.0.0.1:\d+$/m,
      ],
      [
        "azurite-queue",
        "--queuePort",
        /^Azurite Queue service successfully listens on http:\/\/127.0.0.1:\d+$/m,
      ],
      ["azurite-table", "--tablePort", /^Azurite Table service successfully started on 127.0.0.1:\d+$/m],
    ] as const) {
      const { child, stdout } = await startAs(name, ["-s", "--inMemoryPersistence", flag, "0"], [words]);
      assert.equal(stdout().trim().split("\n").length, 1, stdout());
      const ended = endOf(child);
      child.kill("SIGINT");
      assert.equal(await ended, 0);
    }
  });
});
