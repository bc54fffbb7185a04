import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type Access,
  ALL_ACCESS,
  checkRestUse,
  DELETE,
  mayOpen,
  mayOpenLeased,
  NO_ACCESS,
  READ,
  type RestUse,
  WRITE,
} from "./share-mode.ts";

const BITS: Readonly<Record<string, Access>> = { R: READ, W: WRITE, D: DELETE };
const bits = (text: string): Access => [...text].reduce((all, letter) => all | BITS[letter]!, 0);

test("an open is let in when both share what the other wants", () => {
  const cases: [string, string, string, string, boolean][] = [
    // first access, first share, second access, second share
    ["R", "W", "W", "R", true],
    ["W", "R", "W", "W", false],
    ["W", "W", "W", "R", false],
    ["R", "RWD", "RWD", "R", true],
    ["RWD", "RWD", "RWD", "RWD", true],
    ["D", "R", "R", "RW", false],
    ["D", "R", "R", "RD", true],
    ["", "", "RWD", "", true],
    ["RWD", "", "", "", true],
  ];
  for (const [access, share, laterAccess, laterShare, isLetIn] of cases) {
    const present = [{ access: bits(access), share: bits(share) }];
    const wanted = { access: bits(laterAccess), share: bits(laterShare) };
    assert.equal(mayOpen(wanted, present), isLetIn, `${access}/${share} then ${laterAccess}/${laterShare}`);
  }
});

test("an open of a named stream conflicts only with an open that may delete the file", () => {
  const cases: [string, string, string, boolean][] = [
    // access to the file, access and share of the stream
    ["RW", "RW", "", true],
    ["RWD", "R", "RW", false],
    ["D", "R", "D", true],
    ["D", "", "", true],
    ["RW", "RWD", "", true],
  ];
  for (const [file, access, share, isLetIn] of cases) {
    const ofFile = { access: bits(file), share: NO_ACCESS };
    const ofStream = { access: bits(access), share: bits(share), isOfStream: true };
    assert.equal(mayOpen(ofFile, [ofStream]), isLetIn, `${file} beside ${access}/${share}`);
    assert.equal(mayOpen(ofStream, [ofFile]), isLetIn, `${access}/${share} beside ${file}`);
    assert.equal(mayOpen(ofStream, [ofStream]), true, "two streams of one file");
  }
  const opened = [{ access: READ, share: READ | WRITE, isOfStream: true }];
  assert.equal(checkRestUse("delete", opened), "SharingViolation");
  assert.equal(checkRestUse("overwrite", opened), "SharingViolation");
  assert.equal(checkRestUse("write", opened), undefined);
});

/** The published matrix: share mode of a handle against REST calls, F where it excludes them. */
const USES: readonly RestUse[] = ["overwrite", "read", "write", "delete", "lease", "look"];
const MATRIX: Readonly<Record<string, string>> = {
  "": "F F F F F ok",
  R: "F ok F F F ok",
  W: "F F ok F F ok",
  D: "F F F F F ok",
  RW: "F ok ok F F ok",
  RD: "F ok F F F ok",
  WD: "ok F ok F F ok",
  RWD: "ok ok ok F ok ok",
};

test("the share mode of a handle decides over REST calls as the matrix says, whatever the handle does", () => {
  for (const [share, row] of Object.entries(MATRIX)) {
    for (const access of ["R", "W", "RW", "D", "RWD"]) {
      for (const [i, outcome] of row.split(" ").entries()) {
        const use = USES[i]!;
        // Only a lease also looks at what the handle may do.
        if (use === "lease" && access !== "R") continue;
        const found = checkRestUse(use, [{ access: bits(access), share: bits(share) }]);
        assert.equal(found, outcome === "F" ? "SharingViolation" : undefined, `${access}/${share} ${use}`);
      }
    }
  }
});

test("of several handles, one that excludes a call is enough", () => {
  const open = { access: READ, share: ALL_ACCESS };
  const denying = { access: READ, share: READ };
  assert.equal(checkRestUse("write", [open, open]), undefined);
  assert.equal(checkRestUse("write", [open, denying]), "SharingViolation");
});

test("a handle that wants nothing excludes nothing but a deletion", () => {
  const looking = { access: NO_ACCESS, share: NO_ACCESS };
  for (const use of USES) {
    assert.equal(checkRestUse(use, [looking]), use === "delete" ? "SharingViolation" : undefined, use);
  }
});

test("a lease is given while handles read, and refused when one may write or delete", () => {
  for (const [access, isGiven] of [
    ["", true],
    ["R", true],
    ["W", false],
    ["D", false],
    ["RW", false],
    ["RD", false],
    ["WD", false],
    ["RWD", false],
  ] as const) {
    const found = checkRestUse("lease", [{ access: bits(access), share: ALL_ACCESS }]);
    assert.equal(found, isGiven ? undefined : "SharingViolation", access);
  }
});

test("while a lease is held, opens may look and read", () => {
  for (const [access, isLetIn] of [
    ["", true],
    ["R", true],
    ["W", false],
    ["D", false],
    ["RW", false],
    ["RD", false],
    ["WD", false],
    ["RWD", false],
  ] as const) {
    assert.equal(mayOpenLeased(bits(access)), isLetIn, access);
  }
});

test("a rename into a directory is an open that adds to it and lets others read and write", () => {
  const enter = (access: string, share: string) =>
    checkRestUse("enter", [{ access: bits(access), share: bits(share) }]);
  assert.equal(enter("R", "RWD"), undefined);
  assert.equal(enter("RW", "RW"), undefined);
  assert.equal(enter("RW", ""), "SharingViolation", "it shares no write access");
  assert.equal(enter("RWD", "RWD"), "SharingViolation", "it may delete the directory");
  assert.equal(enter("", ""), undefined);
});
