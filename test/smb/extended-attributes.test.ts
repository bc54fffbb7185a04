import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { DISPOSITION } from "../../src/smb/wire/create.ts";
import { NOTIFY_FILTER } from "../../src/smb/wire/directory.ts";
import {
  EA_FLAG,
  type ExtendedAttribute,
  encodeFullEas,
  encodeGetEas,
} from "../../src/smb/wire/extended-attributes.ts";
import { FILE_CLASS } from "../../src/smb/wire/file-information.ts";
import { INFO_TYPE } from "../../src/smb/wire/info.ts";
import { STATUS } from "../../src/smb/wire/status.ts";
import { VOLUME_CLASS } from "../../src/smb/wire/volume-information.ts";
import { SMB_ACCOUNT, SMB_PASSWORD, startSmbServer } from "../kit/smb-server.ts";
import { type ClientFile, SmbStatus, SmbTestClient } from "../kit/smb-test-client.ts";
import { SMBCLIENT_MISSING, smbclient } from "../kit/smbclient.ts";

/** Extended attributes as clients see them. */
const ea = (name: string, value: string, isNeeded = false): ExtendedAttribute => ({
  name,
  value: Buffer.from(value),
  isNeeded,
});
const encoded = (...eas: readonly ExtendedAttribute[]): Buffer => encodeFullEas(eas, 1 << 20).data;
const shown = (eas: readonly ExtendedAttribute[]): string =>
  eas.map(({ name, value, isNeeded }) => `${name}${isNeeded ? "!" : ""}=${value}`).join(" ");
const isRefused = (status: number) => (error: unknown) => {
  assert.ok(error instanceof SmbStatus, String(error));
  assert.equal(error.message, new SmbStatus(status).message);
  return true;
};
const MADE = { access: "RWDeE", disposition: DISPOSITION.OVERWRITE_IF };

suite("extended attributes over SMB", () => {
  let server: { readonly port: number; close(): Promise<void> };
  let smb: SmbTestClient;
  const to = () => ({ port: server.port, user: SMB_ACCOUNT, password: SMB_PASSWORD, share: "work" });
  before(async () => {
    server = await startSmbServer();
    smb = await SmbTestClient.connect(to());
  });
  after(async () => {
    smb.vanish();
    await server.close();
  });
  const all = async (file: ClientFile): Promise<string> =>
    shown((await smb.queryEas(file, { flags: EA_FLAG.RESTART_SCAN })).eas);

  test("queries return what a client set, with its size in every class that has one", async () => {
    const file = await smb.open("f", MADE);
    const size = async (): Promise<readonly number[]> => {
      const root = await smb.open("", { isDirectory: true });
      const [listed] = await smb.list(root, "f");
      await smb.close(root);
      const own = (await smb.queryInfo(file, FILE_CLASS.EA)).readUInt32LE(0);
      return [own, (await smb.queryInfo(file, FILE_CLASS.ALL)).readUInt32LE(72), listed!.eaSize];
    };
    await assert.rejects(smb.queryEas(file), isRefused(STATUS.NO_EAS_ON_FILE));
    assert.deepEqual(await size(), [0, 0, 0]);
    await smb.setEas(file, [ea("user.one", "1"), ea("two", "zwei", true)]);
    assert.equal(await all(file), "user.one=1 two!=zwei");
    const bytes = 4 + (5 + 8 + 1) + (5 + 3 + 4);
    assert.deepEqual(await size(), [bytes, bytes, bytes]);
    await smb.setEas(file, [ea("USER.ONE", ""), ea("two", "")]);
    assert.deepEqual(await size(), [0, 0, 0]);
    await assert.rejects(smb.queryEas(file), isRefused(STATUS.NO_EAS_ON_FILE));
    await smb.close(file);
  });

  test("the volume says that it has them", async () => {
    const root = await smb.open("", { isDirectory: true });
    const volume = await smb.queryInfo(root, VOLUME_CLASS.ATTRIBUTE, INFO_TYPE.FILESYSTEM);
    assert.notEqual(volume.readUInt32LE(0) & 0x80_0000, 0);
    await smb.close(root);
  });

  test("a scan goes on where it was, begins again, or at an index; each comes whole", async () => {
    const file = await smb.open("scanned", MADE);
    const eas = ["a", "b", "c"].map((one) => ea(one, one.repeat(20)));
    await smb.setEas(file, eas);
    const single = { flags: EA_FLAG.RETURN_SINGLE_ENTRY };
    for (const one of eas) assert.deepEqual(await smb.queryEas(file, single), { eas: [one], isAll: true });
    await assert.rejects(smb.queryEas(file, single), isRefused(STATUS.NO_MORE_EAS));
    await assert.rejects(smb.queryEas(file), isRefused(STATUS.NO_MORE_EAS));
    const two = { bytesMax: 32 + 30, flags: EA_FLAG.RESTART_SCAN };
    assert.deepEqual(await smb.queryEas(file, two), { eas: eas.slice(0, 2), isAll: false });
    assert.deepEqual(await smb.queryEas(file), { eas: eas.slice(2), isAll: true });
    const small = { bytesMax: 29, flags: EA_FLAG.RESTART_SCAN };
    await assert.rejects(smb.queryEas(file, small), isRefused(STATUS.BUFFER_TOO_SMALL));
    const from = (index: number) => smb.queryEas(file, { flags: EA_FLAG.INDEX_SPECIFIED, index });
    assert.deepEqual((await from(2)).eas, eas.slice(1));
    await assert.rejects(from(4), isRefused(STATUS.NO_MORE_EAS));
    for (const index of [0, 5])
      await assert.rejects(from(index), isRefused(STATUS.NONEXISTENT_EA_ENTRY), `${index}`);
    await smb.close(file);
  });

  test("asked for by name they come in that order, once, and empty where there are none", async () => {
    const file = await smb.open("named", MADE);
    await smb.setEas(file, [ea("one", "1"), ea("two", "2"), ea("three", "3")]);
    const ask = (...names: string[]) => smb.queryEas(file, { names: encodeGetEas(names) });
    assert.equal(shown((await ask("THREE", "none", "one", "Three")).eas), "three=3 none= one=1");
    assert.equal(shown((await smb.queryEas(file)).eas), "one=1 two=2 three=3", "a scan is another matter");
    const names = encodeGetEas(["a", "b"]);
    const cut = { names: names.subarray(0, names.length - 1) };
    await assert.rejects(smb.queryEas(file, cut), isRefused(STATUS.EA_LIST_INCONSISTENT));
    await assert.rejects(ask("a/b"), isRefused(STATUS.INVALID_EA_NAME));
    const much = { names: Buffer.alloc(60_000, 1) };
    await assert.rejects(smb.queryEas(file, much), isRefused(STATUS.EA_LIST_INCONSISTENT));
    await smb.close(file);
  });

  test("a list that is wrong anywhere changes nothing", async () => {
    const file = await smb.open("wrong", MADE);
    await smb.setEas(file, [ea("keep", "1")]);
    const good = encoded(ea("keep", "2"), ea("new", "3"));
    const cut = good.subarray(0, good.length - 1);
    await assert.rejects(smb.setEas(file, cut), isRefused(STATUS.EA_LIST_INCONSISTENT));
    await assert.rejects(smb.setEas(file, Buffer.alloc(0)), isRefused(STATUS.EA_LIST_INCONSISTENT));
    const bad = encoded(ea("keep", "2"), ea("a:b", "3"));
    await assert.rejects(smb.setEas(file, bad), isRefused(STATUS.INVALID_EA_NAME));
    const half = ea("x", "v".repeat(40_000));
    await smb.setEas(file, [half]);
    const other = [ea("keep", "2"), ea("y", "v".repeat(40_000))];
    await assert.rejects(smb.setEas(file, other), isRefused(STATUS.EA_TOO_LARGE));
    assert.equal(await all(file), `keep=1 ${shown([half])}`);
    await smb.close(file);
  });

  test("reading and writing them needs the right to", async () => {
    await smb.close(await smb.open("rights", { ...MADE, extendedAttributes: encoded(ea("a", "1")) }));
    const reader = await smb.open("rights", { access: "e" });
    const writer = await smb.open("rights", { access: "E" });
    assert.equal(await all(reader), "a=1");
    await assert.rejects(smb.queryEas(writer), isRefused(STATUS.ACCESS_DENIED));
    await assert.rejects(smb.setEas(reader, [ea("a", "2")]), isRefused(STATUS.ACCESS_DENIED));
    await smb.setEas(writer, [ea("a", "2")]);
    assert.equal(await all(reader), "a=2");
    for (const file of [reader, writer]) await smb.close(file);
  });

  test("CREATE gives them to what it makes or overwrites, a directory too, and not to what it opens", async () => {
    const given = (...eas: readonly ExtendedAttribute[]) => ({ extendedAttributes: encoded(...eas) });
    const made = { access: "RWDe", ...given(ea("a", "1"), ea("b", ""), ea("A", "2")) };
    const directory = await smb.open("made", {
      ...made,
      isDirectory: true,
      disposition: DISPOSITION.CREATE,
    });
    assert.equal(await all(directory), "A=2");
    await smb.close(directory);
    const first = await smb.open("file", { ...made, disposition: DISPOSITION.CREATE });
    assert.equal(await all(first), "A=2");
    await smb.close(first);
    const opened = await smb.open("file", { ...made, ...given(ea("c", "3")) });
    assert.equal(await all(opened), "A=2");
    await smb.close(opened);
    const over = { access: "RWDe", disposition: DISPOSITION.OVERWRITE };
    const replaced = await smb.open("file", { ...over, ...given(ea("c", "3")) });
    assert.equal(await all(replaced), "c=3");
    await smb.close(replaced);
    const bare = await smb.open("file", { ...over, disposition: DISPOSITION.SUPERSEDE });
    await assert.rejects(smb.queryEas(bare), isRefused(STATUS.NO_EAS_ON_FILE));
    await smb.close(bare);
    const bad = { ...MADE, extendedAttributes: Buffer.alloc(9, 1) };
    await assert.rejects(smb.open("never", bad), isRefused(STATUS.EA_LIST_INCONSISTENT));
    const odd = { ...MADE, ...given(ea("a=b", "1")) };
    await assert.rejects(smb.open("never", odd), isRefused(STATUS.INVALID_EA_NAME));
    const much = { ...MADE, ...given(ea("a", "v".repeat(33_000)), ea("b", "v".repeat(32_000))) };
    await smb.close(await smb.open("much", much));
    const more = { ...MADE, ...given(ea("a", "v".repeat(30_000)), ea("b", "v".repeat(35_600))) };
    await assert.rejects(smb.open("never", more), isRefused(STATUS.EA_TOO_LARGE));
    await assert.rejects(smb.open("never"), isRefused(STATUS.OBJECT_NAME_NOT_FOUND));
  });

  test("a client that knows nothing of them gives none, and opens no file that needs them", async () => {
    const hasNoEaKnowledge = true;
    const blind = { ...MADE, hasNoEaKnowledge };
    const given = { extendedAttributes: encoded(ea("a", "1")) };
    await assert.rejects(smb.open("blind", { ...blind, ...given }), isRefused(STATUS.ACCESS_DENIED));
    const file = await smb.open("blind", blind);
    await smb.setEas(file, [ea("a", "1")]);
    await smb.close(await smb.open("blind", { hasNoEaKnowledge }));
    await smb.setEas(file, [ea("b", "2", true)]);
    await assert.rejects(smb.open("blind", { hasNoEaKnowledge }), isRefused(STATUS.ACCESS_DENIED));
    await smb.close(await smb.open("blind"));
    await smb.close(file);
  });

  test("a watch for extended attributes or attributes reports them; other watches do not", async () => {
    const file = await smb.open("watched", MADE);
    const watcher = await SmbTestClient.connect(to());
    const watch = async (filter: number) => {
      const root = await watcher.open("", { isDirectory: true });
      return { root, events: watcher.watch(root, filter) };
    };
    const eas = await watch(NOTIFY_FILTER.EA);
    const attributes = await watch(NOTIFY_FILTER.ATTRIBUTES);
    const sizes = await watch(NOTIFY_FILTER.SIZE);
    await smb.setEas(file, [ea("a", "1")]);
    assert.deepEqual(await eas.events, ["3 watched"]);
    assert.deepEqual(await attributes.events, ["3 watched"]);
    await smb.write(file, 0, "content");
    assert.deepEqual(await sizes.events, ["3 watched"]);
    await smb.close(file);
    watcher.vanish();
  });

  test("smbclient sets, lists and removes them", { skip: SMBCLIENT_MISSING ?? false }, async () => {
    await smb.close(await smb.open("of-client", MADE));
    const run = (...commands: string[]) => smbclient({ ...to(), commands });
    const set = await run("setea of-client first eins", "setea of-client Second zwei", "geteas of-client");
    assert.equal(set.code, 0, set.output);
    assert.match(
      set.output,
      /first \(0\) =\n\[0000\] 65 69 6E 73 [\s\S]*Second \(0\) =\n\[0000\] 7A 77 65 69 /,
    );
    const removed = await run('setea of-client SECOND ""', "geteas of-client");
    assert.match(removed.output, /first/);
    assert.doesNotMatch(removed.output, /second/i);
    const listed = await run("allinfo of-client");
    assert.equal(listed.code, 0, listed.output);
  });
});
