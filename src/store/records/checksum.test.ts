import assert from "node:assert/strict";
import { test } from "node:test";
import { DamagedData } from "../../base/faults.ts";
import { packKey } from "../keys/pack.ts";
import { CHECKSUM_BYTES, isIntact, verified, withChecksum } from "./checksum.ts";

const KEY = packKey(["b", "account", "container", "blob"]);

test("a stored value of any length gives its record back", () => {
  for (let length = 0; length < 200; length++) {
    const record = Buffer.from(Array.from({ length }, (_, at) => at * 31 + length));
    const stored = withChecksum(KEY, record);
    assert.equal(stored.length, length + CHECKSUM_BYTES);
    assert.deepEqual(verified(KEY, stored), record);
  }
});

test("every single flipped bit, in the record, its checksum or its key, is damage", () => {
  for (const length of [0, 1, 4, 15, 16, 17, 40, 131]) {
    const stored = withChecksum(KEY, Buffer.alloc(length, 0x5a));
    for (let bit = 0; bit < stored.length * 8; bit++) {
      stored[bit >> 3]! ^= 1 << (bit & 7);
      assert.equal(isIntact(KEY, stored), false, `bit ${bit} of a record of ${length} bytes`);
      stored[bit >> 3]! ^= 1 << (bit & 7);
    }
    const key = Buffer.from(KEY, "latin1");
    for (let bit = 0; bit < key.length * 8; bit++) {
      key[bit >> 3]! ^= 1 << (bit & 7);
      assert.equal(isIntact(key.latin1Slice(), stored), false, `bit ${bit} of the key`);
      key[bit >> 3]! ^= 1 << (bit & 7);
    }
    assert.equal(isIntact(KEY, stored), true);
  }
});

test("a value that is cut, longer or at another key is damage, and the error names the record", () => {
  const stored = withChecksum(KEY, Buffer.from("some record of forty bytes, more or less"));
  assert.equal(isIntact(KEY, stored.subarray(0, 3)), false);
  assert.equal(isIntact(KEY, stored.subarray(0, -1)), false);
  assert.equal(isIntact(KEY, Buffer.concat([stored, Buffer.alloc(1)])), false);
  assert.throws(
    () => verified(packKey(["b", "account", "container", "other"]), stored),
    (error: unknown) =>
      error instanceof DamagedData && /family b .*b\/account\/container\/other/.test(error.message),
  );
});
