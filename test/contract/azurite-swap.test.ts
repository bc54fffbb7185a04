import assert from "node:assert/strict";
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
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
async function startAs(
  name: string,
  flags: readonly string[],
  awaited: readonly RegExp[],
  { cwd = folder, env = {} as Readonly<Record<string, string>> } = {},
) {
  const link = join(folder, name);
  rmSync(link, { force: true });
  symlinkSync(MAIN, link);
  const child = fork(link, [...flags], { silent: true, cwd, env: { ...process.env, ...env } });
  const kill = (): boolean => child.kill("SIGKILL");
  process.once("exit", kill);
  child.once("exit", () => process.off("exit", kill));
  let stdout = "";
  let stderr = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    stderr += chunk;
  });
  await new Promise<void>((resolve, reject) => {
    child.stdout?.on("data", (chunk: Buffer) => {
      stdout += chunk;
      if (awaited.every((pattern) => pattern.test(stdout))) resolve();
    });
    child.once("exit", (code) => reject(new Error(`ended with ${code}: ${stdout}${stderr}`)));
  });
  return { child, stdout: () => stdout };
}

async function listsContainers(endpoint: string, name = WELL_KNOWN_ACCOUNT, key = WELL_KNOWN_KEY) {
  const service = BlobServiceClient.fromConnectionString(
    `DefaultEndpointsProtocol=http;AccountName=${name};AccountKey=${key};BlobEndpoint=${endpoint}/${name};`,
  );
  const { value } = await service.listContainers().byPage().next();
  assert.deepEqual(value.containerItems, []);
}

const blobEndpointIn = (stdout: string): string =>
  /Blob service .* listening at (http.*)$/m.exec(stdout)![1]!;

const endOf = async (child: ChildProcess): Promise<unknown> => (await once(child, "exit"))[0];

suite("in the place of Azurite", () => {
  test("azurite --silent: the words a fixture waits for, with the real ports, and no others", async () => {
    const words = ["Blob", "Queue", "Table"].map(
      (title) =>
        new RegExp(`^Azurite ${title} service is successfully listening at http://127.0.0.1:\\d+$`, "m"),
    );
    const flags = ["--silent", "--inMemoryPersistence", "--skipApiVersionCheck", ...FREE, ...OURS];
    const { child, stdout } = await startAs("azurite", flags, words);
    assert.equal(stdout().trim().split("\n").length, 6, stdout());
    await listsContainers(blobEndpointIn(stdout()));
    const ended = endOf(child);
    child.send("shutdown");
    assert.equal(await ended, 0);
    assert.deepEqual(
      stdout().trim().split("\n").slice(6),
      ["is closing...", "successfully closed"].flatMap((what) =>
        ["Blob", "Queue", "Table"].map((title) => `Azurite ${title} service ${what}`),
      ),
    );
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
      await listsContainers(blobEndpointIn(stdout()));
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
      assert.equal(stdout().trim().split("\n").length, 2, stdout());
      const ended = endOf(child);
      child.kill("SIGINT");
      assert.equal(await ended, 0);
    }
  });
});

/** What public fixtures pass to Azurite's image or program, and the texts that they wait for. */
const OPEN = ["--blobHost", "0.0.0.0", "--queueHost", "0.0.0.0", "--tableHost", "0.0.0.0"];
const LISTENING = ["Blob", "Queue", "Table"].map((title) => `${title} service is successfully listening`);
const containing = (texts: readonly string[]): RegExp[] => texts.map((text) => new RegExp(text));
const FIXTURES: Readonly<Record<string, { args: readonly string[]; awaited: readonly RegExp[] }>> = {
  "testcontainers for Java, with a wait for the usual text": {
    args: ["azurite", ...OPEN],
    awaited: [/.*Azurite Blob service is successfully listening.*\n/],
  },
  "testcontainers for .NET": { args: OPEN, awaited: containing(LISTENING) },
  "testcontainers for .NET, in memory": {
    args: [...OPEN, "--inMemoryPersistence", "--extentMemoryLimit", "64.5"],
    awaited: containing(LISTENING),
  },
  "testcontainers for Node": {
    args: [...OPEN, "--inMemoryPersistence", "--skipApiVersionCheck"],
    awaited: containing(LISTENING.map((text) => `.*${text}.*`)),
  },
  "testcontainers for Go, Blob and Queue": {
    args: ["--blobHost", "0.0.0.0", "--queueHost", "0.0.0.0"],
    awaited: containing(LISTENING.slice(0, 2)),
  },
  "a script that polls the log of the image for its whole lines": {
    args: ["azurite", "-l", "data", ...OPEN],
    awaited: ["Blob", "Queue", "Table"].map(
      (title) =>
        new RegExp(`^Azurite ${title} service is successfully listening at http://0[.]0[.]0[.]0:\\d+$`, "m"),
    ),
  },
  ".NET Aspire": {
    args: ["azurite", "-l", "data", ...OPEN, "--skipApiVersionCheck"],
    awaited: containing(LISTENING),
  },
  "Functions Core Tools, as their documentation starts it": {
    args: ["--silent", "--location", "data", "--debug", "data/debug.log"],
    awaited: containing(LISTENING),
  },
};

suite("what waits for Azurite finds its texts", () => {
  for (const [name, { args, awaited }] of Object.entries(FIXTURES))
    test(name, async () => {
      const cwd = mkdtempSync(join(folder, "fixture-"));
      const { child, stdout } = await startAs("azurite", [...args, ...FREE, ...OURS], awaited, { cwd });
      await listsContainers(blobEndpointIn(stdout()).replace("0.0.0.0", "127.0.0.1"));
      const ended = endOf(child);
      child.kill("SIGTERM");
      assert.equal(await ended, 0);
    });

  test("an image whose command begins with azurite-blob", async () => {
    const awaited = [/^Azurite Blob service successfully listens on http:\/\/0\.0\.0\.0:\d+$/m];
    const args = ["azurite-blob", "--blobHost", "0.0.0.0", "--blobPort", "0", "--inMemoryPersistence"];
    const { child, stdout } = await startAs("holdfast", args, awaited);
    const ended = endOf(child);
    child.kill("SIGTERM");
    assert.equal(await ended, 0);
    assert.match(stdout(), /^Azurite Blob service successfully closed$/m);
  });
});

test("-l . in a project keeps all data in .holdfast, at every start and with workers; accounts may be quoted", async () => {
  const project = join(folder, "project");
  mkdirSync(project);
  writeFileSync(join(project, "package.json"), "{}");
  const key = Buffer.from("a key of our own").toString("base64");
  const env = { AZURITE_ACCOUNTS: `"mine:${key}"` };
  for (const workers of ["1", "2"]) {
    const flags = ["-l", ".", "--workers", workers, "-d", "./debug.log", ...FREE, ...OURS];
    const { child, stdout } = await startAs("azurite", flags, [/is ready/, /data +\S/], {
      cwd: project,
      env,
    });
    await listsContainers(blobEndpointIn(stdout()), "mine", key);
    assert.ok(stdout().includes(`${join(project, ".holdfast")}\n`), stdout());
    const ended = endOf(child);
    child.kill("SIGTERM");
    assert.equal(await ended, 0);
    assert.deepEqual(readdirSync(project).sort(), [".holdfast", "debug.log", "package.json"]);
  }
});
