import assert from "node:assert/strict";
import { test } from "node:test";
import { blobKey, containerKey } from "./blob.ts";
import { packKey } from "./pack.ts";

/** Every way in which one key may follow another: with one part changed, both or none. */
const TEXTS = ["", "a", "b", "\u00e9"];
const IDS = [0n, 1n, 2n ** 63n];

test("the key of a container or a blob does not depend on which one was made before it", () => {
  for (const first of TEXTS) {
    for (const second of TEXTS) {
      for (const account of TEXTS) {
        for (const name of [first, second, first]) {
          assert.equal(containerKey(account, name), packKey(["bc", account, name]));
        }
      }
      for (const one of IDS) {
        for (const other of IDS) {
          assert.equal(blobKey(one, first), packKey(["bb", one, first]));
          assert.equal(blobKey(other, second), packKey(["bb", other, second]));
        }
      }
    }
  }
});
