import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  bytesArray,
  DatabaseError,
  int8Array,
  keyArray,
  MessageReader,
  packStatement,
  unpackFields,
  unpackNotification,
  unpackRow,
} from "./wire.ts";

function message(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(type, 0, "latin1");
  head.writeUInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

test("messages come out whole and in order, wherever the network cuts them", () => {
  const bodies = fc.array(fc.tuple(fc.constantFrom("D", "C", "Z", "E"), fc.uint8Array({ maxLength: 60 })), {
    maxLength: 8,
  });
  fc.assert(
    fc.property(bodies, fc.array(fc.nat(40), { maxLength: 30 }), (messages, cuts) => {
      const stream = Buffer.concat(messages.map(([type, body]) => message(type, Buffer.from(body))));
      const reader = new MessageReader();
      const found: [string, string][] = [];
      let at = 0;
      for (const cut of [...cuts, stream.length]) {
        const end = Math.min(stream.length, at + cut);
        for (const { type, body } of reader.read(stream.subarray(at, end)))
          found.push([type, body.toString("hex")]);
        at = end;
      }
      assert.deepEqual(
        found,
        messages.map(([type, body]) => [type, Buffer.from(body).toString("hex")]),
      );
    }),
  );
});

test("a statement is a Bind with binary values and an Execute", () => {
  const packed = packStatement({ name: "put", values: [Buffer.from([1, 2]), null] });
  const bind = Buffer.concat([
    Buffer.from("\0put\0", "latin1"),
    Buffer.from([0, 1, 0, 1]),
    Buffer.from([0, 2]),
    Buffer.from([0, 0, 0, 2, 1, 2]),
    Buffer.from([255, 255, 255, 255]),
    Buffer.from([0, 1, 0, 1]),
  ]);
  const execute = Buffer.from([0, 0, 0, 0, 0]);
  assert.deepEqual(packed, Buffer.concat([message("B", bind), message("E", execute)]));
});

test("rows distinguish null from empty", () => {
  const body = Buffer.from([0, 3, 255, 255, 255, 255, 0, 0, 0, 0, 0, 0, 0, 1, 7]);
  assert.deepEqual(unpackRow(body), [null, Buffer.alloc(0), Buffer.from([7])]);
});

test("arrays carry any bytes, in their order", () => {
  const header = (oid: number, count: number): number[] => [
    0,
    0,
    0,
    1,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    oid,
    0,
    0,
    0,
    count,
    0,
    0,
    0,
    1,
  ];
  assert.deepEqual([...keyArray(["\0\xff", ""])], [...header(17, 2), 0, 0, 0, 2, 0, 255, 0, 0, 0, 0]);
  assert.deepEqual(
    [...bytesArray([[Buffer.from([1]), Buffer.from([2, 3])]])],
    [...header(17, 1), 0, 0, 0, 3, 1, 2, 3],
  );
  assert.deepEqual([...int8Array([258n])], [...header(20, 1), 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 1, 2]);
  assert.deepEqual([...keyArray([])], [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 17]);
});

test("an error names its code; a body that is cut off is no reason to fail", () => {
  const fields = unpackFields(Buffer.from("SFATAL\0VERROR\0C40001\0Mcould not serialize\0\0", "latin1"));
  const error = new DatabaseError(fields);
  assert.deepEqual([error.code, error.severity, error.message], ["40001", "ERROR", "could not serialize"]);
  assert.equal(new DatabaseError(unpackFields(Buffer.from("Mno end", "latin1"))).code, "XX000");
});

test("a notification has a channel and a text", () => {
  const body = Buffer.concat([Buffer.alloc(4), Buffer.from("channel\0said so\0", "latin1")]);
  assert.deepEqual(unpackNotification(body), { channel: "channel", text: "said so" });
});
