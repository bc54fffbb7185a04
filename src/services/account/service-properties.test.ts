import assert from "node:assert/strict";
import { test } from "node:test";
import {
  defaultServiceProperties,
  mergeServiceProperties,
  PROPERTIES_OF,
  type PropertiesOwner,
} from "./service-properties.ts";

const OWNERS = Object.keys(PROPERTIES_OF) as PropertiesOwner[];

test("the defaults of a service hold only what the service has", () => {
  for (const owner of OWNERS)
    for (const name of Object.keys(defaultServiceProperties(owner)))
      assert(
        PROPERTIES_OF[owner].some((property) => property === name),
        `${owner} has no ${name}`,
      );
  assert.equal(defaultServiceProperties("blob").defaultServiceVersion, undefined);
  assert.deepEqual(defaultServiceProperties("queue").cors, []);
  assert.equal(defaultServiceProperties("file").logging, undefined);
});

test("an update replaces what it names, as a whole, and nothing else", () => {
  const current = defaultServiceProperties("blob");
  const merged = mergeServiceProperties(current, {
    deleteRetention: { isEnabled: true, days: 7, allowsPermanentDelete: undefined },
    defaultServiceVersion: "2021-06-08",
  });
  assert.deepEqual(merged, {
    ...current,
    deleteRetention: { isEnabled: true, days: 7, allowsPermanentDelete: undefined },
    defaultServiceVersion: "2021-06-08",
  });
  assert.deepEqual(mergeServiceProperties(merged, {}), merged);
  assert.equal(current.deleteRetention?.isEnabled, false);
});
