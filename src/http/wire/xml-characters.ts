/** Which characters XML 1.0 (fifth edition) allows where. */
const TAB = 0x09;
const LINE_FEED = 0x0a;
const SPACE = 0x20;

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ["amp", "&"],
  ["lt", "<"],
  ["gt", ">"],
  ["quot", '"'],
  ["apos", "'"],
]);

/** The character of a reference between & and ;, undefined for an unknown entity or an illegal character. */
export function characterOf(reference: string): string | undefined {
  const entity = ENTITIES.get(reference);
  if (entity !== undefined) return entity;
  const code = numberOf(reference);
  return code !== undefined && isCharacter(code) ? String.fromCodePoint(code) : undefined;
}

const DIGITS_MAX = 8;

/** The number in #65 or #x41. By hand: a body may be nothing but references, tens of thousands of them. */
function numberOf(reference: string): number | undefined {
  if (reference.charCodeAt(0) !== 0x23) return undefined;
  const isHex = reference.charCodeAt(1) === 0x78;
  const first = isHex ? 2 : 1;
  if (reference.length === first || reference.length > first + DIGITS_MAX) return undefined;
  let number = 0;
  for (let i = first; i < reference.length; i++) {
    const digit = digitOf(reference.charCodeAt(i));
    if (digit >= (isHex ? 16 : 10)) return undefined;
    number = number * (isHex ? 16 : 10) + digit;
  }
  return number;
}

function digitOf(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : Number.POSITIVE_INFINITY;
}

/** XML 1.0, production Char. */
function isCharacter(code: number): boolean {
  if (code < SPACE) return code === TAB || code === LINE_FEED || code === 0x0d;
  return code <= 0xd7ff || (code >= 0xe000 && code <= 0xfffd) || (code >= 0x1_0000 && code <= 0x10_ffff);
}

const NAME_START = 1;
const NAME_PART = 2;
const ASCII_NAMES = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (/[A-Za-z_:]/.test(character)) return NAME_START | NAME_PART;
  return /[0-9.-]/.test(character) ? NAME_PART : 0;
});

// NaN, the code beyond the end of the text, fails every comparison and so ends every name.
export function isNameStart(code: number): boolean {
  return code < 128 ? (ASCII_NAMES[code]! & NAME_START) !== 0 : isWideNameStart(code);
}

export function isNameChar(code: number): boolean {
  if (code < 128) return (ASCII_NAMES[code]! & NAME_PART) !== 0;
  return (
    isWideNameStart(code) ||
    code === 0xb7 ||
    (code >= 0x0300 && code <= 0x036f) ||
    (code >= 0x203f && code <= 0x2040) ||
    (code >= 0xdc00 && code <= 0xdfff)
  );
}

/** Production NameStartChar beyond ASCII; D800-DB7F are the first halves of U+10000 to U+EFFFF. */
function isWideNameStart(code: number): boolean {
  return (
    (code >= 0xc0 && code <= 0x02ff && code !== 0xd7 && code !== 0xf7) ||
    (code >= 0x0370 && code <= 0x1fff && code !== 0x037e) ||
    (code >= 0x200c && code <= 0x200d) ||
    (code >= 0x2070 && code <= 0x218f) ||
    (code >= 0x2c00 && code <= 0x2fef) ||
    (code >= 0x3001 && code <= 0xdb7f) ||
    (code >= 0xf900 && code <= 0xfdcf) ||
    (code >= 0xfdf0 && code <= 0xfffd)
  );
}
