import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { parse as parseYaml } from "yaml";
import { ConfigError } from "../base/config-error.ts";

/** What `--seed FILE` creates (docs/guides/seeds.md). Only names are required. */
export interface Seed {
  readonly containers: readonly SeedContainer[];
  readonly queues: readonly SeedQueue[];
  readonly tables: readonly SeedTable[];
  readonly shares: readonly SeedShare[];
}

interface SeedItem {
  readonly name: string;
  /** Without it, the first account. */
  readonly account?: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly policies: readonly SeedPolicy[];
}

export interface SeedPolicy {
  readonly id: string;
  readonly permissions: string;
  readonly start?: string;
  readonly expiry?: string;
}

export interface SeedContainer extends SeedItem {
  readonly publicAccess?: string;
  readonly blobs: readonly SeedContent[];
}

export interface SeedQueue extends SeedItem {
  readonly messages: readonly string[];
}

export interface SeedTable extends SeedItem {
  readonly entities: readonly Readonly<Record<string, unknown>>[];
}

export interface SeedShare extends SeedItem {
  readonly quota?: string;
  readonly directories: readonly string[];
  readonly files: readonly SeedContent[];
}

/** A blob or a file. */
export interface SeedContent {
  readonly name: string;
  readonly contentType?: string;
  readonly metadata: Readonly<Record<string, string>>;
  /** A path, or the content itself. */
  readonly source: { readonly path: string } | { readonly text: string };
}

/** Throws `ConfigError` that names the place in the file. YAML has JSON as a part. */
export function readSeed(path: string): Seed {
  let parsed: unknown;
  try {
    parsed = parseYaml(readFileSync(path, "utf8"));
  } catch (error) {
    throw new ConfigError("--seed", `cannot read ${path}: ${(error as Error).message}`);
  }
  const seed = new Fields(parsed ?? {}, "the file");
  const folder = dirname(path);
  const result: Seed = {
    containers: seed.list("containers", (item) => ({
      ...itemOf(item),
      ...item.optional("publicAccess"),
      blobs: item.list("blobs", (blob) => contentOf(blob, folder)),
    })),
    queues: seed.list("queues", (item) => ({ ...itemOf(item), messages: item.texts("messages") })),
    tables: seed.list("tables", (item) => ({
      ...itemOf(item),
      entities: item.list("entities", (entity) => entity.whole()),
    })),
    shares: seed.list("shares", (item) => ({
      ...itemOf(item),
      ...item.optional("quota"),
      directories: item.texts("directories"),
      files: item.list("files", (file) => contentOf(file, folder)),
    })),
  };
  seed.end();
  return result;
}

function itemOf(item: Fields): SeedItem {
  return {
    name: item.text("name"),
    ...item.optional("account"),
    metadata: item.map("metadata"),
    policies: item.list("policies", (policy) => ({
      id: policy.text("id"),
      permissions: policy.text("permissions"),
      ...policy.optional("start"),
      ...policy.optional("expiry"),
    })),
  };
}

function contentOf(content: Fields, folder: string): SeedContent {
  const { text, file } = { ...content.optional("text"), ...content.optional("file") };
  if ((text === undefined) === (file === undefined)) content.fail("expected text or file");
  return {
    name: content.text("name"),
    ...content.optional("contentType"),
    metadata: content.map("metadata"),
    source: file === undefined ? { text: text! } : { path: resolve(folder, file) },
  };
}

/** Reads the fields of one mapping, and refuses those that were not read. */
class Fields {
  readonly #fields: Map<string, unknown>;
  readonly #place: string;

  constructor(value: unknown, place: string) {
    this.#place = place;
    if (value === null || typeof value !== "object" || Array.isArray(value)) this.fail("expected fields");
    this.#fields = new Map(Object.entries(value as object));
  }

  fail(expected: string): never {
    throw new ConfigError("--seed", `${this.#place}: ${expected}`);
  }

  #take(name: string): unknown {
    const value = this.#fields.get(name);
    this.#fields.delete(name);
    return value;
  }

  text(name: string): string {
    const value = this.#take(name);
    if (typeof value !== "string" && typeof value !== "number") this.fail(`expected ${name}`);
    return String(value);
  }

  optional<Name extends string>(name: Name): { readonly [Key in Name]?: string } {
    return (this.#fields.has(name) ? { [name]: this.text(name) } : {}) as { readonly [Key in Name]?: string };
  }

  map(name: string): Record<string, string> {
    const fields = new Fields(this.#take(name) ?? {}, `${this.#place}, ${name}`);
    return Object.fromEntries([...fields.#fields.keys()].map((key) => [key, fields.text(key)]));
  }

  texts(name: string): string[] {
    return this.#items(name).map((item) => (typeof item === "string" ? item : JSON.stringify(item)));
  }

  list<T>(name: string, read: (fields: Fields) => T): T[] {
    return this.#items(name).map((item, index) => {
      const label = (item as { readonly name?: unknown } | null)?.name ?? index + 1;
      const fields = new Fields(item, `${name} ${String(label)}`);
      const result = read(fields);
      fields.end();
      return result;
    });
  }

  #items(name: string): unknown[] {
    const value = this.#take(name) ?? [];
    return Array.isArray(value) ? value : this.fail(`${name}: expected a list`);
  }

  /** All fields, whatever their names. */
  whole(): Record<string, unknown> {
    const all = Object.fromEntries(this.#fields);
    this.#fields.clear();
    return all;
  }

  end(): void {
    const [unknown] = this.#fields.keys();
    if (unknown !== undefined) this.fail(`there is no field ${unknown}`);
  }
}
