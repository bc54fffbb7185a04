import { refuse, STATUS } from "../wire/status.ts";
import { readElement, readElements, readOnly, writeElement } from "./der.ts";

/** SPNEGO (RFC 4178): the envelope in which NTLM tokens travel. */
const SPNEGO_OID = Buffer.from("06062b0601050502", "hex");
const NTLMSSP_OID = Buffer.from("060a2b06010401823702020a", "hex");
const HINT = Buffer.from("not_defined_in_RFC4178@please_ignore", "latin1");
const NTLMSSP = Buffer.from("NTLMSSP\0", "latin1");

const TAG = {
  APPLICATION: 0x60,
  SEQUENCE: 0x30,
  OCTETS: 0x04,
  ENUMERATED: 0x0a,
  GENERAL_STRING: 0x1b,
} as const;
const context = (number: number): number => 0xa0 + number;

export const NEG_STATE = { ACCEPT_COMPLETED: 0, ACCEPT_INCOMPLETE: 1, REJECT: 2, REQUEST_MIC: 3 } as const;

/** An element inside one with a context tag. */
const field = (number: number, tag: number, ...parts: readonly Buffer[]): Buffer =>
  writeElement(context(number), writeElement(tag, ...parts));

/** The NegTokenInit of a peer that offers NTLMSSP alone. */
function encodeInit(lastField: Buffer): Buffer {
  const init = field(0, TAG.SEQUENCE, field(0, TAG.SEQUENCE, NTLMSSP_OID), lastField);
  return writeElement(TAG.APPLICATION, SPNEGO_OID, init);
}

/** The token of the server in NEGOTIATE. */
export function serverHint(): Buffer {
  return encodeInit(field(3, TAG.SEQUENCE, field(0, TAG.GENERAL_STRING, HINT)));
}

/** The token of a client. `raw` is NTLMSSP without SPNEGO, as some small clients send it. */
export type ClientToken =
  | { readonly kind: "raw"; readonly token: Buffer }
  | {
      readonly kind: "init";
      /** The bytes that the client sent, which the mechListMIC signs. */
      readonly mechTypes: Buffer;
      readonly isNtlmPreferred: boolean;
      readonly isNtlmOffered: boolean;
      readonly token: Buffer | undefined;
    }
  | {
      readonly kind: "response";
      readonly token: Buffer | undefined;
      readonly mechListMic: Buffer | undefined;
    };

export function decodeClientToken(data: Buffer): ClientToken {
  if (data.subarray(0, NTLMSSP.length).equals(NTLMSSP)) return { kind: "raw", token: data };
  const outer = readElement(data);
  if (outer.tag === TAG.APPLICATION) return decodeInit(outer.value);
  if (outer.tag === context(1)) return decodeResponse(outer.value);
  throw refuse(STATUS.INVALID_PARAMETER);
}

function decodeInit(data: Buffer): ClientToken {
  const [oid, init] = readElements(data);
  if (oid === undefined || init === undefined || !oid.whole.equals(SPNEGO_OID) || init.tag !== context(0))
    throw refuse(STATUS.INVALID_PARAMETER);
  const fields = fieldsOf(readOnly(init.value, TAG.SEQUENCE));
  const mechTypes = fields.get(0);
  if (mechTypes === undefined) throw refuse(STATUS.INVALID_PARAMETER);
  const list = readElements(readOnly(mechTypes, TAG.SEQUENCE));
  const ntlm = list.findIndex(({ whole }) => whole.equals(NTLMSSP_OID));
  return {
    kind: "init",
    mechTypes: readElement(mechTypes).whole,
    isNtlmPreferred: ntlm === 0,
    isNtlmOffered: ntlm >= 0,
    token: octetsOf(fields.get(2)),
  };
}

function decodeResponse(data: Buffer): ClientToken {
  const fields = fieldsOf(readOnly(data, TAG.SEQUENCE));
  return { kind: "response", token: octetsOf(fields.get(2)), mechListMic: octetsOf(fields.get(3)) };
}

const octetsOf = (element: Buffer | undefined): Buffer | undefined =>
  element && readOnly(element, TAG.OCTETS);

function fieldsOf(sequence: Buffer): ReadonlyMap<number, Buffer> {
  return new Map(readElements(sequence).map(({ tag, value }) => [tag - context(0), value]));
}

interface ServerToken {
  readonly negState: number;
  readonly hasMech: boolean;
  readonly token?: Buffer | undefined;
  readonly mechListMic?: Buffer | undefined;
}

export function encodeServerToken({ negState, hasMech, token, mechListMic }: ServerToken): Buffer {
  const parts = [field(0, TAG.ENUMERATED, Buffer.from([negState]))];
  if (hasMech) parts.push(writeElement(context(1), NTLMSSP_OID));
  if (token !== undefined) parts.push(field(2, TAG.OCTETS, token));
  if (mechListMic !== undefined) parts.push(field(3, TAG.OCTETS, mechListMic));
  return field(1, TAG.SEQUENCE, ...parts);
}

/** The first token of a client, for tests and tools. */
export function encodeClientInit(token: Buffer): Buffer {
  return encodeInit(field(2, TAG.OCTETS, token));
}
