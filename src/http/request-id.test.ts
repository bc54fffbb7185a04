import assert from "node:assert/strict";
import { test } from "node:test";
import { systemRandom } from "../base/random.ts";
import { RequestIds } from "./request-id.ts";

const PREFIX = "00010203-0405-0607-0809-";
const bytes = (count: number): Buffer => Buffer.from(Array.from({ length: count }, (_, byte) => byte));

test("request ids have the form of a GUID and count up, also where two digits are not enough", () => {
  const source = new RequestIds({ ...systemRandom, bytes });
  for (let count = 1; count <= 70_000; count++) {
    assert.equal(source.next(), PREFIX + count.toString(16).padStart(12, "0"));
  }
});
