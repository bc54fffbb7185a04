import { createHash } from "node:crypto";
import { Refusal } from "../../base/refusals.ts";
import { permissionKey } from "../../store/keys/file.ts";
import type { MaybePromise, Reader, Writer } from "../../store/kv.ts";
import { permissionRecord } from "../../store/records/file.ts";
import type { FileService } from "./file-service.ts";
import { FILE_LIMITS } from "./limits.ts";
import type { ShareRef, SnapshotRef } from "./names.ts";
import { parseSddl } from "./security/sddl.ts";
import { readShare, refuseSnapshot } from "./shares.ts";

/**
 * Security descriptors are kept once for each share, under a key made of what they say: the same descriptor has the
 * same key however often it is stored, and a file names only the key.
 */
export type PermissionRequest =
  | { readonly sddl: string }
  | { readonly key: string }
  | "inherit"
  | "preserve"
  | undefined;

/** The descriptor of a new share's root: administrators and the system everything, users by the usual rules. */
export const DEFAULT_SDDL =
  "O:SYG:SYD:(A;OICI;FA;;;BA)(A;;0x1200a9;;;BU)(A;OICIIO;GXGR;;;BU)(A;OICI;0x1301bf;;;AU)" +
  "(A;OICI;FA;;;SY)(A;;FA;;;SY)(A;OICIIO;GA;;;CO)";

interface Hashed {
  readonly high: bigint;
  readonly low: bigint;
}

function hashOf(sddl: string): Hashed {
  const digest = createHash("sha256").update(sddl).digest();
  return { high: digest.readBigUInt64BE(0), low: digest.readBigUInt64BE(8) };
}

const KEY = /^(\d{1,20})\*(\d{1,20})$/;
const WORD_MAX = (1n << 64n) - 1n;

function parseKey(text: string): Hashed | undefined {
  const parts = KEY.exec(text);
  if (parts === null) return undefined;
  const [high, low] = [BigInt(parts[1]!), BigInt(parts[2]!)];
  return high > WORD_MAX || low > WORD_MAX ? undefined : { high, low };
}

export function keyOfSddl(sddl: string): string {
  const { high, low } = hashOf(sddl);
  return `${high}*${low}`;
}

export function putPermission(write: Writer, share: bigint, sddl: string): string {
  if (sddl === "" || sddl.length > FILE_LIMITS.permissionBytesMax) throw new Refusal("FileInvalidPermission");
  // A descriptor that cannot be represented is refused here, not when an SMB client asks for its binary form.
  parseSddl(sddl);
  const { high, low } = hashOf(sddl);
  write.put(permissionKey(share, high, low), permissionRecord.pack({ sddl }));
  return `${high}*${low}`;
}

export async function findPermission(read: Reader, share: bigint, key: string): Promise<string> {
  const parsed = parseKey(key);
  const stored = parsed && (await read.get(permissionKey(share, parsed.high, parsed.low)));
  if (stored === undefined) throw new Refusal("FileInvalidPermissionKey");
  return permissionRecord.unpack(stored).sddl;
}

/** The key a node shall have, given what the client wishes, what it has, and what its directory has. */
export function resolvePermission(
  write: Writer,
  share: bigint,
  wish: PermissionRequest,
  fallback: { readonly own: string | undefined; readonly inherited: string | undefined },
): MaybePromise<string | undefined> {
  if (wish === undefined) return fallback.own ?? fallback.inherited;
  if (wish === "inherit") return fallback.inherited;
  if (wish === "preserve") return fallback.own ?? fallback.inherited;
  if ("sddl" in wish) return putPermission(write, share, wish.sddl);
  const { key } = wish;
  return findPermission(write, share, key).then(() => key);
}

export async function createPermission(files: FileService, ref: SnapshotRef, sddl: string): Promise<string> {
  refuseSnapshot(ref);
  return files.change(async (write) => {
    const share = await readShare(write, ref);
    return putPermission(write, share.id, sddl);
  });
}

export async function getPermission(files: FileService, ref: ShareRef, key: string): Promise<string> {
  return files.read(async (read) => {
    const share = await readShare(read, ref);
    return findPermission(read, share.id, key);
  });
}
