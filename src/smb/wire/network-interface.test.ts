import assert from "node:assert/strict";
import { test } from "node:test";
import { encodeNetworkInterface } from "./network-interface.ts";

const encoded = (address: string): Buffer =>
  encodeNetworkInterface({ index: 1, linkSpeed: 10n ** 10n, address });

test("an address of the server is encoded as a socket address", () => {
  const four = encoded("192.168.1.20");
  assert.equal(four.length, 152);
  assert.equal(four.readBigUInt64LE(16), 10n ** 10n);
  assert.equal(four.readUInt16LE(24), 2);
  assert.deepEqual([...four.subarray(28, 32)], [192, 168, 1, 20]);
  assert.deepEqual(encoded("::ffff:192.168.1.20"), four, "as a socket of both families shows it");
  const six = encoded("fe80::1:2%eth0");
  assert.equal(six.readUInt16LE(24), 0x17);
  assert.equal(six.subarray(32, 48).toString("hex"), "fe800000000000000000000000010002");
  assert.equal(encoded("::1").subarray(32, 48).toString("hex"), `${"0".repeat(31)}1`);
});
