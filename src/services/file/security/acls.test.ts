import assert from "node:assert/strict";
import { test } from "node:test";
import { RIGHT } from "../../../concurrency/acl.ts";
import type { Reader } from "../../../store/kv.ts";
import { permissionRecord } from "../../../store/records/file.ts";
import { FILE_LIMITS } from "../limits.ts";
import { DEFAULT_SDDL } from "../permissions.ts";
import { Acls, identityOf } from "./acls.ts";
import { printSid } from "./sddl.ts";

/** One descriptor is stored, under any key. */
function reading(sddl: string): { read: Reader; count: () => number } {
  let count = 0;
  const get = async () => {
    count++;
    return permissionRecord.pack({ sddl });
  };
  return { read: { get } as unknown as Reader, count: () => count };
}

const grantedBy = async (sddl: string): Promise<number> =>
  (await new Acls("files1").guardOf(reading(sddl).read, 1n, { permission: "1*1" })).granted;

test("an account has one SID for good, made of its name", () => {
  // Lists on disk name it: a change of this number would take away what they grant.
  assert.equal(printSid(identityOf("files1").user), "S-1-5-21-418268943-2563467337-4104310963-1000");
  assert.equal(printSid(identityOf("files1").primaryGroup), "S-1-5-21-418268943-2563467337-4104310963-513");
  assert.notDeepEqual(identityOf("files2").user, identityOf("files1").user);
});

test("where the system is the owner the account counts as the system, elsewhere it does not", async () => {
  assert.equal(await grantedBy(DEFAULT_SDDL), RIGHT.ALL);
  assert.equal(await grantedBy("D:(A;;FA;;;SY)"), RIGHT.ALL);
  assert.equal(await grantedBy("O:BAG:SYD:(A;;FA;;;SY)"), 0);
  assert.equal(await grantedBy("O:BAG:SYD:(A;;FR;;;NU)"), 0x12_0089);
});

test("a list that is not understood grants nothing, and the account can replace it", async () => {
  const conditional = '(XA;;FA;;;WD;(@User.Project=="a"))';
  assert.equal(await grantedBy(`O:BAD:${conditional}`), RIGHT.READ_CONTROL | RIGHT.WRITE_DAC);
});

test("a descriptor is read once, and only so many are kept", async () => {
  const lists = new Acls("files1");
  const { read, count } = reading("O:BAD:(A;;FR;;;WD)");
  const first = { permission: "1*1" };
  await lists.guardOf(read, 1n, first);
  await lists.guardOf(read, 1n, first);
  assert.equal(count(), 1);
  for (let i = 0; i < FILE_LIMITS.parsedPermissionsMax; i++)
    await lists.guardOf(read, 1n, { permission: `2*${i}` });
  await lists.guardOf(read, 1n, first);
  assert.equal(count(), FILE_LIMITS.parsedPermissionsMax + 2);
});
