import assert from "node:assert/strict";
import { test } from "node:test";
import { NdrReader, NdrWriter } from "./ndr.ts";
import { SrvSvc } from "./srvsvc.ts";

const service = new SrvSvc({
  serverName: "HOLDFAST",
  shares: async () => [{ name: "work", comment: "" }],
});
const OPNUM = { ENUM: 15, GET_INFO: 16, SERVER: 21 };

async function ask(opnum: number, stub: NdrWriter): Promise<NdrReader> {
  const answer = await service.call(opnum, stub.bytes());
  assert.ok("stub" in answer, JSON.stringify(answer));
  return new NdrReader(answer.stub);
}

/** What each level has before its strings (* a string, 0 a null pointer), for a disk and for the pipes. */
const LEVELS: readonly (readonly [number, string, readonly string[], readonly string[]])[] = [
  [0, "*", ["work"], ["IPC$"]],
  [1, "*t*", ["work", ""], ["IPC$", "Remote IPC"]],
  [2, "*t*pmc*0", ["work", "", "C:\\work"], ["IPC$", "Remote IPC", ""]],
  [501, "*t*f", ["work", ""], ["IPC$", "Remote IPC"]],
  [502, "*t*pmc*0s0", ["work", "", "C:\\work"], ["IPC$", "Remote IPC", ""]],
];
const VALUES: Readonly<Record<string, number>> = { p: 0, m: 0xffff_ffff, c: 0, f: 0, s: 0, "0": 0 };

function checkFixed(reply: NdrReader, layout: string, type: number): void {
  for (const field of layout) {
    const value = reply.u32();
    if (field === "*") assert.notEqual(value, 0);
    else assert.equal(value, field === "t" ? type : VALUES[field]);
  }
}

test("shares are listed in every level that clients ask for, fixed parts first and then the strings", async () => {
  for (const [level, layout, disk, pipes] of LEVELS) {
    const stub = new NdrWriter()
      .u32(0)
      .u32(level)
      .u32(level)
      .reference()
      .u32(0)
      .u32(0)
      .u32(0xffff_ffff)
      .u32(0);
    const reply = await ask(OPNUM.ENUM, stub);
    assert.deepEqual([reply.u32(), reply.u32()], [level, level]);
    assert.notEqual(reply.u32(), 0);
    assert.equal(reply.u32(), 2);
    assert.notEqual(reply.u32(), 0);
    assert.equal(reply.u32(), 2);
    checkFixed(reply, layout, 0);
    checkFixed(reply, layout, 0x8000_0003);
    for (const text of [...disk, ...pipes]) assert.equal(reply.string(), text);
    assert.deepEqual([reply.u32(), reply.u32(), reply.u32()], [2, 0, 0]);
    assert.ok(!reply.isBad);
  }
});

test("one share is reported in the same levels, and by its flags alone", async () => {
  const one = (name: string, level: number): Promise<NdrReader> =>
    ask(OPNUM.GET_INFO, new NdrWriter().u32(0).string(name).u32(level));
  for (const [level, layout, strings] of [...LEVELS, [1_005, "f", []] as const]) {
    const reply = await one("WORK", level);
    assert.equal(reply.u32(), level);
    assert.notEqual(reply.u32(), 0);
    checkFixed(reply, layout, 0);
    for (const text of strings) assert.equal(reply.string(), text);
    assert.equal(reply.u32(), 0);
    assert.ok(!reply.isBad);
  }
  const refused = async (name: string, level: number): Promise<number> => {
    const reply = await one(name, level);
    assert.deepEqual([reply.u32(), reply.u32()], [level, 0]);
    return reply.u32();
  };
  assert.equal(await refused("nosuch", 1), 2_310);
  assert.equal(await refused("work", 7), 124);
});

test("the server is reported by name alone or with its version", async () => {
  for (const level of [100, 101]) {
    const reply = await ask(OPNUM.SERVER, new NdrWriter().u32(0).u32(level));
    assert.equal(reply.u32(), level);
    assert.notEqual(reply.u32(), 0);
    assert.equal(reply.u32(), 500);
    for (let left = level === 100 ? 1 : 5; left > 0; left--) reply.u32();
    assert.equal(reply.string(), "HOLDFAST");
    if (level === 101) assert.equal(reply.string(), "");
    assert.equal(reply.u32(), 0);
    assert.ok(!reply.isBad);
  }
});
