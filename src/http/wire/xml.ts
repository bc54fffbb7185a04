import { isUtf8 } from "node:buffer";
import { LIMITS } from "../../base/limits.ts";
import { Refusal } from "../../base/refusals.ts";
import { characterOf, isNameChar, isNameStart } from "./xml-characters.ts";

/**
 * The subset of XML that the protocol uses, read strictly and in one pass: UTF-8, an optional declaration,
 * elements, attributes, text, CDATA, comments, the five named entities and numeric references. A DOCTYPE, a
 * processing instruction or an unknown entity is refused, so nothing in a body can expand or include
 * anything. Names keep their prefix (`m:error`); no body of the protocol needs namespaces resolved.
 *
 * Time is linear in the input. Why it is our own: docs/internals/decisions/0004-xml.md.
 */
export class XmlElement {
  readonly name: string;
  /** The text directly inside, entities resolved, parts between children joined. */
  text = "";
  /** In document order: Put Block List depends on it. */
  children: readonly XmlElement[] = NO_CHILDREN;
  /** Where the document goes on behind the element. */
  end = 0;
  readonly attributes: ReadonlyMap<string, string> | undefined;

  constructor(name: string, attributes: ReadonlyMap<string, string> | undefined) {
    this.name = name;
    this.attributes = attributes;
  }

  /** The first child of that name. */
  child(name: string): XmlElement | undefined {
    for (const child of this.children) if (child.name === name) return child;
    return undefined;
  }

  /** Text of the first child of that name: "" for an empty element, undefined when there is none. */
  textOf(name: string): string | undefined {
    return this.child(name)?.text;
  }

  all(name: string): XmlElement[] {
    return this.children.filter((child) => child.name === name);
  }
}

const NO_CHILDREN: readonly XmlElement[] = Object.freeze([]);

const TOKENS_PER_SLICE = 2_000;

const TAB = 0x09;
const LINE_FEED = 0x0a;
const RETURN = 0x0d;
const SPACE = 0x20;
const BANG = 0x21;
const SLASH = 0x2f;
const EQUALS = 0x3d;
const GREATER = 0x3e;
const QUESTION = 0x3f;

// Without the carriage return: line ends are normalized first. Valid UTF-8 has no lone surrogates.
const ILLEGAL = /[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/;
const DECLARATION =
  /^<\?xml[ \t\n]+version[ \t\n]*=[ \t\n]*(?:"1\.\d"|'1\.\d')(?:[ \t\n]+encoding[ \t\n]*=[ \t\n]*(?:"([\w.-]{1,40})"|'([\w.-]{1,40})'))?(?:[ \t\n]+standalone[ \t\n]*=[ \t\n]*(?:"(?:yes|no)"|'(?:yes|no)'))?[ \t\n]*\?>/;

/** Reads a whole document. The caller has already bounded its bytes. */
export function parseXml(input: Uint8Array): XmlElement {
  const steps = readerOf(input).document();
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

export interface CooperativeXml {
  /** Called every few thousand tokens, so that other requests run meanwhile. */
  readonly yieldToEventLoop: () => Promise<void>;
  /** Longer text between two tags is refused, because it is read without a pause. */
  readonly textCharsMax: number;
}

/** The same for long documents of short texts. */
export async function parseXmlCooperatively(
  input: Uint8Array,
  { yieldToEventLoop, textCharsMax }: CooperativeXml,
): Promise<XmlElement> {
  const steps = readerOf(input, textCharsMax).document();
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    await yieldToEventLoop();
  }
}

function readerOf(input: Uint8Array, textCharsMax = Number.POSITIVE_INFINITY): Reader {
  if (!isUtf8(input)) throw malformed("", 0, "The document is not UTF-8.");
  const bytes = withLineFeeds(Buffer.from(input.buffer, input.byteOffset, input.byteLength));
  const text = bytes.toString("utf8", startsWithBom(bytes) ? 3 : 0);
  const illegal = ILLEGAL.exec(text);
  if (illegal !== null) throw malformed(text, illegal.index, "A character that XML 1.0 does not allow.");
  return new Reader(text, textCharsMax);
}

function startsWithBom(bytes: Uint8Array): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
}

/** XML 1.0 section 2.11: every literal line end reads as one line feed. */
function withLineFeeds(bytes: Buffer): Buffer {
  const first = bytes.indexOf(RETURN);
  if (first < 0) return bytes;
  const out = Buffer.from(bytes);
  let length = first;
  for (let i = first; i < bytes.length; i++) {
    const byte = bytes[i]!;
    if (byte !== RETURN) out[length++] = byte;
    else if (bytes[i + 1] !== LINE_FEED) out[length++] = LINE_FEED;
  }
  return out.subarray(0, length);
}

class Reader {
  readonly #text: string;
  readonly #textCharsMax: number;
  #at = 0;
  #tokens = 0;

  constructor(text: string, textCharsMax: number) {
    this.#text = text;
    this.#textCharsMax = textCharsMax;
  }

  /** Yields after every TOKENS_PER_SLICE tokens. */
  *document(): Generator<undefined, XmlElement> {
    this.#declaration();
    this.#between();
    if (this.#text.charCodeAt(this.#at) !== 0x3c) throw this.#fail("The root element is missing.");
    const root = yield* this.#tree();
    this.#between();
    if (this.#at !== this.#text.length) throw this.#fail("There is more after the root element.");
    return root;
  }

  #declaration(): void {
    if (!this.#text.startsWith("<?")) return;
    const found = DECLARATION.exec(this.#text);
    if (found === null) throw this.#fail("The XML declaration is malformed.");
    const encoding = found[1] ?? found[2];
    if (encoding !== undefined && encoding.toLowerCase() !== "utf-8")
      throw this.#fail("The encoding is not UTF-8.");
    this.#at = found[0].length;
  }

  /** White space and comments around the root element. */
  #between(): void {
    for (;;) {
      this.#space();
      if (!this.#text.startsWith("<!", this.#at)) return;
      if (!this.#text.startsWith("<!--", this.#at)) throw this.#fail("A document type is not accepted.");
      this.#comment();
    }
  }

  /** The root with all below it. Not recursive: xmlDepthMax limits the depth, not the stack. */
  *#tree(): Generator<undefined, XmlElement> {
    const text = this.#text;
    const open: XmlElement[] = [];
    let current: XmlElement | undefined;
    let pauseAt = TOKENS_PER_SLICE;
    for (;;) {
      if (this.#tokens >= pauseAt) {
        pauseAt = this.#tokens + TOKENS_PER_SLICE;
        yield;
      }
      const mark = text.charCodeAt(this.#at + 1);
      if (mark === SLASH) {
        if (current === undefined) throw this.#fail("An end tag without a start tag.");
        this.#endTag(current.name);
        current.end = this.#at;
        const parent = open.pop();
        if (parent === undefined) return current;
        current = parent;
      } else if (mark === BANG) {
        if (text.startsWith("<![CDATA[", this.#at)) current!.text += this.#cdata();
        else if (text.startsWith("<!--", this.#at)) this.#comment();
        else throw this.#fail("A document type is not accepted.");
      } else if (mark === QUESTION) {
        throw this.#fail("A processing instruction is not accepted.");
      } else {
        const depth = current === undefined ? 1 : open.length + 2;
        if (depth > LIMITS.xmlDepthMax) throw this.#fail("The elements are nested too deeply.");
        const element = this.#startTag();
        if (current !== undefined) adopt(current, element);
        const isEmpty = text.charCodeAt(this.#at - 2) === SLASH;
        if (isEmpty && current === undefined) return element;
        if (!isEmpty) {
          if (current !== undefined) open.push(current);
          current = element;
        }
      }
      this.#textInto(current!);
    }
  }

  /** Text up to the next tag. */
  #textInto(element: XmlElement): void {
    const start = this.#at;
    const end = this.#text.indexOf("<", start);
    if (end < 0) throw this.#fail(`The element ${element.name} is not closed.`);
    this.#at = end;
    if (end === start) return;
    if (end - start > this.#textCharsMax) throw this.#fail("A text is too long.", start);
    const raw = this.#text.slice(start, end);
    const bracket = raw.indexOf("]]>");
    if (bracket >= 0) throw this.#fail("]]> outside a CDATA section.", start + bracket);
    element.text += this.#resolved(raw, start);
  }

  #startTag(): XmlElement {
    const text = this.#text;
    this.#count();
    this.#at++;
    const name = this.#name();
    let attributes: Map<string, string> | undefined;
    for (;;) {
      const before = this.#at;
      this.#space();
      const code = text.charCodeAt(this.#at);
      if (code === GREATER) break;
      if (code === SLASH) {
        if (text.charCodeAt(++this.#at) !== GREATER) throw this.#fail("A malformed tag.");
        break;
      }
      if (this.#at === before) throw this.#fail("A malformed tag.");
      attributes ??= new Map();
      if (attributes.size >= LIMITS.xmlAttributesMax) throw this.#fail("A tag has too many attributes.");
      this.#attribute(attributes);
    }
    this.#at++;
    return new XmlElement(name, attributes);
  }

  #attribute(attributes: Map<string, string>): void {
    const text = this.#text;
    const start = this.#at;
    this.#count();
    const name = this.#name();
    if (attributes.has(name)) throw this.#fail(`The attribute ${name} is given twice.`, start);
    this.#space();
    if (text.charCodeAt(this.#at) !== EQUALS) throw this.#fail("An attribute without a value.");
    this.#at++;
    this.#space();
    const quote = text[this.#at];
    if (quote !== '"' && quote !== "'") throw this.#fail("An attribute value without quotes.");
    const from = this.#at + 1;
    const to = text.indexOf(quote, from);
    if (to < 0) throw this.#fail("An attribute value is not closed.");
    if (to - from > LIMITS.xmlAttributeCharsMax) throw this.#fail("An attribute value is too long.");
    const raw = text.slice(from, to);
    if (raw.includes("<")) throw this.#fail("An attribute value holds <.");
    this.#at = to + 1;
    // Section 3.3.3: literal white space reads as blanks, references stay as they are.
    attributes.set(name, this.#resolved(/[\t\n]/.test(raw) ? raw.replace(/[\t\n]/g, " ") : raw, from));
  }

  #endTag(name: string): void {
    const text = this.#text;
    const after = this.#at + 2 + name.length;
    if (!text.startsWith(name, this.#at + 2) || isNameChar(text.charCodeAt(after)))
      throw this.#fail(`The end tag of ${name} is expected.`);
    this.#at = after;
    this.#space();
    if (text.charCodeAt(this.#at) !== GREATER) throw this.#fail("A malformed end tag.");
    this.#at++;
  }

  #cdata(): string {
    this.#count();
    const from = this.#at + 9;
    const to = this.#text.indexOf("]]>", from);
    if (to < 0) throw this.#fail("A CDATA section is not closed.");
    this.#at = to + 3;
    return this.#text.slice(from, to);
  }

  #comment(): void {
    this.#count();
    const end = this.#text.indexOf("--", this.#at + 4);
    if (end < 0) throw this.#fail("A comment is not closed.");
    if (this.#text.charCodeAt(end + 2) !== GREATER) throw this.#fail("-- inside a comment.", end);
    this.#at = end + 3;
  }

  #name(): string {
    const text = this.#text;
    const start = this.#at;
    if (!isNameStart(text.charCodeAt(start))) throw this.#fail("A name is expected.");
    let at = start + 1;
    while (isNameChar(text.charCodeAt(at))) at++;
    this.#at = at;
    return text.slice(start, at);
  }

  #space(): void {
    const text = this.#text;
    let at = this.#at;
    for (;;) {
      const code = text.charCodeAt(at);
      if (code !== SPACE && code !== LINE_FEED && code !== TAB) break;
      at++;
    }
    this.#at = at;
  }

  /** Text with its references replaced. */
  #resolved(raw: string, offset: number): string {
    let mark = raw.indexOf("&");
    if (mark < 0) return raw;
    let out = "";
    let from = 0;
    while (mark >= 0) {
      this.#count();
      const end = raw.indexOf(";", mark);
      const value = end < 0 ? undefined : characterOf(raw.slice(mark + 1, end));
      if (value === undefined) throw this.#fail("An unknown entity or character reference.", offset + mark);
      out += raw.slice(from, mark) + value;
      from = end + 1;
      mark = raw.indexOf("&", from);
    }
    return out + raw.slice(from);
  }

  #count(): void {
    if (++this.#tokens > LIMITS.xmlTokensMax) throw this.#fail("The document has too many elements.");
  }

  #fail(reason: string, at: number = this.#at): Refusal {
    return malformed(this.#text, at, reason);
  }
}

/** Only the reader fills a tree; for all other code the children are read-only. */
function adopt(parent: XmlElement, child: XmlElement): void {
  if (parent.children === NO_CHILDREN) parent.children = [child];
  else (parent.children as XmlElement[]).push(child);
}

/** The refusal names the line and the position, both counted from 1. */
export function malformed(text: string, at: number, reason: string): Refusal {
  let line = 1;
  let lineStart = 0;
  for (let end = text.indexOf("\n"); end >= 0 && end < at; end = text.indexOf("\n", lineStart)) {
    line++;
    lineStart = end + 1;
  }
  return new Refusal("InvalidXmlDocument", {
    elements: { LineNumber: String(line), LinePosition: String(at - lineStart + 1), Reason: reason },
  });
}
