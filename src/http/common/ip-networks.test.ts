import assert from "node:assert/strict";
import { test } from "node:test";
import { isIn, isLoopbackAddress, isPublic, isUnspecified, parseIp, parseNetwork } from "./ip-networks.ts";

const ip = (text: string) => parseIp(text)!;

test("an address has one value, however it is spelled", () => {
  assert.deepEqual(parseIp("127.0.0.1"), { family: 4, bits: 0x7f00_0001n });
  for (const same of ["::ffff:127.0.0.1", "::ffff:7f00:1", "0:0:0:0:0:FFFF:7F00:0001"]) {
    assert.deepEqual(parseIp(same), ip("127.0.0.1"), same);
  }
  assert.deepEqual(parseIp("2001:db8::1"), parseIp("2001:0DB8:0:0:0:0:0:1"));
  assert.deepEqual(parseIp("fe80::1%eth0"), parseIp("fe80::1"));
  assert.deepEqual(parseIp("64:ff9b::10.0.0.1"), parseIp("64:ff9b::a00:1"));
  assert.ok(isUnspecified(ip("::")) && isUnspecified(ip("0.0.0.0")) && isUnspecified(ip("::ffff:0.0.0.0")));
  assert.ok(isLoopbackAddress(ip("127.9.9.9")) && isLoopbackAddress(ip("::1")));
});

test("what is no address is none", () => {
  for (const text of [
    ...["", "1.2.3", "1.2.3.4.5", "256.0.0.1", "01.2.3.4", "1.2.3.x", "localhost", " 1.2.3.4"],
    ...[
      ":",
      ":::",
      "1::2::3",
      "1:2:3:4:5:6:7",
      "1:2:3:4:5:6:7:8:9",
      "12345::",
      "g::",
      "::1.2.3",
      "1.2.3.4::",
    ],
    ...["1:2:3:4:5:6:7::8", "1:2:3:4:5:6:7:1.2.3.4"],
  ]) {
    assert.equal(parseIp(text), undefined, text);
  }
});

test("a network is a prefix; one with bits beyond it is a mistake", () => {
  const net = parseNetwork("10.1.0.0/16")!;
  assert.ok(isIn(net, ip("10.1.2.3")) && isIn(net, ip("::ffff:10.1.2.3")));
  assert.ok(!isIn(net, ip("10.2.0.0")) && !isIn(net, ip("::a01:203")));
  assert.ok(isIn(parseNetwork("fd00::/8")!, ip("fd12::1")));
  assert.ok(isIn(parseNetwork("0.0.0.0/0")!, ip("8.8.8.8")) && !isIn(parseNetwork("0.0.0.0/0")!, ip("::1")));
  assert.ok(isIn(parseNetwork("192.168.1.7")!, ip("192.168.1.7")));
  for (const text of [
    "10.1.0.0/8",
    "10.0.0.0/33",
    "::/129",
    "10.0.0.0/",
    "10.0.0.0/8/8",
    "x/8",
    "::ffff:0:0/96",
  ]) {
    assert.equal(parseNetwork(text), undefined, text);
  }
});

test("public is what belongs to the Internet, whatever form the address has", () => {
  for (const text of ["8.8.8.8", "20.60.1.1", "172.32.0.1", "100.128.0.1", "2603:1030::1", "2a00:1450::5"]) {
    assert.ok(isPublic(ip(text)), text);
  }
  assert.ok(isPublic(ip("64:ff9b::8.8.8.8")) && isPublic(ip("2002:808:808::1")));
  for (const text of [
    ...["0.0.0.0", "0.1.2.3", "10.0.0.1", "100.64.0.1", "100.100.100.200", "127.0.0.1", "127.255.255.254"],
    ...["168.63.129.16", "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.192", "192.168.0.1"],
    ...["198.18.0.1", "224.0.0.1", "239.1.1.1", "240.0.0.1", "255.255.255.255"],
    ...[
      "::",
      "::1",
      "::127.0.0.1",
      "fe80::1",
      "fec0::1",
      "fc00::1",
      "fd00:ec2::254",
      "ff02::1",
      "2001:db8::1",
    ],
    ...[
      "::ffff:127.0.0.1",
      "::ffff:a9fe:a9fe",
      "::ffff:10.0.0.1",
      "64:ff9b::127.0.0.1",
      "64:ff9b::a9fe:a9fe",
    ],
    ...["64:ff9b:1::8.8.8.8", "2002:7f00:1::", "2002:a9fe:a9fe::1", "2002:c0a8:1::", "2001:0:7f00:1::"],
  ]) {
    assert.ok(!isPublic(ip(text)), text);
  }
});
