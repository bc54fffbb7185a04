import { badHeader } from "../../base/refusals.ts";
import { FILE_LIMITS } from "../../services/file/limits.ts";
import type { SnapshotRef } from "../../services/file/names.ts";
import type { SettingChanges } from "../../services/file/share-properties.ts";
import type { Headers, HttpRequest } from "../exchange.ts";
import { readFlag, readShareRef, readWhole, snapshotOf } from "./read-request.ts";

const TIERS = ["TransactionOptimized", "Hot", "Cool", "Premium"];

const SQUASHES = ["NoRootSquash", "RootSquash", "AllSquash"];

export function readSnapshotRef(request: HttpRequest): SnapshotRef {
  return { ...readShareRef(request), ...snapshotOf(request) };
}

export function readWord(headers: Headers, name: string, words: readonly string[]): string | undefined {
  const text = headers[name];
  if (text === undefined || text === "") return undefined;
  const found = words.find((word) => word.toLowerCase() === text.toLowerCase());
  if (found === undefined) throw badHeader(name, text);
  return found;
}

export function readProtocols(headers: Headers): "SMB" | "NFS" {
  return (readWord(headers, "x-ms-enabled-protocols", ["SMB", "NFS"]) ?? "SMB") as "SMB" | "NFS";
}

const MANY = { min: 0, max: 10_000_000 } as const;

export function readSettings(headers: Headers): SettingChanges {
  const isBursting = readFlag(headers, "x-ms-share-paid-bursting-enabled");
  const iops = readWhole(headers, "x-ms-share-paid-bursting-max-iops", MANY);
  const mibps = readWhole(headers, "x-ms-share-paid-bursting-max-bandwidth-mibps", MANY);
  return {
    quotaGib: readWhole(headers, "x-ms-share-quota", { min: 1, max: FILE_LIMITS.shareQuotaGibMax }),
    tier: readWord(headers, "x-ms-access-tier", TIERS),
    rootSquash: readWord(headers, "x-ms-root-squash", SQUASHES),
    snapshotDirectoryAccess: readFlag(headers, "x-ms-enable-snapshot-virtual-directory-access"),
    directoryLease: readFlag(headers, "x-ms-enable-smb-directory-lease"),
    paidBursting:
      isBursting === undefined
        ? undefined
        : {
            isEnabled: isBursting,
            ...(iops === undefined ? {} : { iops }),
            ...(mibps === undefined ? {} : { mibps }),
          },
    provisionedIops: readWhole(headers, "x-ms-share-provisioned-iops", MANY),
    provisionedMibps: readWhole(headers, "x-ms-share-provisioned-bandwidth-mibps", MANY),
  };
}
