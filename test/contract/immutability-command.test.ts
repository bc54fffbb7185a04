import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { BlobServiceClient } from "@azure/storage-blob";
import { ConfigError } from "../../src/base/config-error.ts";
import { type ImmutabilityCommand, immutabilityCommand } from "../../src/cli/immutability-command.ts";
import { NO_CONDITIONS } from "../../src/concurrency/conditions.ts";
import { silentLog } from "../../src/observability/log.ts";
import { startHoldfast } from "../../src/process/library.ts";
import { Runtime } from "../../src/process/runtime.ts";
import { type BlobContext, blobContext } from "../../src/services/blob/context.ts";
import { createContainer } from "../../src/services/blob/create-container.ts";
import { deleteContainer } from "../../src/services/blob/delete-container.ts";
import { putAppendBlob } from "../../src/services/blob/put-blob.ts";
import { refused } from "../kit/blob.ts";
import { freshSchema } from "../kit/postgres.ts";
import { runProgram } from "../kit/program.ts";

const root = mkdtempSync(join(tmpdir(), "holdfast-release-"));
after(() => rmSync(root, { recursive: true, force: true }));
let count = 0;

const ACCOUNT = "devstoreaccount1";

/** Serves the directory while the test runs. */
async function serving<T>(
  directory: string,
  flags: readonly string[],
  story: (service: BlobServiceClient) => Promise<T>,
): Promise<T> {
  const holdfast = await startHoldfast({ directory, flags });
  try {
    const options = { retryOptions: { maxTries: 1 } };
    return await story(BlobServiceClient.fromConnectionString(holdfast.connectionString, options));
  } finally {
    await holdfast.close();
  }
}

async function run(command: ImmutabilityCommand, ...argv: string[]) {
  const lines: string[] = [];
  const logged: Record<string, unknown>[] = [];
  const log = {
    ...silentLog,
    info: (fields: object, message: string) => logged.push({ ...fields, message }),
    warn: (fields: object, message: string) => logged.push({ ...fields, message }),
  };
  await immutabilityCommand(command, argv, root, { print: (line) => lines.push(line), log });
  return { lines, logged };
}

test("the operator of a stopped server releases what no request can, and the log says so", async () => {
  const directory = join(root, `data-${++count}`);
  const flags = ["--versionLevelImmutability", "--blobVersioning"];
  const expiriesOn = new Date(Date.now() + 1_000_000_000);
  const { snapshot, versionId } = await serving(directory, flags, async (service) => {
    const container = service.getContainerClient("kept");
    await container.create();
    const locked = { immutabilityPolicy: { expiriesOn, policyMode: "Locked" as const } };
    const blob = container.getBlockBlobClient("a/locked");
    await blob.upload("x", 1, locked);
    const onHold = container.getBlockBlobClient("onHold");
    await onHold.upload("x", 1);
    const { snapshot } = await onHold.createSnapshot();
    await onHold.withSnapshot(snapshot!).setLegalHold(true);
    const first = container.getBlockBlobClient("versions");
    const { versionId } = await first.upload("one", 3);
    await first.upload("two", 3);
    await first.withVersion(versionId!).setImmutabilityPolicy({ expiriesOn, policyMode: "Locked" });
    await assert.rejects(blob.delete(), refused(409, "BlobImmutableDueToPolicy"));
    await assert.rejects(
      run("release-immutability", "-l", directory, "--blob", `${ACCOUNT}/kept/onHold`, "--yes"),
      /in use/,
    );
    return { snapshot: snapshot!, versionId: versionId! };
  });

  const ofBlob = ["--location", directory, "--blob", `${ACCOUNT}/kept/a/locked`];
  await assert.rejects(run("release-immutability", ...ofBlob), (error) => {
    assert.ok(error instanceof ConfigError);
    assert.match(error.message, /^nothing was changed: add --yes to release 1$/);
    return true;
  });
  const { lines, logged } = await run("release-immutability", ...ofBlob, "--yes");
  assert.deepEqual(lines, [`released: ${ACCOUNT}/kept/a/locked`]);
  assert.equal(logged.length, 1);
  const { message, user, ...audit } = logged[0]!;
  assert.match(String(message), /released by the operator/);
  assert.ok(user);
  assert.deepEqual(audit, {
    account: ACCOUNT,
    container: "kept",
    blob: "a/locked",
    policyMode: "locked",
    policyUntil: new Date(Math.floor(expiriesOn.getTime() / 1_000) * 1_000).toISOString(),
  });
  assert.deepEqual((await run("release-immutability", ...ofBlob, "--yes")).lines, [
    `no policy or legal hold on ${ACCOUNT}/kept/a/locked`,
  ]);
  const ofVersion = ["-l", directory, "--blob", `${ACCOUNT}/kept/versions`, "--versionId", versionId];
  assert.equal((await run("release-immutability", ...ofVersion, "--yes")).lines.length, 1);

  await serving(directory, flags, async (service) => {
    const container = service.getContainerClient("kept");
    await container.getBlobClient("a/locked").delete();
    await container.getBlobClient("versions").withVersion(versionId).delete();
    const onHold = container.getBlobClient("onHold");
    assert.equal((await onHold.withSnapshot(snapshot).getProperties()).legalHold, true);
    for (let i = 0; i < 3; i++) {
      const name = `more-${i}`;
      await container.getBlockBlobClient(name).upload("x", 1, { legalHold: true });
    }
    await assert.rejects(container.delete(), refused(409, "ContainerImmutableStorageWithVersioningEnabled"));
  });
  const all = await run("release-immutability", "-l", directory, "--container", `${ACCOUNT}/kept`, "--yes");
  assert.deepEqual(all.lines.sort(), [
    ...[0, 1, 2].map((i) => `released: ${ACCOUNT}/kept/more-${i}`),
    `released: ${ACCOUNT}/kept/onHold (snapshot ${snapshot})`,
  ]);
  assert.equal(all.logged.length, 4);
  await serving(directory, flags, (service) => service.getContainerClient("kept").delete());
});

test("the operator lets a container that is there have policies", async () => {
  const directory = join(root, `data-${++count}`);
  const off = refused(409, "ContainerImmutableStorageWithVersioningNotEnabled");
  await serving(directory, [], async (service) => {
    await service.createContainer("old");
    const blob = service.getContainerClient("old").getBlockBlobClient("b");
    await blob.upload("x", 1);
    await assert.rejects(blob.setLegalHold(true), off);
  });
  assert.deepEqual(
    (await run("enable-immutability", "-l", directory, "--container", `${ACCOUNT}/old`)).lines,
    [`enabled: ${ACCOUNT}/old`],
  );
  await serving(directory, [], async (service) => {
    const blob = service.getContainerClient("old").getBlockBlobClient("b");
    await blob.setLegalHold(true);
    await assert.rejects(blob.delete(), refused(409, "BlobImmutableDueToLegalHold"));
  });
});

test("both commands work on a database whose members are stopped", async () => {
  const { address, drop } = await freshSchema();
  const choice = { kind: "postgres", address } as const;
  const ref = { account: ACCOUNT, container: "kept" };
  const withBlobs = async <T>(story: (blobs: BlobContext) => Promise<T>): Promise<T> => {
    const onFatal = (error: unknown): never => {
      throw error;
    };
    const runtime = new Runtime({ choice, owner: `test-${++count}`, log: silentLog, onFatal });
    try {
      await runtime.recoverAll();
      return await story(blobContext(runtime.parts));
    } finally {
      await runtime.close();
    }
  };
  try {
    const made = { ref, metadata: {}, publicAccess: undefined, encryptionScope: undefined };
    await withBlobs((blobs) => createContainer(blobs, made));
    await run("enable-immutability", "--store", address, "--container", `${ACCOUNT}/kept`);
    const blob = {
      ref: { ...ref, blob: "b" },
      conditions: NO_CONDITIONS,
      leaseId: undefined,
      mayOverwrite: true,
    };
    const properties = { http: {}, metadata: {}, encryption: {}, hasLegalHold: true };
    await withBlobs((blobs) => putAppendBlob(blobs, { ...blob, properties }));
    const { lines } = await run(
      "release-immutability",
      "--store",
      address,
      "--container",
      `${ACCOUNT}/kept`,
      "--yes",
    );
    assert.deepEqual(lines, [`released: ${ACCOUNT}/kept/b`]);
    const gone = { ref, conditions: NO_CONDITIONS, leaseId: undefined };
    await withBlobs((blobs) => deleteContainer(blobs, gone));
  } finally {
    await drop();
  }
});

test("what is wrong with such a command is said in one line", async () => {
  const nowhere = join(root, "nowhere");
  const cases: [ImmutabilityCommand, string[], RegExp][] = [
    ["release-immutability", [], /^release-immutability: expected --location DIR or --store/],
    ["release-immutability", ["-l", nowhere], /expected --blob account\/container\/name or --container/],
    [
      "release-immutability",
      ["-l", nowhere, "--blob", "a/b"],
      /^--blob: expected account\/container\/name, got "a\/b"$/,
    ],
    [
      "release-immutability",
      ["-l", nowhere, "--container", "a/b/c"],
      /^--container: expected account\/container, got/,
    ],
    [
      "release-immutability",
      ["-l", nowhere, "--blob", "a/b/c", "--versionId", "x"],
      /^--versionId: expected an ID/,
    ],
    [
      "release-immutability",
      ["-l", nowhere, "--container", "a/b", "--snapshot", "x"],
      /--versionId and --snapshot require --blob/,
    ],
    [
      "release-immutability",
      ["-l", nowhere, "--blob", "a/b/c"],
      /nowhere is not a data directory of Holdfast$/,
    ],
    ["enable-immutability", ["-l", nowhere, "--blob", "a/b/c"], /Unknown option '--blob'/],
  ];
  for (const [command, argv, expected] of cases)
    await assert.rejects(run(command, ...argv), (error: Error) => {
      assert.match(error.message, expected);
      assert.doesNotMatch(error.message, /\n/);
      return true;
    });
  const directory = join(root, `data-${++count}`);
  await serving(directory, [], async () => {});
  await assert.rejects(
    run("release-immutability", "-l", directory, "--container", `${ACCOUNT}/none`),
    /^Error: devstoreaccount1\/none: The specified container does not exist\.$/,
  );
  const program = await runProgram(["release-immutability", "-l", nowhere, "--blob", "a/b/c", "--yes"]);
  assert.deepEqual([program.code, program.stdout], [1, ""]);
  assert.match(program.stderr, /^holdfast: .*is not a data directory of Holdfast\n$/);
});
