import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { foldName } from "./names.ts";

test("names are folded as they were when they were stored, whatever Unicode this Node.js knows", () => {
  const pairs: string[] = [];
  for (let code = 0; code <= 0x10_ffff; code++) {
    if (code >= 0xd800 && code <= 0xdfff) continue;
    const letter = String.fromCodePoint(code);
    if (foldName(letter) !== letter) pairs.push(letter + foldName(letter));
  }
  // The letters of Unicode 15.1. When this fails, files with other letters in their names are no longer
  // found.
  assert.equal(pairs.length, 1_423);
  assert.equal(createHash("sha256").update(pairs.join("")).digest("hex").slice(0, 16), "16b5221a31ec38cf");
});

test("letter by letter: no name becomes longer, and letters of other scripts are folded, too", () => {
  assert.equal(foldName("straße.txt"), "STRAßE.TXT");
  assert.equal(foldName("données"), foldName("DONNÉES"));
  assert.equal(foldName("\u{10428}"), "\u{10400}");
  assert.notEqual(foldName("\u019b"), foldName("\ua7dc"));
});
