import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { type ShareClient, ShareServiceClient } from "@azure/storage-file-share";
import { seconds } from "../../src/base/clock.ts";
import { seededRandom } from "../../src/base/random.ts";
import { ENGINES, startTestServer, type TestServer } from "../kit/server.ts";
import { SMBCLIENT_MISSING, type SmbClientRun, smbclient } from "../kit/smbclient.ts";
import { seedOfThisRun } from "../support/seed.ts";

/** Debian's smbclient against the whole product, with the Azure SDK looking at the same files. */
const skip = SMBCLIENT_MISSING ?? false;

const WAYS: readonly Pick<SmbClientRun, "protocol" | "protection">[] = [
  { protocol: "SMB2_10", protection: "sign" },
  { protocol: "SMB3_00", protection: "sign" },
  { protocol: "SMB3_00", protection: "encrypt" },
  { protocol: "SMB3_11", protection: "sign" },
  { protocol: "SMB3_11", protection: "encrypt" },
];

for (const engine of ENGINES) {
  suite(`smbclient against the product over ${engine}`, { skip }, () => {
    let server: TestServer;
    let share: ShareClient;
    let folder: string;

    before(async () => {
      server = await startTestServer({ engine });
      share = ShareServiceClient.fromConnectionString(server.connectionString).getShareClient("work");
      await share.create();
      folder = mkdtempSync(join(tmpdir(), "holdfast-smb-"));
    });

    after(async () => {
      await server.close();
      rmSync(folder, { recursive: true });
    });

    const run = (commands?: readonly string[], more: Partial<SmbClientRun> = {}) =>
      smbclient({
        port: server.server.ports.smb,
        share: "work",
        user: server.account,
        password: server.key,
        ...(commands === undefined ? {} : { commands }),
        ...more,
      });

    for (const way of WAYS) {
      test(`${way.protocol}, ${way.protection}: shares, put, get, rename, attributes, copy, del`, async (t) => {
        const random = seededRandom(seedOfThisRun(t));
        const sent = join(folder, "sent");
        const back = join(folder, "back");
        const bytes = random.bytes(2_000_000 + Math.floor(random.fraction() * 100_000));
        writeFileSync(sent, bytes);
        const list = await run(undefined, way);
        assert.match(list.output, /work +Disk[\s\S]*IPC\$ +IPC/);
        const made = await run(
          [
            "mkdir Dir",
            `put ${sent} dir\\first`,
            "rename dir\\first dir\\Second",
            `get dir\\second ${back}`,
            "setmode dir\\second +rh",
            "allinfo dir\\second",
          ],
          way,
        );
        assert.equal(made.code, 0, made.output);
        assert.ok(bytes.equals(readFileSync(back)), "what came back is not what was sent");
        assert.match(made.output, /attributes: RHA /);
        const file = share.getDirectoryClient("DIR").getFileClient("second");
        assert.ok(bytes.equals(await file.downloadToBuffer()), "REST reads other bytes");
        assert.equal((await file.getProperties()).fileAttributes, "ReadOnly | Hidden | Archive");
        const over = await run(
          [
            "setmode dir\\second -rh",
            "scopy dir\\second dir\\third",
            `get dir\\third ${back}`,
            "ls dir\\*",
            "del dir\\*",
            "rmdir dir",
            "ls",
          ],
          way,
        );
        assert.equal(over.code, 0, over.output);
        assert.ok(bytes.equals(readFileSync(back)), "the copy made by the server differs");
        assert.match(over.output, new RegExp(`Second +A +${statSync(sent).size} `));
        assert.equal(await share.getDirectoryClient("dir").exists(), false);
      });
    }

    test("a name made, renamed or removed over SMB moves the times of its directory, and not its ETag", async () => {
      const sent = join(folder, "named");
      writeFileSync(sent, "named");
      const directory = share.getDirectoryClient("timed");
      const created = await directory.create();
      let before = created.fileLastWriteOn!;
      const steps = [`put ${sent} timed\\one`, "rename timed\\one timed\\two", "del timed\\two"];
      for (const step of steps) {
        server.clock.advance(seconds(1));
        const done = await run([step]);
        assert.equal(done.code, 0, done.output);
        const { fileLastWriteOn, fileChangeOn, etag } = await directory.getProperties();
        assert.ok(fileLastWriteOn! > before, `${step} left the time of the last write`);
        assert.deepEqual(fileChangeOn, fileLastWriteOn);
        assert.equal(etag, created.etag);
        before = fileLastWriteOn!;
      }
      await directory.delete();
    });

    test("holes of a file are zeros for every client, however often they were sent encrypted", async (t) => {
      const bytes = seededRandom(seedOfThisRun(t)).bytes(3_000_000);
      const file = share.rootDirectoryClient.getFileClient("holes");
      await file.create(8_000_000);
      await file.uploadRange(bytes, 2_000_000, bytes.length);
      const whole = Buffer.alloc(8_000_000);
      whole.set(bytes, 2_000_000);
      for (const name of ["first", "second"]) {
        const back = join(folder, name);
        const got = await run([`get holes ${back}`], { protocol: "SMB3_11", protection: "encrypt" });
        assert.equal(got.code, 0, got.output);
        assert.ok(whole.equals(readFileSync(back)), `${name} has other bytes`);
      }
      assert.ok(whole.equals(await file.downloadToBuffer()), "REST reads other bytes");
      await file.delete();
    });

    for (const protection of ["sign", "encrypt"] as const) {
      test(`a tree goes there and back byte for byte (${protection})`, async (t) => {
        const random = seededRandom(seedOfThisRun(t));
        const from = join(folder, `tree-${protection}`);
        const to = join(folder, `tree-${protection}-back`);
        mkdirSync(to);
        for (let index = 0; index < 120; index++) {
          const directory = join(from, `d${index % 7}`, index % 3 === 0 ? "inner" : ".");
          mkdirSync(directory, { recursive: true });
          const bytes = random.bytes(Math.floor(random.fraction() ** 4 * 200_000));
          writeFileSync(join(directory, `file ${index} äöü.bin`), bytes);
        }
        const sent = await run(["recurse on", "prompt off", "mput *"], { protection, directory: from });
        assert.equal(sent.code, 0, sent.output);
        const got = await run(["recurse on", "prompt off", "mget *"], { protection, directory: to });
        assert.equal(got.code, 0, got.output);
        assert.deepEqual(digests(to), digests(from));
        const removed = await run(["deltree *", "ls"], { protection });
        assert.doesNotMatch(removed.output, /\bd\d\b +D/);
      });
    }

    test("a snapshot is listed and read as a previous version, and cannot be written", async () => {
      const file = share.getDirectoryClient("").getFileClient("report");
      await file.create(6);
      await file.uploadRange("before", 0, 6);
      await run(["setea report state before"]);
      const { snapshot } = await share.createSnapshot();
      await file.uploadRange("after!", 0, 6);
      await run(["setea report state after"]);
      const token = `@GMT-${snapshot!.slice(0, 10).replaceAll("-", ".")}-${snapshot!.slice(11, 19).replaceAll(":", ".")}`;
      const target = join(folder, "old");
      const info = await run(["allinfo report"]);
      assert.ok(info.output.includes(token), info.output);
      const read = await run([`get ${token}\\report ${target}`]);
      assert.equal(read.code, 0, read.output);
      assert.equal(readFileSync(target, "utf8"), "before");
      assert.match((await run([`geteas ${token}\\report`])).output, / before\n/);
      assert.match((await run(["geteas report"])).output, / after\n/);
      const written = await run([`put ${target} ${token}\\report`]);
      assert.match(written.output, /NT_STATUS_MEDIA_WRITE_PROTECTED/);
      assert.equal((await file.downloadToBuffer()).toString(), "after!");
      await file.delete();
    });

    test("a file that does not fit the quota is refused as a full disk", async () => {
      const small = ShareServiceClient.fromConnectionString(server.connectionString).getShareClient("small");
      await small.create({ quota: 1 });
      await small
        .getDirectoryClient("")
        .getFileClient("filler")
        .create(2 ** 30 - 1_000);
      const sent = join(folder, "large");
      writeFileSync(sent, Buffer.alloc(5_000));
      const put = await run([`put ${sent} more`], { share: "small" });
      assert.match(put.output, /NT_STATUS_DISK_FULL/);
    });
  });
}

function digests(root: string): Record<string, string> {
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    files
      .map((entry) => join(entry.parentPath, entry.name))
      .sort()
      .map((path) => [
        path.slice(root.length),
        createHash("sha256").update(readFileSync(path)).digest("hex"),
      ]),
  );
}
