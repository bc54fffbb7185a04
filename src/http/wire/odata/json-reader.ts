import { isAscii, isUtf8 } from "node:buffer";
import { Refusal } from "../../../base/refusals.ts";

/**
 * Reads a flat JSON object, which is what an entity is. JSON.parse would silently accept the last of two
 * members with one name, and loses the difference of 1 and 1.0 and of 2^53 and 2^53 + 1, which are different
 * values here. So a number keeps its text.
 */
export type JsonValue =
  | { readonly kind: "string"; readonly text: string }
  | { readonly kind: "number"; readonly text: string }
  | { readonly kind: "boolean"; readonly value: boolean }
  | { readonly kind: "null" };

export function malformedJson(): Refusal {
  return new Refusal("InvalidInput", { text: "An error occurred while processing this request." });
}

export interface JsonMember {
  readonly name: string;
  readonly value: JsonValue;
}

export interface FlatObject {
  /** In the order sent, without duplicates. */
  readonly members: readonly JsonMember[];
  /** Names and texts are ASCII without an escape. */
  readonly isPlain: boolean;
}

export function readFlatObject(body: Buffer): FlatObject {
  const isAllAscii = isAscii(body);
  if (!isAllAscii && !isUtf8(body)) throw malformedJson();
  const reader = new FlatReader(isAllAscii ? body.latin1Slice() : body.utf8Slice());
  return { members: reader.read(), isPlain: reader.isPlain && isAllAscii };
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const TRUE: JsonValue = { kind: "boolean", value: true };
const FALSE: JsonValue = { kind: "boolean", value: false };
const NULL: JsonValue = { kind: "null" };
/** No valid number needs more; longer ones only cost time. */
const NUMBER_CHARS_MAX = 400;

/** Up to so many names, comparing each with those before it costs less than a set. */
const COMPARED_MAX = 16;

/** Characters that a JSON string must escape, and the escape itself. */
const SPECIAL = /[\\\x00-\x1f]/;

class FlatReader {
  readonly #text: string;
  /** Tested once for the whole text: then a string ends at the next quote. */
  readonly isPlain: boolean;
  readonly #members: JsonMember[] = [];
  /** Of the members, beyond COMPARED_MAX. */
  #names: Set<string> | undefined;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
    this.isPlain = !SPECIAL.test(text);
    if (text.charCodeAt(0) === 0xfeff) this.#at = 1;
  }

  read(): readonly JsonMember[] {
    this.#expect("{");
    this.#skipBlanks();
    if (this.#text[this.#at] === "}") this.#at++;
    else this.#readMembers();
    this.#skipBlanks();
    if (this.#at !== this.#text.length) throw malformedJson();
    return this.#members;
  }

  #readMembers(): void {
    for (;;) {
      this.#skipBlanks();
      const name = this.#readString();
      this.#expect(":");
      this.#skipBlanks();
      const value = this.#readValue();
      if (this.#isRepeated(name)) throw new Refusal("DuplicatePropertiesSpecified");
      this.#members.push({ name, value });
      this.#skipBlanks();
      const next = this.#text[this.#at++];
      if (next === "}") return;
      if (next !== ",") throw malformedJson();
    }
  }

  #isRepeated(name: string): boolean {
    const members = this.#members;
    if (members.length < COMPARED_MAX) {
      for (const member of members) if (member.name === name) return true;
      return false;
    }
    this.#names ??= new Set(members.map((member) => member.name));
    if (this.#names.has(name)) return true;
    this.#names.add(name);
    return false;
  }

  #skipBlanks(): void {
    for (;;) {
      const unit = this.#text.charCodeAt(this.#at);
      if (unit !== 0x20 && unit !== 0x0a && unit !== 0x0d && unit !== 0x09) return;
      this.#at++;
    }
  }

  #expect(sign: string): void {
    this.#skipBlanks();
    if (this.#text[this.#at] !== sign) throw malformedJson();
    this.#at++;
  }

  #readString(): string {
    const text = this.#text;
    if (text.charCodeAt(this.#at) !== QUOTE) throw malformedJson();
    const start = this.#at + 1;
    if (this.isPlain) {
      const end = text.indexOf('"', start);
      if (end < 0) throw malformedJson();
      this.#at = end + 1;
      return text.slice(start, end);
    }
    let hasEscapes = false;
    for (let at = start; ; at++) {
      const unit = text.charCodeAt(at);
      if (unit === QUOTE) {
        this.#at = at + 1;
        if (!hasEscapes) return text.slice(start, at);
        return unescaped(text.slice(start - 1, at + 1));
      }
      if (unit === BACKSLASH) {
        hasEscapes = true;
        at++;
      } else if (!(unit >= 0x20)) throw malformedJson(); // also past the end, where it is NaN
    }
  }

  #readValue(): JsonValue {
    const text = this.#text;
    const at = this.#at;
    switch (text[at]) {
      case '"':
        return { kind: "string", text: this.#readString() };
      case "t":
        return this.#word("true", TRUE);
      case "f":
        return this.#word("false", FALSE);
      case "n":
        return this.#word("null", NULL);
      case "{":
      case "[":
        // Entities are flat.
        throw malformedJson();
    }
    NUMBER.lastIndex = at;
    const isNumber = NUMBER.test(text);
    const end = NUMBER.lastIndex;
    if (!isNumber || end - at > NUMBER_CHARS_MAX) throw malformedJson();
    this.#at = end;
    return { kind: "number", text: text.slice(at, end) };
  }

  #word(word: string, value: JsonValue): JsonValue {
    if (!this.#text.startsWith(word, this.#at)) throw malformedJson();
    this.#at += word.length;
    return value;
  }
}

function unescaped(literal: string): string {
  let text: string;
  try {
    text = JSON.parse(literal) as string;
  } catch (error) {
    if (error instanceof SyntaxError) throw malformedJson();
    throw error;
  }
  // Half a surrogate pair has no UTF-8 form and could not be returned.
  if (!text.isWellFormed()) throw malformedJson();
  return text;
}
