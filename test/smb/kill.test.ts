import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { ShareServiceClient } from "@azure/storage-file-share";
import { monotonic, pause, seconds } from "../../src/base/clock.ts";
import { seededRandom } from "../../src/base/random.ts";
import { WELL_KNOWN_ACCOUNT, WELL_KNOWN_KEY } from "../../src/services/account/account-list.ts";
import { DISPOSITION } from "../../src/smb/wire/create.ts";
import { WRITE_FLAG } from "../../src/smb/wire/file-io.ts";
import { type Program, startProgram } from "../kit/program.ts";
import { SmbTestClient } from "../kit/smb-test-client.ts";
import { seedOfThisRun } from "../support/seed.ts";

const BLOCK = 20_000;
const WRITERS = 4;

const clientOf = ({ ports }: Program): Promise<SmbTestClient> =>
  SmbTestClient.connect({
    port: ports.smb,
    user: WELL_KNOWN_ACCOUNT,
    password: WELL_KNOWN_KEY,
    share: "work",
  });

test("answered long SMB writes survive kill -9, in files that no client has open any more", async (t) => {
  const random = seededRandom(seedOfThisRun(t));
  const folder = mkdtempSync(join(tmpdir(), "holdfast-kill-"));
  const flags = ["--location", join(folder, "data")];
  let program: Program = await startProgram(flags);
  try {
    const share = () =>
      ShareServiceClient.fromConnectionString(program.connectionString).getShareClient("work");
    await share().create();
    /** The acknowledged content of each file. */
    const acknowledged = new Map<string, Buffer[]>();
    const write = async (name: string): Promise<void> => {
      const client = await clientOf(program);
      const file = await client.open(name, { access: "W", disposition: DISPOSITION.CREATE });
      const blocks: Buffer[] = [];
      acknowledged.set(name, blocks);
      for (;;) {
        const block = random.bytes(BLOCK);
        await client.write(file, blocks.length * BLOCK, block);
        blocks.push(block);
      }
    };
    const writers = Array.from({ length: WRITERS }, (_, index) => write(`f${index}`).catch(() => {}));
    // A machine with other work may need seconds before every writer has been answered once.
    const answered = (): boolean =>
      acknowledged.size === WRITERS && [...acknowledged.values()].every((written) => written.length > 1);
    for (const end = monotonic() + seconds(30); !answered() && monotonic() < end; ) await pause(10);
    await pause(random.fraction() * 300);
    await program.stop("SIGKILL");
    await Promise.all(writers);
    program = await startProgram(flags);
    let blocks = 0;
    for (const [name, written] of acknowledged) {
      const file = share().rootDirectoryClient.getFileClient(name);
      const expected = Buffer.concat(written);
      blocks += written.length;
      const found = await file.downloadToBuffer();
      assert.ok(found.length >= expected.length, `${name} lost ${expected.length - found.length} bytes`);
      assert.ok(found.subarray(0, expected.length).equals(expected), `${name} has other bytes`);
      await file.delete();
    }
    assert.ok(blocks > WRITERS, "the writers had no time to write");
  } finally {
    await program.stop("SIGKILL");
    rmSync(folder, { recursive: true });
  }
});

test("small files are there after kill -9 once they were closed, flushed or written through; none is torn", async (t) => {
  const random = seededRandom(seedOfThisRun(t));
  const folder = mkdtempSync(join(tmpdir(), "holdfast-kill-"));
  const flags = ["--location", join(folder, "data")];
  let program: Program = await startProgram(flags);
  try {
    const share = () =>
      ShareServiceClient.fromConnectionString(program.connectionString).getShareClient("work");
    await share().create();
    /** The files that must exist with their content, and what files in progress may hold. */
    const kept = new Map<string, string>();
    const begun = new Map<string, string>();
    const write = async (writer: number): Promise<void> => {
      const client = await clientOf(program);
      for (let number = 0; ; number++) {
        const name = `${writer}-${number}`;
        const text = `${name} `.repeat(1 + (number % 400));
        begun.set(name, text);
        const file = await client.open(name, { access: "W", disposition: DISPOSITION.CREATE });
        await client.write(file, 0, text, number % 3 === 1 ? WRITE_FLAG.WRITE_THROUGH : 0);
        if (number % 3 === 1) kept.set(name, text);
        if (number % 3 === 2) {
          await client.flush(file);
          kept.set(name, text);
        }
        await client.close(file);
        kept.set(name, text);
      }
    };
    const writers = Array.from({ length: WRITERS }, (_, writer) => write(writer).catch(() => {}));
    for (const end = monotonic() + seconds(30); kept.size < 3 * WRITERS && monotonic() < end; )
      await pause(10);
    await pause(random.fraction() * 300);
    const expected = new Map(kept);
    await program.stop("SIGKILL");
    await Promise.all(writers);
    program = await startProgram(flags);
    for (const [name, text] of begun) {
      const file = share().rootDirectoryClient.getFileClient(name);
      const isThere = await file.exists();
      assert.ok(isThere || !kept.has(name), `${name} is lost`);
      if (!isThere) continue;
      const found = (await file.downloadToBuffer()).toString();
      assert.ok(found === text || (found === "" && !kept.has(name)), `${name} is torn`);
    }
    assert.ok(expected.size >= 3 * WRITERS, "the writers had no time to write");
  } finally {
    await program.stop("SIGKILL");
    rmSync(folder, { recursive: true });
  }
});
