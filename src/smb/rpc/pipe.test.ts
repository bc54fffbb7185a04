import assert from "node:assert/strict";
import { test } from "node:test";
import { SMB_LIMITS } from "../limits.ts";
import { STATUS, StatusError } from "../wire/status.ts";
import { Pipe } from "./pipe.ts";
import { SrvSvc } from "./srvsvc.ts";

const rpc = (type: number, flags: number, body: Buffer): Buffer => {
  const head = Buffer.from([5, 0, type, flags, 0x10, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0]);
  head.writeUInt16LE(head.length + body.length, 8);
  return Buffer.concat([head, body]);
};
const SYNTAXES = "c84f324b7016d30112785a47bf6ee18803000000045d888aeb1cc9119fe808002b10486002000000";
const BIND = rpc(11, 3, Buffer.from(`b810b810000000000100000000000100${SYNTAXES}`, "hex"));
const request = (flags: number, stub: Buffer): Buffer =>
  rpc(0, flags, Buffer.concat([Buffer.from([0, 0, 0, 0, 0, 0, 15, 0]), stub]));
const ENUMERATE = Buffer.from("0000000001000000010000000100000000000000000000000000000000000000", "hex");

async function bound(): Promise<Pipe> {
  const shares = Array.from({ length: 50 }, (_, i) => ({ name: `share${i}`, comment: "c".repeat(100) }));
  const pipe = new Pipe(new SrvSvc({ serverName: "HOLDFAST", shares: async () => shares }));
  await pipe.call(BIND);
  pipe.read(65_536);
  return pipe;
}

const tooMuch = (error: unknown): boolean =>
  error instanceof StatusError && error.status === STATUS.INSUFFICIENT_RESOURCES;

test("responses that the client does not read are bounded, and continue when it reads", async () => {
  const pipe = await bound();
  let answered = 0;
  await assert.rejects(async () => {
    for (; answered < 10_000; answered++) await pipe.call(request(3, ENUMERATE));
  }, tooMuch);
  assert.ok(answered > 5 && answered < 1_000, `${answered} answers wait`);
  for (let reads = 0; reads < 10_000 && pipe.read(65_536).data.length > 0; reads++);
  await pipe.call(request(3, ENUMERATE));
});

test("a request in endless empty fragments is refused", async () => {
  const pipe = await bound();
  let fragments = 0;
  await assert.rejects(async () => {
    for (; fragments < 10_000; fragments++)
      await pipe.call(request(fragments === 0 ? 1 : 0, Buffer.alloc(0)));
  }, tooMuch);
  assert.equal(fragments, SMB_LIMITS.pipeFragmentsMax);
});
