import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { pause } from "../../src/base/clock.ts";
import { DISPOSITION } from "../../src/smb/wire/create.ts";
import { STATUS } from "../../src/smb/wire/status.ts";
import { SMB_ACCOUNT, SMB_PASSWORD, startSmbServer } from "../kit/smb-server.ts";
import { SmbStatus, SmbTestClient } from "../kit/smb-test-client.ts";

/** Clients with a lease of handles close a file later than their applications: others must not notice. */
let server: Awaited<ReturnType<typeof startSmbServer>>;
before(async () => {
  server = await startSmbServer();
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

test("a file deleted on close is gone for its deleter, though another client's cache keeps it open", async () => {
  const [deleter, reader] = await Promise.all([connect(), connect()]);
  const made = { access: "RWD", disposition: DISPOSITION.OVERWRITE_IF };
  for (const folder of ["of", "of\\files"])
    await deleter.close(
      await deleter.open(folder, { ...made, disposition: DISPOSITION.OPEN_IF, isDirectory: true }),
    );
  await deleter.close(await deleter.open("of\\files\\f", made));
  const kept = await reader.open("of\\files\\f", { access: "R", lease: { key: KEY, state: "RH" } });
  const doomed = await deleter.open("of\\files\\f", { access: "D", isDeleteOnClose: true });
  const released = reader.nextBreak().then(async (broken) => {
    assert.ok(broken.kind === "lease" && broken.to === "R", JSON.stringify(broken));
    await pause(50);
    await reader.close(kept);
  });
  await deleter.close(doomed);
  const again = await deleter.open("of\\files\\f", { ...made, disposition: DISPOSITION.CREATE });
  await deleter.setDeletePending(again, true);
  await deleter.close(again);
  const folder = await deleter.open("of\\files", { access: "D", isDirectory: true });
  await deleter.setDeletePending(folder, true);
  await deleter.close(folder);
  await released;
  for (const client of [deleter, reader]) client.vanish();
});

test("a client that uses the file delays no close that deletes it", async () => {
  const [deleter, reader] = await Promise.all([connect(), connect()]);
  const made = { access: "RWD", disposition: DISPOSITION.OVERWRITE_IF };
  await deleter.close(await deleter.open("busy", made));
  const used = await reader.open("busy", { access: "R", lease: { key: KEY, state: "RH" } });
  await deleter.close(await deleter.open("busy", { access: "D", isDeleteOnClose: true }));
  await assert.rejects(deleter.open("busy"), isRefused(STATUS.DELETE_PENDING));
  await reader.acknowledgeLease(KEY, "R");
  await reader.close(used);
  await assert.rejects(deleter.open("busy"), isRefused(STATUS.OBJECT_NAME_NOT_FOUND));
  for (const client of [deleter, reader]) client.vanish();
});
