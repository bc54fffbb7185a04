import assert from "node:assert/strict";
import {
  closeSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { BlobServiceClient } from "@azure/storage-blob";
import { seededRandom } from "../../src/base/random.ts";
import { freshSchema } from "../kit/postgres.ts";
import { type Ended, type Program, runProgram, startProgram } from "../kit/program.ts";
import { printBackupStats, runBackupRounds } from "../support/backup-rounds.ts";
import { seedOfThisRun } from "../support/seed.ts";

const scratch = mkdtempSync(join(tmpdir(), "holdfast-backup-"));
after(() => rmSync(scratch, { recursive: true, force: true }));
const at = (name: string): string => join(scratch, name);
const DATA = at("data");
const LARGE = Buffer.alloc(300_000, "payload ");

function done({ code, stdout, stderr }: Ended): string {
  assert.equal(code, 0, stderr);
  return stdout + stderr;
}

const copiedIn = (output: string): number => Number(/(\d+) bytes copied/.exec(output)![1]);

async function put(program: Program, name: string, bytes: Buffer): Promise<void> {
  const container = BlobServiceClient.fromConnectionString(program.connectionString).getContainerClient(
    "backup",
  );
  await container.createIfNotExists();
  await container.getBlockBlobClient(name).upload(bytes, bytes.length);
}

async function read(directory: string, name: string): Promise<Buffer> {
  const program = await startProgram(["--location", directory, "--silent"]);
  try {
    const container = BlobServiceClient.fromConnectionString(program.connectionString).getContainerClient(
      "backup",
    );
    return await container.getBlockBlobClient(name).downloadToBuffer();
  } finally {
    await program.stop();
  }
}

function flipByte(path: string, offset: number): void {
  const file = openSync(path, "r+");
  const byte = Buffer.alloc(1);
  readSync(file, byte, 0, 1, offset);
  writeSync(file, Buffer.of(byte[0]! ^ 1), 0, 1, offset);
  closeSync(file);
}

suite("backup and restore", () => {
  let program: Program;
  const start = async (): Promise<void> => {
    program = await startProgram(["--location", DATA, "--silent"]);
  };
  before(async () => {
    await start();
    await put(program, "large", LARGE);
    await put(program, "small", Buffer.from("small"));
    // A restart seals the extent.
    await program.stop();
    await start();
  });
  after(() => program.stop());

  test("a running server is backed up into a directory and restored", async () => {
    done(await runProgram(["backup", DATA, "--to", at("first")]));
    const output = done(await runProgram(["restore", "--from", at("first"), "--to", at("restored")]));
    assert.match(output, /restored and verified/);
    assert.deepEqual(await read(at("restored"), "large"), LARGE);
    assert.equal((await read(at("restored"), "small")).toString(), "small");
  });

  test("a backup since an earlier one copies only new extents, and is complete by itself", async () => {
    await put(program, "more", Buffer.alloc(20_000, "more"));
    const output = done(await runProgram(["backup", DATA, "--to", at("second"), "--since", at("first")]));
    assert.ok(copiedIn(output) < LARGE.length / 2, output);
    rmSync(at("first"), { recursive: true });
    done(await runProgram(["restore", "--from", at("second"), "--to", at("from-second")]));
    assert.deepEqual(await read(at("from-second"), "large"), LARGE);
    assert.equal((await read(at("from-second"), "more")).length, 20_000);
  });

  test("a tar file and a stream hold the same, and a database takes them", async () => {
    done(await runProgram(["backup", DATA, "--to", at("all.tar")]));
    const { address, drop } = await freshSchema();
    try {
      done(await runProgram(["restore", "--from", at("all.tar"), "--to", address]));
      done(await runProgram(["check", address]));
      done(await runProgram(["backup", address, "--to", at("of-database")]));
    } finally {
      await drop();
    }
    done(await runProgram(["restore", "--from", at("of-database"), "--to", at("from-database")]));
    assert.deepEqual(await read(at("from-database"), "large"), LARGE);
  });

  test("only a caller with the token of the data directory gets a backup", async () => {
    const path = join(DATA, "admin.json");
    assert.equal(statSync(path).mode & 0o777, 0o600);
    const { url, token } = JSON.parse(readFileSync(path, "utf8")) as { url: string; token: string };
    const ask = async (method: string, authorization: string): Promise<number> => {
      const body = method === "POST" ? '{"have":[]}' : null;
      const reply = await fetch(`${url}/backup`, { method, headers: { authorization }, body });
      await reply.arrayBuffer();
      return reply.status;
    };
    assert.equal(await ask("POST", ""), 401);
    assert.equal(await ask("POST", `Bearer ${"0".repeat(64)}`), 401);
    assert.equal(await ask("GET", `Bearer ${token}`), 405);
    assert.equal(await ask("POST", `Bearer ${token}`), 200);
    const bad = await fetch(`${url}/backup`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}` },
      body: "no JSON",
    });
    assert.equal(bad.status, 400);
  });

  test("an interrupted backup continues with what it has copied", async () => {
    const whole = at("whole");
    done(await runProgram(["backup", DATA, "--to", whole]));
    const manifest = JSON.parse(readFileSync(join(whole, "manifest.json"), "utf8")) as {
      extents: { name: string; isSealed: boolean }[];
    };
    const sealed = manifest.extents.find(({ isSealed }) => isSealed)!;
    for (const folder of ["records", "extents"]) mkdirSync(join(at("partial"), folder), { recursive: true });
    linkSync(join(whole, sealed.name), join(at("partial"), sealed.name));
    // The last line was cut off by the interruption.
    writeFileSync(join(at("partial"), "copied.jsonl"), `${JSON.stringify(sealed)}\n{"name":"ext`);
    const output = done(await runProgram(["backup", DATA, "--to", at("partial")]));
    assert.ok(copiedIn(output) < LARGE.length / 2, output);
    done(await runProgram(["restore", "--from", at("partial"), "--to", at("from-partial")]));
    assert.deepEqual(await read(at("from-partial"), "large"), LARGE);
  });

  test("a damaged backup is refused, wherever the damage is, and leaves no store that serves", async () => {
    done(await runProgram(["backup", DATA, "--to", at("damaged")]));
    for (const folder of ["extents", "records"]) {
      const [name] = readdirSync(join(at("damaged"), folder)) as [string];
      flipByte(join(at("damaged"), folder, name), 40);
      const refused = await runProgram(["restore", "--from", at("damaged"), "--to", at("from-damaged")]);
      assert.equal(refused.code, 1);
      assert.match(refused.stderr, /does not match the size and checksum/);
      const served = await runProgram(["--location", at("from-damaged"), "--silent"]);
      assert.equal(served.code, 1);
      assert.match(served.stderr, /restore into this store is unfinished/);
      flipByte(join(at("damaged"), folder, name), 40);
    }
    done(await runProgram(["restore", "--from", at("damaged"), "--to", at("from-damaged")]));
    assert.deepEqual(await read(at("from-damaged"), "large"), LARGE);

    truncateSync(at("all.tar"), statSync(at("all.tar")).size - 2_000);
    const cut = await runProgram(["restore", "--from", at("all.tar"), "--to", at("from-cut")]);
    assert.equal(cut.code, 1);
    assert.match(cut.stderr, /ends early/);
    assert.ok(!existsSync(join(at("from-cut"), "records")));
  });

  test("a backup and a restore never overwrite anything", async () => {
    const again = await runProgram(["backup", DATA, "--to", at("whole")]);
    assert.equal(again.code, 1);
    assert.match(again.stderr, /is not empty/);
    const restored = await runProgram(["restore", "--from", at("whole"), "--to", at("restored")]);
    assert.equal(restored.code, 1);
    assert.match(restored.stderr, /the target is not empty/);
  });
});

/** The beginning of the proof `backup`, short enough for every day. */
test("a backup under load is a state that a linearizable history allows", async (t) => {
  const random = seededRandom(seedOfThisRun(t));
  const directory = at("rounds");
  const stats = await runBackupRounds({ directory, random, rounds: 2, millis: 300 });
  t.diagnostic(printBackupStats(stats));
  assert.deepEqual(stats.problems, []);
  assert.equal(stats.backups, 2);
});
