/**
 * What answers gained with newer versions of the protocol. A client gets the answer of its version, and the
 * newest one if it sends none. A header or an element has its own name here.
 */
const SINCE = {
  /** The CRC64 of what was written; before, replies had its MD5. */
  "x-ms-content-crc64": "2019-02-02",
  "x-ms-default-encryption-scope": "2019-07-07",
  "x-ms-deny-encryption-scope-override": "2019-07-07",
  DefaultEncryptionScope: "2019-07-07",
  DenyEncryptionScopeOverride: "2019-07-07",
  ImmutableStorageWithVersioningEnabled: "2020-10-02",
  "x-ms-immutable-storage-with-versioning-enabled": "2020-10-02",
  CopySourceStatusCode: "2025-07-05",
  CopySourceErrorCode: "2025-07-05",
  CopySourceErrorMessage: "2025-07-05",
  "x-ms-copy-source-status-code": "2025-07-05",
  "x-ms-copy-source-error-code": "2025-07-05",
  /** The CRC64 also where the client sent an MD5. */
  bothDigests: "2026-10-06",
  /** Of a share in bytes; before, in GiB. */
  ShareUsageBytes: "2018-11-09",
  /** In replies to requests that create or change a file or a directory. */
  "x-ms-file-attributes": "2019-02-02",
  "x-ms-file-creation-time": "2019-02-02",
  "x-ms-file-last-write-time": "2019-02-02",
  "x-ms-file-change-time": "2019-02-02",
  "x-ms-file-permission-key": "2019-02-02",
  "x-ms-file-id": "2019-02-02",
  "x-ms-file-parent-id": "2019-02-02",
  /** In listings also for a client that does not ask for them. */
  FileId: "2021-04-10",
  rangeWriteTime: "2021-06-08",
  /** The format of a file permission. */
  format: "2024-11-04",
  /** In replies to requests that create or change a share; Get Share Properties always had the quota. */
  "x-ms-share-quota": "2025-01-05",
  "x-ms-share-provisioned-iops": "2025-01-05",
  "x-ms-share-provisioned-bandwidth-mibps": "2025-01-05",
  "x-ms-share-included-burst-iops": "2025-01-05",
  "x-ms-share-max-burst-credits-for-iops": "2025-01-05",
  "x-ms-file-share-usage-bytes": "2025-01-05",
} as const satisfies Record<string, string>;

export type Versioned = keyof typeof SINCE;

export function isSince(version: string, name: Versioned): boolean {
  return version === "" || version >= SINCE[name];
}

/** The fields without those that came with a newer version. */
export function withoutNewer<Fields extends Readonly<Record<string, string | undefined>> | undefined>(
  version: string,
  fields: Fields,
): Fields {
  if (fields === undefined || version === "") return fields;
  const since: Readonly<Record<string, string>> = SINCE;
  const served = Object.entries(fields).filter(([name]) => version >= (since[name] ?? ""));
  return Object.fromEntries(served) as Fields;
}
