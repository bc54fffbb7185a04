import { createHash } from "node:crypto";
import { badHeader, Refusal } from "../../base/refusals.ts";
import type { SecurityDescriptor } from "../../concurrency/acl.ts";
import { permissionKey } from "../../store/keys/file.ts";
import type { MaybePromise, Reader, Writer } from "../../store/kv.ts";
import { permissionRecord } from "../../store/records/file.ts";
import type { FileService } from "./file-service.ts";
import { FILE_LIMITS } from "./limits.ts";
import type { ShareRef, SnapshotRef } from "./names.ts";
import { parseSddl, printSddl } from "./security/sddl.ts";
import { checkEncodable } from "./security/security-descriptor.ts";
import { readShare, refuseSnapshot } from "./shares.ts";

/**
 * A share stores each security descriptor once, under a hash of what it says, however it is spelled. Inodes
 * name that key.
 */
export type PermissionRequest =
  | { readonly sddl: string }
  | { readonly key: string }
  | "inherit"
  | "preserve"
  | undefined;

/** The descriptor of the root of a new share, as Azure Files sets it. It is not stored. */
export const DEFAULT_SDDL =
  "O:SYG:SYD:(A;OICI;FA;;;BA)(A;OICI;FA;;;SY)(A;;0x1200a9;;;BU)(A;OICIIO;GXGR;;;BU)" +
  "(A;OICI;0x1301bf;;;AU)(A;;FA;;;SY)(A;OICIIO;GA;;;CO)";

interface Hash {
  readonly high: bigint;
  readonly low: bigint;
}

function hashOf(descriptor: SecurityDescriptor): Hash {
  const digest = createHash("sha256").update(printSddl(descriptor)).digest();
  return { high: digest.readBigUInt64BE(0), low: digest.readBigUInt64BE(8) };
}

const printKey = ({ high, low }: Hash): string => `${high}*${low}`;

const KEY = /^(\d{1,20})\*(\d{1,20})$/;
const WORD_MAX = (1n << 64n) - 1n;

function parseKey(text: string): Hash {
  const parts = KEY.exec(text);
  const [high, low] = [BigInt(parts?.[1] ?? -1), BigInt(parts?.[2] ?? -1)];
  if (parts === null || high > WORD_MAX || low > WORD_MAX) throw badHeader("x-ms-file-permission-key", text);
  return { high, low };
}

const DEFAULT_KEY = printKey(hashOf(parseSddl(DEFAULT_SDDL)));

export function putPermission(write: Writer, share: bigint, sddl: string): string {
  if (sddl === "" || sddl.length > FILE_LIMITS.permissionBytesMax) throw new Refusal("FileInvalidPermission");
  // Refuse a descriptor without a binary form now, not when an SMB client queries it.
  const descriptor = parseSddl(sddl);
  checkEncodable(descriptor);
  const hash = hashOf(descriptor);
  write.put(permissionKey(share, hash.high, hash.low), permissionRecord.pack({ sddl }));
  return printKey(hash);
}

export async function findPermission(read: Reader, share: bigint, key = DEFAULT_KEY): Promise<string> {
  if (key === DEFAULT_KEY) return DEFAULT_SDDL;
  const { high, low } = parseKey(key);
  const stored = await read.get(permissionKey(share, high, low));
  if (stored === undefined) throw new Refusal("FileInvalidPermissionKey");
  return permissionRecord.unpack(stored).sddl;
}

/** The permission key of an inode after a request, from its own key and that of its directory. */
export function resolvePermission(
  write: Writer,
  share: bigint,
  requested: PermissionRequest,
  {
    own,
    inherited = DEFAULT_KEY,
  }: { readonly own: string | undefined; readonly inherited: string | undefined },
): MaybePromise<string> {
  if (requested === undefined || requested === "preserve") return own ?? inherited;
  if (requested === "inherit") return inherited;
  if ("sddl" in requested) return putPermission(write, share, requested.sddl);
  const { key } = requested;
  return findPermission(write, share, key).then(() => key);
}

export async function createPermission(files: FileService, ref: SnapshotRef, sddl: string): Promise<string> {
  refuseSnapshot(ref);
  return files.change(async (write) => putPermission(write, (await readShare(write, ref)).id, sddl));
}

export async function getPermission(files: FileService, ref: ShareRef, key: string): Promise<string> {
  return files.read(async (read) => findPermission(read, (await readShare(read, ref)).id, key));
}
