import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { writeDurably } from "../base/durable-files.ts";
import { systemRandom } from "../base/random.ts";

/**
 * How a command on the same machine reaches the running server: `admin.json` in the data directory, readable
 * by the owner only. The admin listener asks for no key, but a backup contains all data: only a caller that
 * can read the data directory has the token.
 */
export interface AdminAccess {
  readonly url: string;
  readonly token: string;
}

const ADMIN = "admin.json";
const TOKEN_BYTES = 32;

export const newAdminToken = (): string => systemRandom.bytes(TOKEN_BYTES).toString("hex");

export function writeAdminAccess(directory: string, access: AdminAccess): void {
  writeDurably(join(directory, ADMIN), `${JSON.stringify(access)}\n`);
}

export function readAdminAccess(directory: string): AdminAccess | undefined {
  const path = join(directory, ADMIN);
  return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as AdminAccess) : undefined;
}

export function removeAdminAccess(directory: string): void {
  rmSync(join(directory, ADMIN), { force: true });
}
