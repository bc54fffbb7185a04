import assert from "node:assert/strict";
import { test } from "node:test";
import { openEmbedded, openMemory } from "./store/engines.ts";
import { bytes, onStore, putAll } from "./store/kit.ts";
import { storeContract } from "./store.contract.ts";

storeContract("memory", openMemory);
storeContract("embedded", openEmbedded);

for (const open of [openMemory, openEmbedded]) {
  test(`${open.name}: a view is answered without a promise`, () =>
    onStore(open, async (store) => {
      await putAll(store, { a: "one" });
      assert.deepEqual(
        store.view((read) => read.get("a")),
        bytes("one"),
      );
      assert.throws(() => store.view((): never => assert.fail(new RangeError("no"))), RangeError);
    }));
}
