import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as runner from "node:test";
import { after, suite, test } from "node:test";
import { fileURLToPath } from "node:url";
import { BlobServiceClient } from "@azure/storage-blob";
import { QueueServiceClient } from "@azure/storage-queue";
import { thisSystem } from "../../scripts/test/programs.ts";
import { startHoldfast, useHoldfast } from "../../src/process/library.ts";
import { smoke } from "../support/smoke.ts";

const LIBRARY = fileURLToPath(new URL("../../dist/library.cjs", import.meta.url));
const root = mkdtempSync(join(tmpdir(), "holdfast-library-"));
after(() => rmSync(root, { recursive: true, force: true }));
let folders = 0;
const folder = (): string => join(root, `data-${++folders}`);

suite("the library", () => {
  test("starts a server for a test and ends it", async () => {
    const holdfast = await startHoldfast();
    await smoke(holdfast.connectionString);
    assert.equal((await fetch(`${holdfast.adminEndpoint}/readyz`)).status, 200);
    await holdfast.close();
    await assert.rejects(fetch(holdfast.endpoints.queue));
  });

  test("returns each account with its key, its endpoints and a connection string that works", async () => {
    const key = (fill: number): string => Buffer.alloc(32, fill).toString("base64");
    const holdfast = await startHoldfast({ accounts: `mine:${key(7)};yours:${key(8)}:${key(9)}` });
    assert.deepEqual(
      holdfast.accounts.map(({ accountName, accountKey }) => [accountName, accountKey]),
      [
        ["mine", key(7)],
        ["yours", key(8)],
      ],
    );
    assert.equal(holdfast.accountName, "mine");
    const { ports } = holdfast;
    for (const { accountName, connectionString, endpoints } of holdfast.accounts) {
      await smoke(connectionString);
      for (const service of ["blob", "queue", "table", "file"] as const)
        assert.equal(endpoints[service], `http://127.0.0.1:${ports[service]}/${accountName}`);
    }
    assert.equal(holdfast.smbEndpoint, `smb://127.0.0.1:${ports.smb}`);
    assert.equal(holdfast.adminEndpoint, `http://127.0.0.1:${ports.admin}`);
    await holdfast.close();
  });

  test("its SMB endpoint serves the files of REST", { skip: !thisSystem.has("smbclient") }, async () => {
    const holdfast = await startHoldfast();
    await smoke(holdfast.connectionString);
    const { port } = new URL(holdfast.smbEndpoint);
    const login = `${holdfast.accountName}%${holdfast.accountKey}`;
    const args = ["//127.0.0.1/smoke", "-p", port, "-U", login, "-c", "ls"];
    // The server runs in this process, so the client must not block it.
    const { runProgram } = await import("../kit/run-program.ts");
    const { code, output } = await runProgram("smbclient", args);
    assert.equal(code, 0, output);
    assert.match(output, /^ {2}file +/m);
    await holdfast.close();
  });

  for (const directory of [undefined, folder()])
    test(`reset leaves an empty server: ${directory === undefined ? "memory" : "embedded"}`, async () => {
      const holdfast = await startHoldfast(directory === undefined ? {} : { directory });
      const blobs = BlobServiceClient.fromConnectionString(holdfast.connectionString);
      for (let round = 0; round < 2; round++) {
        await smoke(holdfast.connectionString);
        await holdfast.reset();
        assert.equal((await blobs.listContainers().next()).done, true);
      }
      await holdfast.close();
    });

  test("names the port that is in use, and the argument that chooses another", async () => {
    const first = await startHoldfast();
    const { blob } = first.ports;
    await assert.rejects(startHoldfast({ ports: { blob } }), (error: Error) => {
      assert.equal(
        error.message,
        `127.0.0.1:${blob} is in use; set another --blobPort or stop the program that listens there`,
      );
      return true;
    });
    await first.close();
  });

  test("refuses what only a program of its own can do", async () => {
    await assert.rejects(startHoldfast({ directory: folder(), flags: ["--workers", "2"] }), /--workers/);
    await assert.rejects(startHoldfast({ flags: ["--help"] }), /--help and --version/);
  });

  for (const [name, options] of [
    ["in memory", {}],
    ["on disk", { directory: folder() }],
  ] as const)
    test(`lets its program end without close with unref: ${name}`, () => {
      const script = join(root, "unref.cjs");
      writeFileSync(
        script,
        `const { startHoldfast } = require(${JSON.stringify(LIBRARY)});
        startHoldfast({ ...${JSON.stringify(options)}, unref: true }).then(async ({ endpoints }) => {
          // A connection that stays open.
          const reply = await fetch(endpoints.blob + "?comp=list");
          console.log((await reply.text()).length > 0);
        });`,
      );
      const done = spawnSync(process.execPath, [script], { encoding: "utf8", timeout: 30_000 });
      assert.equal(done.signal, null, "it did not end");
      assert.deepEqual([done.status, done.stdout], [0, "true\n"], done.stderr);
    });
});

suite("in the hooks of a test runner", () => {
  const holdfast = useHoldfast(runner);
  assert.throws(() => holdfast.connectionString, /read its fields inside/);

  for (const round of [1, 2])
    test(`each test finds an empty server: ${round}`, async () => {
      const queues = QueueServiceClient.fromConnectionString(holdfast.connectionString);
      assert.equal((await queues.listQueues().next()).done, true);
      await smoke(holdfast.connectionString);
    });
});

suite("with data that tests share, and the hooks of Vitest and Jest", () => {
  const { before: beforeAll, after: afterAll, beforeEach } = runner;
  const holdfast = useHoldfast({ beforeAll, afterAll, beforeEach }, { keepData: true });

  test("the first test writes", () => smoke(holdfast.connectionString));
  test("the second test finds it", async () => {
    const queues = QueueServiceClient.fromConnectionString(holdfast.connectionString);
    assert.equal((await queues.listQueues().next()).value?.name, "smoke");
  });
});

test("hooks that start or close nothing are refused", () => {
  assert.throws(() => useHoldfast({ beforeEach: () => {} }), /expected the hooks of a test runner/);
});

test("the bundle loads by import as well, with the same functions", () => {
  const script = `import * as lib from ${JSON.stringify(LIBRARY.replace(/\.cjs$/, ".js"))};
    console.log(Object.keys(lib).join());`;
  const printed = execFileSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" });
  assert.equal(printed, "startHoldfast,useHoldfast\n");
});
