import { refuse, STATUS } from "../wire/status.ts";

/** The subset of DER that SPNEGO needs: definite lengths, and elements that stay inside their parent. */
export interface Element {
  readonly tag: number;
  readonly value: Buffer;
  /** Tag, length and value. */
  readonly whole: Buffer;
}

const bad = () => refuse(STATUS.INVALID_PARAMETER);
const LENGTH_BYTES_MAX = 3;
const ELEMENTS_MAX = 32;

export function readElement(from: Buffer, at = 0): Element {
  if (at + 2 > from.length) throw bad();
  let length = from[at + 1]!;
  let start = at + 2;
  if (length >= 0x80) {
    const count = length & 0x7f;
    if (count === 0 || count > LENGTH_BYTES_MAX || start + count > from.length) throw bad();
    length = from.readUIntBE(start, count);
    start += count;
  }
  if (start + length > from.length) throw bad();
  return {
    tag: from[at]!,
    value: from.subarray(start, start + length),
    whole: from.subarray(at, start + length),
  };
}

/** The value of the first element, which must have this tag. */
export function readOnly(from: Buffer, tag: number): Buffer {
  const element = readElement(from);
  if (element.tag !== tag) throw bad();
  return element.value;
}

export function readElements(from: Buffer): Element[] {
  const elements: Element[] = [];
  for (let at = 0; at < from.length; ) {
    if (elements.length === ELEMENTS_MAX) throw bad();
    const element = readElement(from, at);
    elements.push(element);
    at += element.whole.length;
  }
  return elements;
}

export function writeElement(tag: number, ...parts: readonly Buffer[]): Buffer {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const head =
    length < 0x80
      ? [tag, length]
      : length < 0x100
        ? [tag, 0x81, length]
        : [tag, 0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from(head), ...parts]);
}
