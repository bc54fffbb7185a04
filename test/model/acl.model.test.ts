import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  CONTROL,
  checkAccess,
  grantedRights,
  type Identity,
  RIGHT,
  type SecurityDescriptor,
  type Sid,
} from "../../src/concurrency/acl.ts";
import { descriptorOfNew } from "../../src/concurrency/acl-inheritance.ts";
import { seedOfThisRun } from "../support/seed.ts";
import { entriesOf, modelGranted, modelInherited, nameOf } from "./acl-model.ts";

const sid = (authority: number, ...subAuthorities: number[]): Sid => ({ authority, subAuthorities });
const [ANNA, BERT, TEAM, EVERYONE] = [sid(5, 21, 1), sid(5, 21, 2), sid(5, 21, 513), sid(1, 0)];
const [CREATOR_OWNER, CREATOR_GROUP, OWNER_RIGHTS] = [sid(3, 0), sid(3, 1), sid(3, 4)];

const anyone = fc.constantFrom(ANNA, BERT, TEAM, EVERYONE, CREATOR_OWNER, CREATOR_GROUP, OWNER_RIGHTS);
const mask = fc.oneof(
  fc.nat(0x1f_01ff),
  fc.nat(20).map((bit) => 1 << bit),
  fc.constantFrom(0x1000_0000, 0x2000_0000, 0x4000_0000, 0x8000_0000, RIGHT.ALL),
);
const ace = fc.record({ type: fc.constantFrom(0, 1), flags: fc.nat(0x1f), mask, sid: anyone });
const descriptor: fc.Arbitrary<SecurityDescriptor> = fc
  .record({
    owner: fc.constantFrom(ANNA, BERT, TEAM),
    dacl: fc.option(fc.record({ aces: fc.array(ace, { maxLength: 8 }) }), { nil: undefined, freq: 20 }),
    isAutomatic: fc.boolean(),
  })
  .map(({ owner, dacl, isAutomatic }) => ({
    control: CONTROL.DACL_PRESENT | (isAutomatic ? CONTROL.DACL_AUTO_INHERITED : 0),
    owner,
    group: TEAM,
    sacl: undefined,
    dacl,
  }));
const identity: fc.Arbitrary<Identity> = fc.record({
  user: fc.constantFrom(ANNA, BERT),
  primaryGroup: fc.constantFrom(TEAM, sid(5, 21, 514)),
  groups: fc.subarray([EVERYONE, TEAM]),
});

const namesOf = ({ user, primaryGroup, groups }: Identity): Set<string> =>
  new Set([user, primaryGroup, ...groups].map(nameOf));
const options = { seed: seedOfThisRun(), numRuns: 4_000 };

test("a list grants right by right what the first entry that speaks about it says", (t) => {
  seedOfThisRun(t);
  fc.assert(
    fc.property(descriptor, identity, mask, fc.boolean(), (list, who, wanted, isMaximum) => {
      const expected = modelGranted({ owner: nameOf(list.owner!), entries: entriesOf(list) }, namesOf(who));
      const granted = grantedRights(list, who);
      assert.equal(granted, expected);
      const access = wanted & RIGHT.ALL;
      const got = checkAccess(granted, { access, optionalAccess: isMaximum ? RIGHT.ALL : 0 });
      const isDenied = [...Array(21).keys()].some((bit) => (access & (1 << bit) & ~expected) !== 0);
      assert.equal(got, isDenied ? undefined : isMaximum ? expected : access);
    }),
    options,
  );
});

test("what comes down through directories grants what the top says about what lies below", (t) => {
  seedOfThisRun(t);
  const shape = fc.record({ depth: fc.integer({ min: 1, max: 4 }), isDirectory: fc.boolean() });
  fc.assert(
    fc.property(descriptor, shape, identity, identity, (top, at, creator, who) => {
      let list = top;
      for (let level = 1; level <= at.depth; level++)
        list = descriptorOfNew({
          parent: list,
          given: undefined,
          creator,
          isDirectory: level < at.depth || at.isDirectory,
        });
      const made = { user: nameOf(creator.user), group: nameOf(creator.primaryGroup) };
      const expected = modelGranted(
        { owner: made.user, entries: modelInherited(top, at, made) },
        namesOf(who),
      );
      assert.equal(grantedRights(list, who), expected);
      const isMarked = (list.dacl?.aces ?? []).some(({ flags }) => (flags & 0x10) !== 0);
      if ((top.control & CONTROL.DACL_AUTO_INHERITED) === 0) assert.equal(isMarked, false);
    }),
    options,
  );
});
