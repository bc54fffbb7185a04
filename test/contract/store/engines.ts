import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EmbeddedStore } from "../../../src/store/embedded/embedded-store.ts";
import { MemoryStore } from "../../../src/store/memory/memory-store.ts";
import { PostgresStore } from "../../../src/store/postgres/postgres-store.ts";
import { freshSchema } from "../../kit/postgres.ts";
import type { OpenedStore, OpenOptions } from "./kit.ts";

export function temporaryDirectory(): string {
  return mkdtempSync(join(tmpdir(), "holdfast-test-"));
}

export async function openMemory(options: OpenOptions = {}): Promise<OpenedStore> {
  const store = new MemoryStore(options);
  return { store, remove: () => store.close() };
}

export function openEmbedded(options: OpenOptions = {}): Promise<OpenedStore> {
  return openEmbeddedIn(temporaryDirectory(), options);
}

/** The embedded store in a directory, which goes when the store is removed. */
export async function openEmbeddedIn(directory: string, options: OpenOptions = {}): Promise<OpenedStore> {
  const open = (more: OpenOptions): EmbeddedStore =>
    new EmbeddedStore({
      owner: "test",
      directory,
      onFatal: (error) => {
        throw error;
      },
      ...more,
    });
  const store = open(options);
  let latest = store;
  return {
    store,
    async reopen(again = {}) {
      await latest.close();
      latest = open(again);
      return latest;
    },
    async remove() {
      await latest.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** The PostgreSQL engine on a schema of its own, which goes when the store is removed. */
export async function openPostgres(options: OpenOptions = {}): Promise<OpenedStore> {
  const { address, drop } = await freshSchema();
  const open = (more: OpenOptions): PostgresStore =>
    new PostgresStore({
      address,
      owner: "test",
      onFatal: (error) => {
        throw error;
      },
      ...more,
    });
  const store = open(options);
  let latest = store;
  return {
    store,
    runsSideBySide: true,
    async reopen(again = {}) {
      await latest.close();
      latest = open(again);
      return latest;
    },
    async remove() {
      await latest.close();
      await drop();
    },
  };
}
