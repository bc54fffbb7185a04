import type { Instant } from "../../base/clock.ts";
import { UnusableDirectory } from "../../base/faults.ts";
import { type Revision, revisionAt } from "../../base/revision.ts";
import { parseIsoDate, parseIsoTicks } from "../../http/wire/dates.ts";
import type { PolicyRecord } from "../../store/records/policy.ts";

/** The fields of a JSON object that another program wrote. An unexpected type is an error that names it. */
export class Fields {
  /** The object in words, for errors. */
  readonly name: string;
  readonly #values: Readonly<Record<string, unknown>>;

  constructor(name: string, value: unknown) {
    this.name = name;
    if (typeof value !== "object" || value === null) throw damaged(name, "expected an object");
    this.#values = value as Readonly<Record<string, unknown>>;
  }

  /** Undefined also for null. */
  value(field: string): unknown {
    return this.#values[field] ?? undefined;
  }

  optionalText(field: string): string | undefined {
    const value = this.value(field);
    if (value === undefined || typeof value === "string") return value;
    throw damaged(this.name, `expected a text as ${field}`);
  }

  text(field: string): string {
    return this.optionalText(field) ?? this.#missing(field);
  }

  optionalNumber(field: string): number | undefined {
    const value = this.value(field);
    const number = typeof value === "string" ? Number(value) : value;
    if (number === undefined || (typeof number === "number" && Number.isFinite(number))) return number;
    throw damaged(this.name, `expected a number as ${field}`);
  }

  /** A count of bytes or the like. */
  whole(field: string): number {
    const number = this.optionalNumber(field) ?? this.#missing(field);
    if (Number.isSafeInteger(number) && number >= 0) return number;
    throw damaged(this.name, `expected a whole number as ${field}`);
  }

  /** False when absent. */
  flag(field: string): boolean {
    const value = this.value(field);
    return value === true || value === "true";
  }

  optionalTime(field: string): Instant | undefined {
    const value = this.value(field);
    if (typeof value === "number") return value;
    const text = this.optionalText(field);
    if (text === undefined || text === "") return undefined;
    const instant = parseIsoDate(text) ?? Date.parse(text);
    if (Number.isNaN(instant)) throw damaged(this.name, `expected a time as ${field}, found ${text}`);
    return instant;
  }

  time(field: string): Instant {
    return this.optionalTime(field) ?? this.#missing(field);
  }

  optionalFields(field: string): Fields | undefined {
    const value = this.value(field);
    return value === undefined ? undefined : new Fields(this.name, value);
  }

  fields(field: string): Fields {
    return this.optionalFields(field) ?? this.#missing(field);
  }

  list(field: string): Fields[] {
    const value = this.value(field) ?? [];
    if (!Array.isArray(value)) throw damaged(this.name, `expected a list as ${field}`);
    return value.map((item) => new Fields(this.name, item));
  }

  /** Names and values, such as metadata; undefined when there are none. */
  optionalTexts(field: string): Readonly<Record<string, string>> | undefined {
    const entries = Object.entries((this.value(field) ?? {}) as object);
    if (entries.length === 0) return undefined;
    return Object.fromEntries(entries.map(([name, value]) => [name, String(value)]));
  }

  #missing(field: string): never {
    throw damaged(this.name, `it has no ${field}`);
  }
}

export function damaged(name: string, why: string): UnusableDirectory {
  return new UnusableDirectory(`${name} in Azurite's data is damaged: ${why}`);
}

/**
 * The revision of an object that Azurite changed at `instant`. Its ETag was a number without a meaning, which
 * chooses one of the 10,000 ticks of the millisecond, so that two states of one millisecond differ.
 */
export function revisionOf(instant: Instant, etag: string | undefined): Revision {
  const digits = /^"?0x([0-9a-f]{1,16})"?$/i.exec(etag ?? "")?.[1];
  return revisionAt(instant) + (digits === undefined ? 0n : (BigInt(`0x${digits}`) >> 4n) % 10_000n);
}

/** A list of stored access policies, which all services of Azurite keep in the same form. */
export function policiesOf(record: Fields, field: string): PolicyRecord[] {
  return record.list(field).map((item) => {
    const policy = item.optionalFields("accessPolicy");
    const start = timeOf(policy, "start");
    const expiry = timeOf(policy, "expiry");
    return {
      id: item.text("id"),
      start: start?.instant,
      expiry: expiry?.instant,
      permissions: policy?.optionalText("permission") || undefined,
      ...(start === undefined || start.ticks === 0 ? {} : { startTicks: start.ticks }),
      ...(expiry === undefined || expiry.ticks === 0 ? {} : { expiryTicks: expiry.ticks }),
    };
  });
}

function timeOf(policy: Fields | undefined, field: string): { instant: Instant; ticks: number } | undefined {
  const instant = policy?.optionalTime(field);
  if (instant === undefined) return undefined;
  const ticks = parseIsoTicks(policy!.text(field));
  return { instant, ticks: ticks === undefined ? 0 : Number(ticks % 10_000n) };
}
