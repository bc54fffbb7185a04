import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { STATUS } from "../../src/smb/status.ts";
import { DISPOSITION } from "../../src/smb/wire/create.ts";
import { SMB_ACCOUNT, SMB_PASSWORD } from "../kit/smb-server.ts";
import { startServiceSmbServer } from "../kit/smb-service.ts";
import { SmbStatus, SmbTestClient } from "../kit/smb-test-client.ts";

/** Clients with a lease of handles close a file later than their applications: others must not notice. */
let server: Awaited<ReturnType<typeof startServiceSmbServer>>;
before(async () => {
  server = await startServiceSmbServer();
});
after(() => server.close());

const connect = (): Promise<SmbTestClient> =>
  SmbTestClient.connect({ port: server.port, user: SMB_ACCOUNT, password: SMB_PASSWORD, share: "work" });
const KEY = Buffer.from("0123456789abcdef");
const isRefused = (status: number) => (error: unknown) => {
  assert.ok(error instanceof SmbStatus, String(error));
  assert.equal(error.message, new SmbStatus(status).message);
  return true;
};

test("a file that another client only keeps open gives way to a new one of its name", async () => {
  const [saver, reader] = await Promise.all([connect(), connect()]);
  const made = { access: "RWD", disposition: DISPOSITION.OVERWRITE_IF };
  await saver.close(await saver.open("saved", made));
  const kept = await reader.open("saved", { access: "R", lease: { key: KEY, state: "RH" } });
  assert.equal(kept.leaseState, "RH");
  const fresh = await saver.open("saved.tmp", made);
  await saver.write(fresh, 0, "new");
  const renamed = saver.rename(fresh, "saved", true);
  const broken = await reader.nextBreak();
  assert.ok(broken.kind === "lease" && broken.to === "R" && broken.isAnswerNeeded, JSON.stringify(broken));
  await reader.close(kept);
  await renamed;
  await saver.close(fresh);
  const after = await reader.open("saved");
  assert.equal((await reader.read(after, 0, 10)).toString(), "new");
  for (const client of [saver, reader]) client.vanish();
});

test("a file that another client uses does not give way", async () => {
  const [saver, reader] = await Promise.all([connect(), connect()]);
  const made = { access: "RWD", disposition: DISPOSITION.OVERWRITE_IF };
  await saver.close(await saver.open("used", made));
  const used = await reader.open("used", { access: "R", lease: { key: KEY, state: "RH" } });
  const fresh = await saver.open("used.tmp", made);
  const renamed = saver.rename(fresh, "used", true);
  await reader.nextBreak();
  await reader.acknowledgeLease(KEY, "R");
  await assert.rejects(renamed, isRefused(STATUS.ACCESS_DENIED));
  await reader.close(used);
  await saver.rename(fresh, "used", true);
  for (const client of [saver, reader]) client.vanish();
});
