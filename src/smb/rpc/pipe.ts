import { SMB_LIMITS } from "../limits.ts";
import { refuse, STATUS } from "../wire/status.ts";
import type { SrvSvc } from "./srvsvc.ts";

/**
 * DCE/RPC over a named pipe (C706, [MS-RPCE]): a BIND, then REQUESTs. Each RESPONSE has as many fragments as
 * the fragment size of the client requires. The session provides the security.
 */
const HEADER_BYTES = 16;
const TYPE = { REQUEST: 0, RESPONSE: 2, FAULT: 3, BIND: 11, BIND_ACK: 12, ALTER: 14, ALTER_ACK: 15 } as const;
const FIRST = 1;
const LAST = 2;
const FRAGMENT_BYTES_MAX = 4_280;
const FRAGMENT_BYTES_MIN = 1_024;
const CONTEXTS_MAX = 16;
const SYNTAX_BYTES = 20;
const RESPONSE_HEAD_BYTES = 8;
const ACCEPT = 0;
const PROVIDER_REJECT = 2;

/** srvsvc 3.0 and NDR 2.0. */
const SRVSVC = Buffer.from("c84f324b7016d30112785a47bf6ee18803000000", "hex");
const NDR = Buffer.from("045d888aeb1cc9119fe808002b10486002000000", "hex");
const NO_SYNTAX = Buffer.alloc(SYNTAX_BYTES);

const bad = () => refuse(STATUS.INVALID_PARAMETER);

export class Pipe {
  readonly #service: SrvSvc;
  #isBound = false;
  #fragmentBytes = FRAGMENT_BYTES_MAX;
  #request: Buffer[] = [];
  #requestBytes = 0;
  #replies: Buffer[] = [];
  #calls: Promise<void> = Promise.resolve();

  constructor(service: SrvSvc) {
    this.#service = service;
  }

  /** WRITE: the response waits for a READ. */
  write(data: Buffer): void {
    const copy = Buffer.from(data);
    this.#calls = this.#calls.then(() => this.#receive(copy)).catch(() => {});
  }

  /** FSCTL_PIPE_TRANSCEIVE: resolves when the response can be read. */
  call(data: Buffer): Promise<void> {
    const call = this.#calls.then(() => this.#receive(data));
    this.#calls = call.catch(() => {});
    return call;
  }

  /** Resolves when all requests so far have their responses. */
  async settled(): Promise<void> {
    await this.#calls;
  }

  /** One fragment, or its first `bytesMax` bytes. Empty when no response waits. */
  read(bytesMax: number): { readonly data: Buffer; readonly isMore: boolean } {
    const first = this.#replies.shift();
    if (first === undefined) return { data: Buffer.alloc(0), isMore: false };
    if (first.length <= bytesMax) return { data: first, isMore: false };
    this.#replies.unshift(first.subarray(bytesMax));
    return { data: first.subarray(0, bytesMax), isMore: true };
  }

  async #receive(pdu: Buffer): Promise<void> {
    if (pdu.length < HEADER_BYTES || pdu[0] !== 5 || pdu.readUInt16LE(8) !== pdu.length) throw bad();
    if (pdu.readUInt16LE(10) !== 0) throw refuse(STATUS.ACCESS_DENIED);
    // Limits the responses of a client that never reads. One long response may still wait in full.
    const waitingBytes = this.#replies.reduce((sum, reply) => sum + reply.length, 0);
    if (waitingBytes > SMB_LIMITS.pipeBytesMax || this.#replies.length > SMB_LIMITS.pipeFragmentsMax)
      throw refuse(STATUS.INSUFFICIENT_RESOURCES);
    const type = pdu[2]!;
    if (type === TYPE.BIND || type === TYPE.ALTER) this.#bind(pdu, type === TYPE.BIND);
    else if (type === TYPE.REQUEST) await this.#requested(pdu);
    else throw bad();
  }

  #bind(pdu: Buffer, isFirst: boolean): void {
    if (pdu.length < HEADER_BYTES + 12) throw bad();
    const clientBytes = pdu.readUInt16LE(HEADER_BYTES + 2);
    this.#fragmentBytes = Math.min(FRAGMENT_BYTES_MAX, Math.max(FRAGMENT_BYTES_MIN, clientBytes));
    const results = this.#results(pdu);
    const address = Buffer.from("\\pipe\\srvsvc\0", "latin1");
    const head = Buffer.alloc(10);
    head.writeUInt16LE(FRAGMENT_BYTES_MAX, 0);
    head.writeUInt16LE(FRAGMENT_BYTES_MAX, 2);
    head.writeUInt32LE(0x53f0, 4);
    head.writeUInt16LE(address.length, 8);
    const padding = Buffer.alloc(-(HEADER_BYTES + head.length + address.length) & 3);
    const count = Buffer.from([results.length, 0, 0, 0]);
    const body = Buffer.concat([head, address, padding, count, ...results]);
    const type = isFirst ? TYPE.BIND_ACK : TYPE.ALTER_ACK;
    this.#replies.push(rpcPdu(type, pdu.readUInt32LE(12), FIRST | LAST, body));
  }

  #results(pdu: Buffer): Buffer[] {
    const count = pdu[HEADER_BYTES + 8]!;
    if (count > CONTEXTS_MAX) throw bad();
    const results: Buffer[] = [];
    for (let index = 0, at = HEADER_BYTES + 12; index < count; index++) {
      if (at + 4 + SYNTAX_BYTES > pdu.length) throw bad();
      const transfers = pdu[at + 2]!;
      const end = at + 4 + SYNTAX_BYTES * (1 + transfers);
      if (end > pdu.length) throw bad();
      const isService = pdu.subarray(at + 4, at + 4 + SYNTAX_BYTES).equals(SRVSVC);
      let hasNdr = false;
      for (let syntax = at + 4 + SYNTAX_BYTES; syntax < end; syntax += SYNTAX_BYTES)
        hasNdr ||= pdu.subarray(syntax, syntax + SYNTAX_BYTES).equals(NDR);
      const isAccepted = isService && hasNdr;
      this.#isBound ||= isAccepted;
      const result = Buffer.alloc(4);
      result.writeUInt16LE(isAccepted ? ACCEPT : PROVIDER_REJECT, 0);
      result.writeUInt16LE(isAccepted ? 0 : isService ? 2 : 1, 2);
      results.push(Buffer.concat([result, isAccepted ? NDR : NO_SYNTAX]));
      at = end;
    }
    return results;
  }

  async #requested(pdu: Buffer): Promise<void> {
    if (!this.#isBound || pdu.length < HEADER_BYTES + RESPONSE_HEAD_BYTES) throw bad();
    const flags = pdu[3]!;
    if ((flags & FIRST) !== 0) {
      this.#request = [];
      this.#requestBytes = 0;
    }
    const stub = Buffer.from(pdu.subarray(HEADER_BYTES + RESPONSE_HEAD_BYTES));
    this.#requestBytes += stub.length;
    // Also limits the number of fragments, because a fragment may be empty.
    const isTooMuch =
      this.#requestBytes > SMB_LIMITS.pipeBytesMax || this.#request.length >= SMB_LIMITS.pipeFragmentsMax;
    if (isTooMuch) throw refuse(STATUS.INSUFFICIENT_RESOURCES);
    this.#request.push(stub);
    if ((flags & LAST) === 0) return;
    const callId = pdu.readUInt32LE(12);
    const context = pdu.readUInt16LE(HEADER_BYTES + 4);
    const opnum = pdu.readUInt16LE(HEADER_BYTES + 6);
    const answer = await this.#service.call(opnum, Buffer.concat(this.#request));
    this.#request = [];
    if ("fault" in answer) {
      const body = Buffer.alloc(16);
      body.writeUInt16LE(context, 4);
      body.writeUInt32LE(answer.fault, 8);
      this.#replies.push(rpcPdu(TYPE.FAULT, callId, FIRST | LAST, body));
      return;
    }
    const bytesMax = this.#fragmentBytes - HEADER_BYTES - RESPONSE_HEAD_BYTES;
    for (let at = 0; at === 0 || at < answer.stub.length; at += bytesMax) {
      const part = answer.stub.subarray(at, at + bytesMax);
      const head = Buffer.alloc(RESPONSE_HEAD_BYTES);
      head.writeUInt32LE(answer.stub.length - at, 0);
      head.writeUInt16LE(context, 4);
      const place = (at === 0 ? FIRST : 0) | (at + bytesMax >= answer.stub.length ? LAST : 0);
      this.#replies.push(rpcPdu(TYPE.RESPONSE, callId, place, Buffer.concat([head, part])));
    }
  }
}

function rpcPdu(type: number, callId: number, flags: number, body: Buffer): Buffer {
  const head = Buffer.alloc(HEADER_BYTES);
  head.set([5, 0, type, flags, 0x10, 0, 0, 0]);
  head.writeUInt16LE(HEADER_BYTES + body.length, 8);
  head.writeUInt32LE(callId, 12);
  return Buffer.concat([head, body]);
}
