import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { seededRandom } from "../base/random.ts";
import { HmacKey } from "./hmac.ts";

const random = seededRandom(20_260_101);
const reference = (key: Uint8Array, text: string): Buffer =>
  createHmac("sha256", key).update(text, "utf8").digest();

test("a signature equals the one of node:crypto for every length around the block borders", () => {
  const key = random.bytes(64);
  const own = new HmacKey(key);
  for (let length = 0; length <= 1_100; length++) {
    const text = random
      .bytes(length)
      .toString("latin1")
      .replaceAll(/[^ -~]/g, "\n");
    assert.ok(own.sign(text).equals(reference(key, text)), `length ${length}`);
  }
});

test("keys of any length are taken: short, one block, longer than a block", () => {
  for (let length = 0; length <= 200; length++) {
    const key = random.bytes(length);
    assert.ok(new HmacKey(key).sign("text").equals(reference(key, "text")), `key of ${length} bytes`);
  }
});

test("thousands of random texts of any characters, lone surrogates too, sign as node:crypto signs them", () => {
  for (let round = 0; round < 5_000; round++) {
    const key = random.bytes(1 + Math.floor(random.fraction() * 100));
    const length = Math.floor(random.fraction() * 300);
    let text = "";
    for (let at = 0; at < length; at++) {
      const pick = random.fraction();
      const top = pick < 0.5 ? 0x7f : pick < 0.7 ? 0x7ff : 0xffff;
      text += String.fromCharCode(Math.floor(random.fraction() * top));
      if (pick > 0.95) text += "😀";
    }
    assert.ok(new HmacKey(key).sign(text).equals(reference(key, text)), `round ${round}`);
  }
});

test("texts that do not fit the input at once sign the same, and do not disturb what follows", () => {
  const key = random.bytes(64);
  const own = new HmacKey(key);
  for (const length of [16_384, 21_479, 21_480, 64_447, 64_448, 64_449, 64_503, 100_000, 128_896]) {
    for (const letter of ["a", "é", "漢"]) {
      const text = letter.repeat(length);
      assert.ok(own.sign(text).equals(reference(key, text)), `${length} of ${letter}`);
      assert.ok(own.sign("short").equals(reference(key, "short")));
    }
  }
});

test("two keys used alternately keep their own state", () => {
  const [one, two] = [random.bytes(64), random.bytes(64)];
  const [ownOne, ownTwo] = [new HmacKey(one), new HmacKey(two)];
  for (let round = 0; round < 10; round++) {
    assert.ok(ownOne.sign(`x${round}`).equals(reference(one, `x${round}`)));
    assert.ok(ownTwo.sign(`x${round}`).equals(reference(two, `x${round}`)));
  }
});

test("a signature matches in its canonical base64 and in no other text", () => {
  const key = random.bytes(64);
  const own = new HmacKey(key);
  for (let round = 0; round < 2_000; round++) {
    const text = random.uuid();
    const good = reference(key, text).toString("base64");
    assert.ok(own.matches(text, good));
    assert.ok(own.matches(text, `name:${good}`, 5));
  }
  const text = "once";
  const good = reference(key, text).toString("base64");
  const wrong = [
    "",
    "=",
    good.slice(0, -1),
    `${good}=`,
    ` ${good}`,
    good.toLowerCase(),
    good.replaceAll("+", "-").replaceAll("/", "_"),
    Buffer.from(good, "base64").toString("base64url"),
    Buffer.from(good, "base64").toString("hex"),
  ].filter((other) => other !== good);
  for (const other of wrong) assert.ok(!own.matches(text, other), JSON.stringify(other));
});

test("no change of one character of a signature is accepted, whatever code it becomes", () => {
  const key = random.bytes(64);
  const own = new HmacKey(key);
  // Zero digits are the ones a careless decoder would also read from characters outside the alphabet.
  let text = "";
  let good = "";
  for (let round = 0; !good.includes("AA"); round++) {
    text = `round ${round}`;
    good = reference(key, text).toString("base64");
  }
  let accepted = 0;
  for (let at = 0; at < good.length; at++) {
    for (let code = 0; code < 0x2_00; code++) {
      const mutant = good.slice(0, at) + String.fromCharCode(code) + good.slice(at + 1);
      if (mutant !== good && own.matches(text, mutant)) accepted++;
    }
    for (const code of [0x0141, 0xff21, 0x4e00, 0xd800]) {
      if (own.matches(text, good.slice(0, at) + String.fromCharCode(code) + good.slice(at + 1))) accepted++;
    }
  }
  assert.equal(accepted, 0);
});
