import { FormError, SQL_LIMITS } from "./sql.ts";

/** The separators and quotes of delimited text, in a blob or in a reply. */
export interface CsvForm {
  readonly columnSeparator: string;
  readonly recordSeparator: string;
  readonly quote: string;
  /** When empty, a quote inside quotes is doubled. */
  readonly escapeMark: string;
  readonly hasHeaders: boolean;
}

/** Parses records from text that arrives in chunks. An incomplete record waits for the next chunk. */
export class CsvReader {
  readonly #form: CsvForm;
  #rest = "";
  #bytes = 0;

  constructor(form: CsvForm) {
    this.#form = form;
  }

  /** The bytes in the blob of the records since the last call. */
  takeBytes(): number {
    const bytes = this.#bytes;
    this.#bytes = 0;
    return bytes;
  }

  *push(text: string): Generator<string[]> {
    this.#rest += text;
    yield* this.#records(false);
  }

  *end(): Generator<string[]> {
    yield* this.#records(true);
  }

  *#records(isLast: boolean): Generator<string[]> {
    const text = this.#rest;
    let at = 0;
    while (at < text.length) {
      const record = this.#record(text, at, isLast);
      if (record === undefined) break;
      this.#bytes += Buffer.byteLength(text.slice(at, record.next));
      at = record.next;
      const isBlank = record.fields.length === 1 && record.fields[0] === "";
      if (!isBlank) yield record.fields;
    }
    this.#rest = text.slice(at);
    if (this.#rest.length > SQL_LIMITS.recordCharsMax) throw new FormError("a record is too long");
  }

  /** Undefined when the text ends before the record does. */
  #record(
    text: string,
    start: number,
    isLast: boolean,
  ): { readonly fields: string[]; readonly next: number } | undefined {
    const { columnSeparator, recordSeparator, quote } = this.#form;
    const fields: string[] = [];
    let at = start;
    for (;;) {
      const field = text.startsWith(quote, at) ? this.#quoted(text, at) : this.#plain(text, at);
      if (field === undefined) {
        if (isLast) throw new FormError("a quoted field has no end");
        return undefined;
      }
      fields.push(field.value);
      if (fields.length > SQL_LIMITS.columnsMax) throw new FormError("a record has too many fields");
      at = field.next;
      if (at >= text.length) return isLast ? { fields: withoutReturn(fields), next: at } : undefined;
      if (text.startsWith(recordSeparator, at)) {
        return { fields: withoutReturn(fields), next: at + recordSeparator.length };
      }
      at += columnSeparator.length;
    }
  }

  #plain(text: string, start: number): { readonly value: string; readonly next: number } {
    const { columnSeparator, recordSeparator, escapeMark } = this.#form;
    let value = "";
    let from = start;
    for (let at = start; at < text.length; at++) {
      const character = text[at]!;
      if (escapeMark !== "" && character === escapeMark && at + 1 < text.length) {
        value += text.slice(from, at);
        from = ++at;
      } else if (text.startsWith(columnSeparator, at) || text.startsWith(recordSeparator, at)) {
        return { value: value + text.slice(from, at), next: at };
      }
    }
    return { value: value + text.slice(from), next: text.length };
  }

  #quoted(text: string, start: number): { readonly value: string; readonly next: number } | undefined {
    const { quote, escapeMark } = this.#form;
    let value = "";
    let from = start + 1;
    for (let at = from; at < text.length; at++) {
      const character = text[at]!;
      if (escapeMark !== "" && escapeMark !== quote && character === escapeMark) {
        value += text.slice(from, at);
        from = ++at;
      } else if (character === quote) {
        value += text.slice(from, at);
        if (text[at + 1] !== quote) {
          // Text between a closing quote and the next separator belongs to the field.
          const tail = this.#plain(text, at + 1);
          return { value: value + tail.value, next: tail.next };
        }
        from = ++at;
      }
    }
    return undefined;
  }
}

/** Lines that end with CRLF leave a carriage return in the last field. */
function withoutReturn(fields: string[]): string[] {
  const last = fields.length - 1;
  if (fields[last]!.endsWith("\r")) fields[last] = fields[last]!.slice(0, -1);
  return fields;
}

export function printCsv(fields: readonly (string | null)[], form: CsvForm): string {
  return (
    fields.map((field) => printField(field ?? "", form)).join(form.columnSeparator) + form.recordSeparator
  );
}

function printField(field: string, { columnSeparator, recordSeparator, quote, escapeMark }: CsvForm): string {
  const isPlain =
    !field.includes(columnSeparator) &&
    !field.includes(quote) &&
    !field.includes(recordSeparator) &&
    !field.includes("\r");
  if (isPlain) return field;
  return quote + field.replaceAll(quote, (escapeMark === "" ? quote : escapeMark) + quote) + quote;
}
