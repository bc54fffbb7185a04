import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { seedOfThisRun } from "../../../test/support/seed.ts";
import { createRequest, createResponse } from "./create.ts";
import * as contexts from "./create-contexts.ts";
import * as directory from "./directory.ts";
import * as fileInformation from "./file-information.ts";
import * as fileIo from "./file-io.ts";
import { FrameAssembler, prefixFor } from "./framing.ts";
import { decodeError, decodeHeader, encodeError, encodeHeader, splitCompound } from "./header.ts";
import { queryInfoRequest, setInfoRequest, setInfoResponse } from "./info.ts";
import * as ioctl from "./ioctl.ts";
import type { Codec, Field, Struct } from "./layout.ts";
import { decodeLockRequest, encodeLockRequest } from "./lock.ts";
import * as negotiate from "./negotiate.ts";
import * as oplock from "./oplock-break.ts";
import { emptyBody, sessionSetupRequest, sessionSetupResponse } from "./session-setup.ts";
import { decodeSmb1Negotiate, encodeSmb1Negotiate } from "./smb1-negotiate.ts";
import { ProtocolError, StatusError } from "./status.ts";
import { decodeTransform, encodeTransform, TRANSFORM_BYTES } from "./transform.ts";
import { treeConnectRequest, treeConnectResponse } from "./tree-connect.ts";
import * as volume from "./volume-information.ts";

const MESSAGES: Readonly<Record<string, Codec<unknown>>> = {
  createRequest,
  createResponse,
  closeRequest: fileIo.closeRequest,
  closeResponse: fileIo.closeResponse,
  flushRequest: fileIo.flushRequest,
  readRequest: fileIo.readRequest,
  readResponse: fileIo.readResponse,
  writeRequest: fileIo.writeRequest,
  writeResponse: fileIo.writeResponse,
  queryDirectoryRequest: directory.queryDirectoryRequest,
  outputResponse: directory.outputResponse,
  changeNotifyRequest: directory.changeNotifyRequest,
  queryInfoRequest,
  setInfoRequest,
  setInfoResponse,
  ioctlRequest: ioctl.ioctlRequest,
  ioctlResponse: ioctl.ioctlResponse,
  oplockBreak: oplock.oplockBreak,
  leaseBreakNotification: oplock.leaseBreakNotification,
  leaseBreak: oplock.leaseBreak,
  sessionSetupRequest,
  sessionSetupResponse,
  emptyBody,
  treeConnectRequest,
  treeConnectResponse,
};

const STRUCTS: Readonly<Record<string, Struct<unknown>>> = {
  basic: fileInformation.basicInformation,
  standard: fileInformation.standardInformation,
  networkOpen: fileInformation.networkOpenInformation,
  attributeTag: fileInformation.attributeTagInformation,
  compression: fileInformation.compressionInformation,
  whole: fileInformation.wholeInformation,
  word: fileInformation.wordInformation,
  disposition: fileInformation.dispositionInformation,
  size: volume.sizeInformation,
  fullSize: volume.fullSizeInformation,
  device: volume.deviceInformation,
  sectorSize: volume.sectorSizeInformation,
  objectId: volume.objectIdInformation,
  validateResponse: ioctl.validateNegotiateResponse,
  copyChunkResponse: ioctl.copyChunkResponse,
  zeroData: ioctl.zeroDataInput,
  allocatedRange: ioctl.allocatedRange,
  maximalAccess: contexts.maximalAccessResponse,
  queryOnDiskId: contexts.queryOnDiskIdResponse,
  allocationSize: contexts.allocationSize,
  timewarp: contexts.timewarp,
  durableV1Reconnect: contexts.durableV1Reconnect,
  durableV2Request: contexts.durableV2Request,
  durableV2Response: contexts.durableV2Response,
  durableV2Reconnect: contexts.durableV2Reconnect,
};

const HEADER = Buffer.alloc(64);
const u64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
const bytes = (maxLength: number) => fc.uint8Array({ maxLength }).map((array) => Buffer.from(array));
const exactly = (count: number) =>
  fc.uint8Array({ minLength: count, maxLength: count }).map((array) => Buffer.from(array));
const fileIds = fc.record({ persistent: u64, volatile: u64 });

/** The values of a field, by the type that its reader returns for zeros. */
function arbitraryOf(field: Field<unknown>): fc.Arbitrary<unknown> {
  const zero = field.read(Buffer.alloc(field.at + field.bytes), field.at);
  if (typeof zero === "number") return fc.nat(2 ** (8 * field.bytes) - 1);
  if (typeof zero === "bigint") return u64;
  return Buffer.isBuffer(zero) ? exactly(field.bytes) : fileIds;
}

const plain = (value: unknown): unknown => structuredClone(value);
const options = { seed: seedOfThisRun(), numRuns: 60 };

function refusesOrAnswers(run: () => unknown): void {
  try {
    run();
  } catch (error) {
    assert.ok(error instanceof StatusError || error instanceof ProtocolError, String(error));
  }
}

for (const [name, codec] of Object.entries(MESSAGES)) {
  const fields = Object.fromEntries(
    Object.entries(codec.fields).map(([key, field]) => [key, arbitraryOf(field)]),
  );
  const parts = Object.fromEntries(Object.keys(codec.parts).map((key) => [key, bytes(90)]));
  test(`${name}: what was encoded is decoded, and arbitrary bytes are refused at worst`, () => {
    fc.assert(
      fc.property(fc.record({ ...fields, ...parts }), (value) => {
        const pdu = Buffer.concat([HEADER, codec.encode(value)]);
        assert.deepEqual(plain(codec.decode(pdu)), plain(value));
        for (let cut = 64; cut < pdu.length; cut += 5)
          refusesOrAnswers(() => codec.decode(pdu.subarray(0, cut)));
      }),
      options,
    );
    fc.assert(
      fc.property(bytes(300), (rest) => {
        const size = Buffer.alloc(2);
        size.writeUInt16LE(codec.size);
        refusesOrAnswers(() => codec.decode(Buffer.concat([HEADER, size, rest])));
        refusesOrAnswers(() => codec.decode(rest));
      }),
      options,
    );
  });
}

for (const [name, struct] of Object.entries(STRUCTS)) {
  const fields = Object.fromEntries(
    Object.entries(struct.fields).map(([key, field]) => [key, arbitraryOf(field)]),
  );
  test(`the structure ${name} keeps its values and refuses a short buffer`, () => {
    fc.assert(
      fc.property(fc.record(fields), (value) => {
        const encoded = struct.encode(value);
        assert.equal(encoded.length, struct.bytes);
        assert.deepEqual(plain(struct.decode(encoded)), plain(value));
      }),
      options,
    );
    assert.throws(() => struct.decode(Buffer.alloc(struct.bytes - 1)), StatusError);
  });
}

test("a header keeps its fields, synchronous and asynchronous", () => {
  const header = fc.record({
    creditCharge: fc.nat(0xffff),
    status: fc.nat(0xffff_ffff),
    command: fc.nat(18),
    credits: fc.nat(0xffff),
    flags: fc.nat(0xffff_ffff),
    nextCommand: fc.nat(0xffff_ffff),
    messageId: u64,
    asyncId: u64,
    processId: fc.nat(0xffff_ffff),
    treeId: fc.nat(0xffff_ffff),
    sessionId: u64,
  });
  fc.assert(
    fc.property(header, (value) => {
      const isAsync = (value.flags & 2) !== 0;
      const expected = isAsync ? { ...value, processId: 0, treeId: 0 } : { ...value, asyncId: 0n };
      assert.deepEqual(decodeHeader(encodeHeader(value)), expected);
    }),
    options,
  );
  fc.assert(
    fc.property(bytes(100), (data) => refusesOrAnswers(() => decodeHeader(data))),
    options,
  );
});

test("a compound is split where NextCommand says, and an invalid chain is a ProtocolError", () => {
  const pdu = (next: number, length: number): Buffer => {
    const to = Buffer.alloc(length);
    to.writeUInt32LE(next, 20);
    return to;
  };
  const chain = Buffer.concat([pdu(72, 72), pdu(80, 80), pdu(0, 70)]);
  assert.deepEqual(
    splitCompound(chain, 8).map(({ length }) => length),
    [72, 80, 70],
  );
  assert.throws(() => splitCompound(chain, 2), ProtocolError);
  assert.throws(() => splitCompound(pdu(68, 200), 8), ProtocolError);
  assert.throws(() => splitCompound(pdu(8, 200), 8), ProtocolError);
  assert.throws(() => splitCompound(pdu(200, 200), 8), ProtocolError);
  fc.assert(
    fc.property(bytes(400), (data) => refusesOrAnswers(() => splitCompound(data, 16))),
    options,
  );
});

test("error data travels in the ERROR response", () => {
  fc.assert(
    fc.property(bytes(40), (data) => {
      assert.deepEqual(decodeError(Buffer.concat([HEADER, encodeError(data)])), data);
      refusesOrAnswers(() => decodeError(Buffer.concat([HEADER, data])));
    }),
    options,
  );
});

test("messages come out whole of a reused buffer, and of reads into their place", () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.uint8Array({ minLength: 4, maxLength: 60 }).map((array) => Buffer.from(array)),
        { maxLength: 6 },
      ),
      fc.integer({ min: 1, max: 70 }),
      (frames, step) => {
        const stream = Buffer.concat(frames.flatMap((frame) => [prefixFor(frame.length), frame]));
        const assembler = new FrameAssembler(1_000, { acquireFrame: (length) => Buffer.alloc(length) });
        const seen: Buffer[] = [];
        const reused = Buffer.alloc(step);
        for (let at = 0; at < stream.length; ) {
          const { place } = assembler;
          const count = stream.copy(place ?? reused, 0, at, at + step);
          if (place !== undefined) assembler.placed(count, (frame) => seen.push(frame));
          else assembler.add(reused.subarray(0, count), (frame) => seen.push(frame));
          reused.fill(0xee);
          at += count;
        }
        assert.deepEqual(seen, frames);
      },
    ),
    options,
  );
});

test("messages come out of the stream whole, however it is cut", () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.uint8Array({ minLength: 4, maxLength: 60 }).map((array) => Buffer.from(array)),
        { maxLength: 6 },
      ),
      fc.integer({ min: 1, max: 70 }),
      (frames, step) => {
        const stream = Buffer.concat(frames.flatMap((frame) => [prefixFor(frame.length), frame]));
        const assembler = new FrameAssembler(1_000);
        const seen: Buffer[] = [];
        for (let at = 0; at < stream.length; at += step)
          assembler.add(stream.subarray(at, at + step), (frame) => seen.push(frame));
        assert.deepEqual(seen, frames);
      },
    ),
    options,
  );
  assert.throws(() => new FrameAssembler(1_000).add(prefixFor(1_001), () => {}), ProtocolError);
  assert.throws(() => new FrameAssembler(1_000).add(Buffer.from([0x81, 0, 0, 4]), () => {}), ProtocolError);
});

test("NEGOTIATE keeps dialects and contexts in both directions", () => {
  const contextList = fc.array(fc.record({ type: fc.nat(0xffff), data: bytes(50) }), { maxLength: 5 });
  const request = fc.record({
    securityMode: fc.nat(3),
    capabilities: fc.nat(0x7f),
    clientGuid: exactly(16),
    dialects: fc.array(fc.constantFrom(0x202, 0x210, 0x300, 0x302), { minLength: 1, maxLength: 6 }),
    contexts: contextList,
  });
  fc.assert(
    fc.property(request, fc.boolean(), (value, isNew) => {
      const sent = isNew ? { ...value, dialects: [...value.dialects, 0x311] } : { ...value, contexts: [] };
      const pdu = Buffer.concat([HEADER, negotiate.encodeNegotiateRequest(sent)]);
      assert.deepEqual(plain(negotiate.decodeNegotiateRequest(pdu)), plain(sent));
    }),
    options,
  );
  const response = fc.record({
    securityMode: fc.nat(3),
    dialect: fc.constant(0x311),
    serverGuid: exactly(16),
    capabilities: fc.nat(0x7f),
    maxTransactSize: fc.nat(0xffff_ffff),
    maxReadSize: fc.nat(0xffff_ffff),
    maxWriteSize: fc.nat(0xffff_ffff),
    systemTime: u64,
    serverStartTime: u64,
    token: bytes(90),
    contexts: contextList,
  });
  fc.assert(
    fc.property(response, (value) => {
      const pdu = Buffer.concat([HEADER, negotiate.encodeNegotiateResponse(value)]);
      assert.deepEqual(plain(negotiate.decodeNegotiateResponse(pdu)), plain(value));
    }),
    options,
  );
  fc.assert(
    fc.property(bytes(300), (data) => {
      const pdu = Buffer.concat([HEADER, Buffer.from([36, 0]), data]);
      refusesOrAnswers(() => negotiate.decodeNegotiateRequest(pdu));
      refusesOrAnswers(() => negotiate.decodeIds(data));
      refusesOrAnswers(() => negotiate.decodePreauthIntegrity(data));
    }),
    options,
  );
  const preauth = { hashes: [1, 7], salt: Buffer.alloc(32, 5) };
  assert.deepEqual(negotiate.decodePreauthIntegrity(negotiate.encodePreauthIntegrity(preauth)), preauth);
  assert.deepEqual(negotiate.decodeIds(negotiate.encodeIds([2, 1, 4])), [2, 1, 4]);
});

test("an SMB1 NEGOTIATE gives its dialects; anything else in SMB1 is a ProtocolError", () => {
  const names = ["PC NETWORK PROGRAM 1.0", "NT LM 0.12", "SMB 2.002", "SMB 2.???"];
  assert.deepEqual(decodeSmb1Negotiate(encodeSmb1Negotiate(names)), names);
  const other = encodeSmb1Negotiate(names);
  other[4] = 0x73;
  assert.throws(() => decodeSmb1Negotiate(other), ProtocolError);
  fc.assert(
    fc.property(bytes(120), (data) => {
      const whole = encodeSmb1Negotiate(names);
      whole.set(data.subarray(0, 60), 33);
      refusesOrAnswers(() => decodeSmb1Negotiate(whole));
      refusesOrAnswers(() => decodeSmb1Negotiate(data));
    }),
    options,
  );
});

test("a transform header keeps its fields and must have the right size", () => {
  const value = {
    signature: Buffer.alloc(16, 1),
    nonce: Buffer.alloc(16, 2),
    originalMessageSize: 10,
    sessionId: 77n,
  };
  const payload = Buffer.concat([encodeTransform(value), Buffer.alloc(10)]);
  assert.equal(payload.length, TRANSFORM_BYTES + 10);
  assert.deepEqual(plain(decodeTransform(payload)), plain({ ...value, flags: 1 }));
  assert.throws(() => decodeTransform(payload.subarray(0, -1)), ProtocolError);
  fc.assert(
    fc.property(bytes(100), (data) => refusesOrAnswers(() => decodeTransform(data))),
    options,
  );
});

test("create contexts keep their names and data in a chain", () => {
  const chain = fc.array(
    fc.record({
      name: fc.constantFrom("MxAc", "QFid", "RqLs", "sixteen-letters!"),
      data: bytes(60),
    }),
    { maxLength: 6 },
  );
  fc.assert(
    fc.property(chain, (value) => {
      const encoded = contexts.encodeCreateContexts(value);
      assert.deepEqual(plain(contexts.decodeCreateContexts(encoded)), plain(value));
      refusesOrAnswers(() => contexts.readCreateContexts(encoded));
    }),
    options,
  );
  fc.assert(
    fc.property(bytes(200), (data) => refusesOrAnswers(() => contexts.readCreateContexts(data))),
    options,
  );
});

test("leases of both versions, LOCK, copychunk and VALIDATE_NEGOTIATE_INFO keep their values", () => {
  const lease = { version: 2 as const, key: Buffer.alloc(16, 3), state: 7, flags: 4, duration: 0n };
  const v2 = { ...lease, parentKey: Buffer.alloc(16, 9), epoch: 12 };
  assert.deepEqual(plain(contexts.decodeLease(contexts.encodeLease(v2))), plain(v2));
  const v1 = { ...lease, version: 1 as const, parentKey: Buffer.alloc(16), epoch: 0 };
  assert.deepEqual(plain(contexts.decodeLease(contexts.encodeLease(v1))), plain(v1));
  const element = fc.record({ offset: u64, length: u64, flags: fc.nat(0xff) });
  fc.assert(
    fc.property(
      fc.record({
        lockSequence: fc.nat(0xffff_ffff),
        fileId: fileIds,
        locks: fc.array(element, { minLength: 1, maxLength: 5 }),
      }),
      (value) => {
        const pdu = Buffer.concat([HEADER, encodeLockRequest(value)]);
        assert.deepEqual(plain(decodeLockRequest(pdu)), plain(value));
        assert.throws(() => decodeLockRequest(pdu.subarray(0, -1)), StatusError);
      },
    ),
    options,
  );
  const copy = { key: Buffer.alloc(24, 8), chunks: [{ sourceOffset: 1n, targetOffset: 2n, length: 3 }] };
  assert.deepEqual(
    plain(ioctl.decodeCopyChunk(ioctl.encodeCopyChunk(copy), 256)),
    plain({ ...copy, chunkCount: 1 }),
  );
  const validate = { capabilities: 1, guid: Buffer.alloc(16, 4), securityMode: 1, dialects: [0x210, 0x300] };
  assert.deepEqual(
    plain(ioctl.decodeValidateNegotiate(ioctl.encodeValidateNegotiate(validate))),
    plain(validate),
  );
  fc.assert(
    fc.property(bytes(200), (data) => {
      refusesOrAnswers(() => ioctl.decodeCopyChunk(data, 256));
      refusesOrAnswers(() => ioctl.decodeValidateNegotiate(data));
      refusesOrAnswers(() => fileInformation.decodeRename(data));
      refusesOrAnswers(() => contexts.decodeLease(data));
      refusesOrAnswers(() => decodeLockRequest(Buffer.concat([HEADER, Buffer.from([48, 0]), data])));
    }),
    options,
  );
  const rename = { replaceIfExists: true, rootDirectory: 0n, name: "dir\\new name" };
  assert.deepEqual(fileInformation.decodeRename(fileInformation.encodeRename(rename)), rename);
});
