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
