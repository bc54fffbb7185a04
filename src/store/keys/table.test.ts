import assert from "node:assert/strict";
import { test } from "node:test";
import { packKey } from "./pack.ts";
import { tableKey } from "./table.ts";

test("the key of a table does not depend on which one was made before it, nor on the case of its name", () => {
  const names = ["people", "People", "orders"];
  for (const account of ["one", "two", "one"]) {
    for (const first of names) {
      for (const name of [first, ...names, first]) {
        assert.equal(tableKey(account, name), packKey(["tt", account, name.toLowerCase()]));
      }
    }
  }
});
