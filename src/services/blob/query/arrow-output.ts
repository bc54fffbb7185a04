import { type ArrowField, type ArrowStream, type ArrowValue, openArrowStream } from "./arrow-stream.ts";
import type { ResultPrinter } from "./results.ts";
import { RecordError, SchemaError, type Value } from "./sql.ts";
import { castTo, numberOf, textOf } from "./sql-functions.ts";

export interface ArrowForm {
  readonly kind: "arrow";
  readonly schema: readonly ArrowField[];
}

/** A value, or the offset of a text. */
const VALUE_BYTES = 16;

/** The columns of a record in their order, converted to the types of the schema. */
export class ArrowPrinter implements ResultPrinter {
  readonly #schema: readonly ArrowField[];
  readonly #stream: ArrowStream;
  #waiting = 0;
  #isOpen = false;

  private constructor(schema: readonly ArrowField[], stream: ArrowStream) {
    this.#schema = schema;
    this.#stream = stream;
  }

  static async open({ schema }: ArrowForm): Promise<ArrowPrinter> {
    return new ArrowPrinter(schema, await openArrowStream(schema));
  }

  get waiting(): number {
    return this.#waiting;
  }

  print(_names: readonly string[], values: readonly (Value | undefined)[]): void {
    if (values.length !== this.#schema.length) {
      throw new SchemaError("Number of columns in the row does not match the schema.");
    }
    const row = this.#schema.map((field, i) => arrowValue(values[i] ?? null, field));
    for (const value of row) this.#waiting += VALUE_BYTES + (typeof value === "string" ? value.length : 0);
    this.#stream.append(row);
  }

  /** The first is the schema and an empty batch, as Azure sends them; later ones are empty without rows. */
  flush(): Buffer {
    if (this.#isOpen && this.#waiting === 0) return Buffer.alloc(0);
    this.#isOpen = true;
    this.#waiting = 0;
    return this.#stream.flush();
  }
}

/** An empty text of a CSV is null, except where the schema has a text. */
function arrowValue(value: Value, field: ArrowField): ArrowValue {
  if (field.type === "string") return textOf(value);
  if (value === null || value === "") return null;
  const converted = convert(value, field);
  if (converted === null) throw new RecordError("InvalidTypeConversion");
  return converted;
}

function convert(value: Value, field: ArrowField): ArrowValue {
  switch (field.type) {
    case "int64":
      return int64Of(value);
    case "double":
      return numberOf(value);
    case "bool":
      return castTo(value, "bool") as boolean | null;
    case "timestamp[ms]":
      return (castTo(value, "timestamp") as Date | null)?.getTime() ?? null;
    default:
      return decimalOf(textOf(value) ?? "", field);
  }
}

const WHOLE = /^\s*[+-]?\d{1,20}\s*$/;

function int64Of(value: Value): bigint | null {
  const number = numberOf(value);
  if (number === null || !Number.isFinite(number)) return null;
  const whole = typeof value === "string" && WHOLE.test(value) ? BigInt(value) : BigInt(Math.trunc(number));
  return BigInt.asIntN(64, whole) === whole ? whole : null;
}

const DECIMAL = /^\s*([+-]?)(\d{1,40})(?:\.(\d{0,40}))?\s*$/;

/**
 * A text without a point is the decimal's integer as it is, as Azure takes it: 400 with two places is 4.00.
 * With a point it is the number: 4.5 is 4.50.
 */
function decimalOf(text: string, { precision = 0, scale = 0 }: ArrowField): Uint32Array | null {
  const [, sign, whole = "", fraction] = DECIMAL.exec(text) ?? [];
  if (sign === undefined) return null;
  const digits = whole + (fraction ?? "").slice(0, scale).padEnd(fraction === undefined ? 0 : scale, "0");
  if (digits.replace(/^0+/, "").length > precision) return null;
  const integer = BigInt.asUintN(128, BigInt(digits) * (sign === "-" ? -1n : 1n));
  return Uint32Array.from([0n, 32n, 64n, 96n], (bits) => Number((integer >> bits) & 0xffff_ffffn));
}
