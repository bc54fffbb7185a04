import assert from "node:assert/strict";
import { test } from "node:test";
import {
  ACE_FLAG,
  ACE_TYPE,
  type Ace,
  CONTROL,
  checkAccess,
  grantedInside,
  grantedRights,
  type Identity,
  lacksRightsOfParent,
  mayLock,
  mayOnlyAppend,
  OWNER_RIGHTS,
  RIGHT,
  type SecurityDescriptor,
  type Sid,
  specificRights,
} from "./acl.ts";

const user: Sid = { authority: 5, subAuthorities: [21, 7, 1_000] };
const other: Sid = { authority: 5, subAuthorities: [21, 7, 1_001] };
const everyone: Sid = { authority: 1, subAuthorities: [0] };
const caller: Identity = {
  user,
  primaryGroup: { authority: 5, subAuthorities: [21, 7, 513] },
  groups: [everyone],
};

const allow = (sid: Sid, mask: number, flags = 0): Ace => ({ type: ACE_TYPE.ALLOW, flags, mask, sid });
const deny = (sid: Sid, mask: number, flags = 0): Ace => ({ type: ACE_TYPE.DENY, flags, mask, sid });
const owned = (owner: Sid | undefined, aces: readonly Ace[] | undefined): SecurityDescriptor => ({
  control: CONTROL.DACL_PRESENT,
  owner,
  group: undefined,
  sacl: undefined,
  dacl: aces && { aces },
});
const granted = (owner: Sid | undefined, aces: readonly Ace[] | undefined): number =>
  grantedRights(owned(owner, aces), caller);

test("no ACL grants everything, an empty one nothing", () => {
  assert.equal(granted(other, undefined), RIGHT.ALL);
  assert.equal(granted(other, []), 0);
});

test("entries count in their order, whatever the usual order is", () => {
  const [read, write] = [RIGHT.READ_DATA, RIGHT.WRITE_DATA];
  assert.equal(granted(other, [deny(everyone, write), allow(user, read | write)]), read);
  assert.equal(granted(other, [allow(user, read | write), deny(everyone, write)]), read | write);
  assert.equal(granted(other, [allow(other, read)]), 0);
  assert.equal(granted(other, [allow(everyone, read, ACE_FLAG.INHERIT_ONLY)]), 0);
});

test("an entry about a class of directory objects says nothing about a file; one without a class counts", () => {
  const [read, write] = [RIGHT.READ_DATA, RIGHT.WRITE_DATA];
  const object = "bf967aba-0de6-11d0-a285-00aa003049e2";
  const allowed = { ...allow(user, read | write), type: ACE_TYPE.ALLOW_OBJECT };
  const denied = { ...deny(user, write), type: ACE_TYPE.DENY_OBJECT };
  assert.equal(granted(other, [{ ...denied, object }, allowed]), read | write);
  assert.equal(granted(other, [denied, allowed]), read);
  assert.equal(granted(other, [{ ...allowed, object }]), 0);
});

test("the owner reads and changes the list, unless an entry for OWNER RIGHTS says otherwise", () => {
  const always = RIGHT.READ_CONTROL | RIGHT.WRITE_DAC;
  assert.equal(granted(user, []), always);
  assert.equal(granted(everyone, []), always);
  assert.equal(granted(undefined, []), 0);
  assert.equal(granted(user, [deny(user, RIGHT.ALL)]), always);
  assert.equal(granted(user, [allow(OWNER_RIGHTS, RIGHT.READ_DATA)]), RIGHT.READ_DATA);
  assert.equal(granted(other, [allow(OWNER_RIGHTS, RIGHT.READ_DATA)]), 0);
  assert.equal(granted(user, [allow(OWNER_RIGHTS, RIGHT.READ_DATA, ACE_FLAG.INHERIT_ONLY)]), always);
});

test("generic rights stand for specific ones", () => {
  assert.equal(granted(other, [allow(user, 0x1000_0000)]), RIGHT.ALL);
  assert.equal(granted(other, [allow(user, 0x8000_0000)]), 0x12_0089);
  assert.equal(specificRights(0xa000_0001), 0x12_00a9);
});

test("an open gets what it asks for or nothing, and as much as there is where it asks for the maximum", () => {
  const read = RIGHT.READ_DATA | RIGHT.READ_CONTROL;
  assert.equal(checkAccess(read, { access: RIGHT.READ_DATA, optionalAccess: 0 }), RIGHT.READ_DATA);
  assert.equal(checkAccess(read, { access: RIGHT.READ_DATA, optionalAccess: RIGHT.ALL }), read);
  assert.equal(checkAccess(read, { access: RIGHT.WRITE_DATA, optionalAccess: RIGHT.ALL }), undefined);
  assert.equal(checkAccess(read, { access: RIGHT.READ_DATA, optionalAccess: 0 }, RIGHT.DELETE), undefined);
});

test("the directory above lets delete and look", () => {
  assert.equal(grantedInside(0, RIGHT.DELETE_CHILD), RIGHT.DELETE);
  assert.equal(grantedInside(0, RIGHT.LIST_DIRECTORY), RIGHT.READ_ATTRIBUTES);
  assert.equal(grantedInside(RIGHT.READ_DATA, RIGHT.WRITE_DATA), RIGHT.READ_DATA);
  assert.equal(lacksRightsOfParent(RIGHT.DELETE | RIGHT.READ_ATTRIBUTES), false);
  assert.equal(lacksRightsOfParent(RIGHT.DELETE), true);
});

test("append access is not write access, and locks need read or write access", () => {
  const { READ_DATA, WRITE_DATA, APPEND_DATA, READ_ATTRIBUTES } = RIGHT;
  assert.deepEqual([APPEND_DATA, WRITE_DATA | APPEND_DATA].map(mayOnlyAppend), [true, false]);
  assert.deepEqual([READ_DATA, WRITE_DATA, APPEND_DATA | READ_ATTRIBUTES].map(mayLock), [true, true, false]);
});
