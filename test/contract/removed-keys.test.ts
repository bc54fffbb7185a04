import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, suite, type TestContext, test } from "node:test";
import {
  AccountSASPermissions,
  AccountSASResourceTypes,
  AccountSASServices,
  BlobSASPermissions,
  BlobServiceClient,
  generateAccountSASQueryParameters,
  generateBlobSASQueryParameters,
  StorageSharedKeyCredential,
} from "@azure/storage-blob";
import { ShareServiceClient } from "@azure/storage-file-share";
import { pause } from "../../src/base/clock.ts";
import { DISPOSITION } from "../../src/smb/wire/create.ts";
import { OPLOCK } from "../../src/smb/wire/oplock-break.ts";
import { type Program, startProgram } from "../kit/program.ts";
import { type ClientFile, SmbTestClient } from "../kit/smb-test-client.ts";

/** Accounts and keys that are taken out of the accounts file: nothing that was proven with them goes on. */
const root = mkdtempSync(join(tmpdir(), "holdfast-removed-"));
after(() => rmSync(root, { recursive: true, force: true }));

const WORKERS = 2;
const WAIT_MILLIS = 30_000;
const newKey = (): string => randomBytes(64).toString("base64");
const [OLD, NEW, OTHER] = [newKey(), newKey(), newKey()];

interface Fixture {
  readonly program: Program;
  /** Writes the accounts file and returns when every worker has read it. */
  setAccounts(lines: readonly string[]): Promise<void>;
}

async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const endsAt = Date.now() + WAIT_MILLIS;
  while (!(await isSo())) {
    assert.ok(Date.now() < endsAt, `waited in vain until ${what}`);
    await pause(20);
  }
}

async function start(t: TestContext): Promise<Fixture> {
  const folder = mkdtempSync(join(root, "run-"));
  const file = join(folder, "accounts");
  const write = (lines: readonly string[]): void => {
    writeFileSync(`${file}.new`, lines.join("\n"));
    renameSync(`${file}.new`, file);
  };
  write([`mine:${OLD}:${NEW}`, `other:${OTHER}`]);
  const flags = ["--location", join(folder, "data"), "--accountsFile", file, "--workers", String(WORKERS)];
  const program = await startProgram(flags);
  t.after(() => program.stop());
  let rounds = 0;
  return {
    program,
    setAccounts: async (lines) => {
      write(lines);
      process.kill(program.pid, "SIGHUP");
      const expected = ++rounds * WORKERS;
      const readings = (): number => program.stderr().split("accounts re-read").length - 1;
      await until("all workers have read the accounts", () => readings() === expected);
    },
  };
}

const shareOf = ({ program }: Fixture, key: string) => {
  const address = `${program.endpoints.file}/mine`;
  const options = { retryOptions: { maxTries: 1 } };
  return new ShareServiceClient(address, new StorageSharedKeyCredential("mine", key), options).getShareClient(
    "work",
  );
};

suite("SMB", () => {
  interface Client {
    readonly smb: SmbTestClient;
    readonly handle: ClientFile;
    isGone(): boolean;
  }

  async function openFile({ program }: Fixture, key: string, name: string): Promise<Client> {
    const to = { port: program.ports.smb, user: "mine", password: key, share: "work" };
    const smb = await SmbTestClient.connect(to);
    let isGone = false;
    smb.onClose(() => {
      isGone = true;
    });
    const wanted = { access: "RW", share: "", disposition: DISPOSITION.OPEN_IF };
    const handle = await smb.open(name, { ...wanted, oplock: OPLOCK.BATCH, isDurable: true });
    await smb.write(handle, 0, "before");
    return { smb, handle, isGone: () => isGone };
  }

  test("a session ends with the key of its login, and one of the other key goes on", async (t) => {
    const fixture = await start(t);
    const share = shareOf(fixture, NEW);
    await share.create();
    const old = await openFile(fixture, OLD, "old");
    const kept = await openFile(fixture, NEW, "kept");

    await fixture.setAccounts([`mine:${NEW}`, `other:${OTHER}`]);
    await until("the session of the old key is gone", old.isGone);
    await kept.smb.write(kept.handle, 0, "beyond");
    assert.equal(kept.isGone(), false);
    // What it had open is closed: no other client could open this file while it was open.
    const again = await kept.smb.open("old", { access: "RW", share: "" });
    assert.equal((await kept.smb.read(again, 0, 6)).toString(), "before", "what was acknowledged is kept");

    await fixture.setAccounts([`other:${OTHER}`]);
    await until("the last session is gone", kept.isGone);
    await fixture.setAccounts([`mine:${NEW}`, `other:${OTHER}`]);
    const { handleList } = (await share.rootDirectoryClient.listHandles().byPage().next()).value;
    assert.deepEqual(handleList ?? [], []);
  });

  test("a durable handle whose client was lost ends with the key, too", async (t) => {
    const fixture = await start(t);
    const share = shareOf(fixture, NEW);
    await share.create();
    const lost = await openFile(fixture, OLD, "old");
    lost.smb.vanish();
    const handles = async (): Promise<number> => {
      const page = (await share.rootDirectoryClient.getFileClient("old").listHandles().byPage().next()).value;
      return page.handleList?.length ?? 0;
    };
    // The server has noticed the loss and keeps the handle for its client.
    await pause(300);
    assert.equal(await handles(), 1);
    await fixture.setAccounts([`mine:${NEW}`, `other:${OTHER}`]);
    await until("the handle is closed", async () => (await handles()) === 0);
  });
});

suite("HTTP", () => {
  /** Reads over connections that were made before; each call may reach another worker. */
  const CALLS = 3 * WORKERS;

  async function statusOf(agent: Agent, address: string, headers = {}): Promise<number> {
    return new Promise((resolve, reject) => {
      const asked = request(address, { agent, headers }, (reply) => {
        reply.resume();
        reply.on("end", () => resolve(reply.statusCode ?? 0));
      });
      asked.on("error", reject);
      asked.end();
    });
  }

  test("signatures and tokens of a removed key or account are refused on open connections", async (t) => {
    const fixture = await start(t);
    const base = `${fixture.program.endpoints.blob}/mine`;
    const agents = Array.from({ length: CALLS }, () => new Agent({ keepAlive: true, maxSockets: 1 }));
    t.after(() => {
      for (const agent of agents) agent.destroy();
    });
    const service = (key: string): BlobServiceClient =>
      new BlobServiceClient(base, new StorageSharedKeyCredential("mine", key), {
        retryOptions: { maxTries: 1 },
      });
    const withOld = service(OLD);
    const withNew = service(NEW);
    await withNew.getContainerClient("public").create({ access: "blob" });
    for (const name of ["private", "public"]) {
      const container = withNew.getContainerClient(name);
      await container.createIfNotExists();
      await container.getBlockBlobClient("b").upload("text", 4);
    }
    const tokens = (key: string): string[] => {
      const credential = new StorageSharedKeyCredential("mine", key);
      const expiresOn = new Date(Date.now() + 3_600_000);
      return [
        generateAccountSASQueryParameters(
          {
            expiresOn,
            permissions: AccountSASPermissions.parse("r"),
            services: AccountSASServices.parse("b").toString(),
            resourceTypes: AccountSASResourceTypes.parse("o").toString(),
          },
          credential,
        ).toString(),
        generateBlobSASQueryParameters(
          { containerName: "private", blobName: "b", expiresOn, permissions: BlobSASPermissions.parse("r") },
          credential,
        ).toString(),
      ];
    };
    const addresses = (key: string): string[] => tokens(key).map((token) => `${base}/private/b?${token}`);
    const publicly = `${base}/public/b`;
    await withNew.setProperties({ staticWebsite: { enabled: true, indexDocument: "b" } });
    await withNew.getContainerClient("$web").createIfNotExists();
    await withNew.getContainerClient("$web").getBlockBlobClient("b").upload("page", 4);
    const website = (): Promise<number> =>
      statusOf(agents[0]!, `${fixture.program.endpoints.blob}/`, { Host: "mine.web.localhost" });
    assert.equal(await website(), 200);
    const all = async (address: string): Promise<number[]> => {
      // Twice: the second time a worker may know the token already.
      const first = await Promise.all(agents.map((agent) => statusOf(agent, address)));
      const second = await Promise.all(agents.map((agent) => statusOf(agent, address)));
      return [...new Set([...first, ...second])];
    };
    const oldAddresses = addresses(OLD);
    const newAddresses = addresses(NEW);
    for (const address of [...oldAddresses, ...newAddresses, publicly])
      assert.deepEqual(await all(address), [200]);
    const read = (client: BlobServiceClient): Promise<unknown> =>
      client.getContainerClient("private").getBlobClient("b").getProperties();
    for (let call = 0; call < CALLS; call++) await read(withOld);

    await fixture.setAccounts([`mine:${NEW}`, `other:${OTHER}`]);
    for (const address of oldAddresses) assert.deepEqual(await all(address), [403]);
    for (const address of [...newAddresses, publicly]) assert.deepEqual(await all(address), [200]);
    for (let call = 0; call < CALLS; call++) await assert.rejects(read(withOld), { statusCode: 403 });
    await read(withNew);

    await fixture.setAccounts([`other:${OTHER}`]);
    for (const address of newAddresses) assert.deepEqual(await all(address), [403]);
    assert.deepEqual(await all(publicly), [404]);
    assert.equal(await website(), 404);
    await assert.rejects(read(withNew), { statusCode: 403 });
  });
});
