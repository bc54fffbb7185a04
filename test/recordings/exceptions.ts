/**
 * Differences from recorded answers of Azure that are right as they are. A group has one matcher and the
 * reason; a difference belongs to the first group that matches it. `npm run recordings` reports a group
 * that matches nothing.
 */
export interface Difference {
  readonly service: Service;
  readonly kind: "status" | "code" | "header" | "body" | "message" | "order" | "account" | "setup";
  /** What differs: `x-ms-lease-status: extra`, `/Error/Reason: missing`, `409 BlobAlreadyExists but 201`. */
  readonly detail: string;
  /** Method, resource and what selects the operation. */
  readonly op: string;
  /** Method and address. */
  readonly url: string;
  /** `source/package/test`. */
  readonly test: string;
  /** Index of the exchange within its test. */
  readonly i: number;
  /** The x-ms-version of the request. */
  readonly api?: string;
  readonly recorded?: unknown;
  readonly actual?: unknown;
}

export const SERVICES = ["blob", "queue", "table", "file"] as const;
export type Service = (typeof SERVICES)[number];

/** Each pattern that is given must match. */
export interface Exception {
  readonly name: string;
  readonly reason: string;
  readonly service?: Service;
  readonly kind?: RegExp;
  readonly detail?: RegExp;
  readonly op?: RegExp;
  readonly url?: RegExp;
  readonly test?: RegExp;
  readonly api?: RegExp;
  readonly recorded?: RegExp;
  readonly actual?: RegExp;
}

const COMMON: readonly Exception[] = [
  {
    name: "account settings",
    kind: /^account$/,
    reason: "Values of the recorded account, such as its service properties, that the test did not set.",
  },
  {
    name: "set-up outside the recording",
    kind: /^setup$/,
    reason: "The recorder left out the set-up, so the container or table here differs from the recorded one.",
  },
];

const BLOB: readonly Exception[] = [
  {
    name: "versions that .NET did not send",
    test: /^net\//,
    detail:
      /^(x-ms-version: value|x-ms-immutable-storage-with-versioning-enabled: extra|(content-md5: missing|x-ms-content-crc64: extra)$)/,
    op: /comp=batch|restype=container|comp=(appendblock|page update) from URL/,
    reason: "The version labels of these recordings were rewritten; the service answered an older version.",
  },
  {
    name: "soft delete was on",
    detail:
      /^(x-ms-is-soft-deleted: missing|20[01] but 404 (Blob|Container)NotFound|\/EnumerationResults\/(Blobs|Containers): leaf)/,
    test: /soft_delete|undelete|restore|delete_a_(version|snapshot)|needs_deletesnapshots_option/,
    reason: "The recorded account kept what was deleted, and the test did not switch that on.",
  },
  {
    name: "default tier of append and page blobs",
    detail: /access-tier(-inferred)?: missing|AccessTier(Inferred)?: missing/,
    recorded: /^(Cool|true)$/,
    reason: "Two recorded accounts inferred a tier for blobs that have none on all others.",
  },
  {
    name: "time that passed",
    detail:
      /^(x-ms-lease-(state|status|duration): (value|extra)|412 LeaseLost but 202|x-ms-copy-status: value|202 but 404 ContainerNotFound)/,
    reason: "The replay does not wait: a lease has not ended yet, a copy or a deletion has.",
  },
  {
    name: "Rename Container",
    op: /comp=rename/,
    reason: "A preview of 2020; the newest recorded answer refuses it like this server.",
  },
  {
    name: "older answers of synchronous copies",
    op: /^PUT item from URL/,
    detail: /^x-ms-request-server-encrypted: (extra|value)/,
    reason: "Recorded answers disagree; most of the newest ones say true.",
  },
  {
    name: "older answers of Put Page From URL",
    op: /comp=page update from URL/,
    test: /UploadPagesFromUriAsync_AccessConditionsFail/,
    detail: /TargetConditionNotMet|^\/Error\/(Code|Message)/,
    reason: "In 2021 a failed If-Match was TargetConditionNotMet, in 2022 ConditionNotMet: the newest wins.",
  },
  {
    name: "older answers of Get Page Ranges",
    op: /comp=pagelist/,
    detail: /^content-type: missing/,
    reason: "In 2021 a 304 had a Content-Type, since 2022 it has none: the newest wins.",
  },
  {
    name: "older answers of deletedwithversions",
    test: /list_blobs_include_deletedwithversion/,
    detail: /\/Blob\/(VersionId|IsCurrentVersion): extra/,
    reason: "In 2022 the deleted blob was listed without its version, in 2023 with it: the newest wins.",
  },
  {
    name: "signature in x-ms-copy-source",
    detail: /^x-ms-copy-source: value/,
    reason: "Kept on purpose: the server does not show the signature of a copy source.",
  },
  {
    name: "answered before the service",
    test: /get_blob_metadata_fail/,
    detail: /^(400: undefined but InvalidQueryParameterValue|x-ms-version: extra)/,
    reason: "The recorded 400 has neither code nor version: it does not come from the Blob service.",
  },
  {
    name: "system containers",
    test: /listcontainers_including_system_containers/,
    detail: /^\/EnumerationResults\/Containers: leaf/,
    reason: "The recorded account had logging switched on, and with it a container $logs.",
  },
  {
    name: "order of metadata",
    kind: /^order$/,
    test: /list_blobs_with_include_metadata/,
    reason: "The recorder sorted the headers of the request, so they arrive here in another order.",
  },
];

const QUEUE: readonly Exception[] = [
  {
    name: "dropped wait for a message",
    op: /^GET messages/,
    detail: /QueueMessagesList.*after a pause/,
    reason: "The test waits until its message is visible again; the replay drops waits.",
  },
  {
    name: "deletions side by side",
    test: /dequeueAndDeleteWithHandler/,
    reason: "Two messages put at the same time are recorded in another order than they were stored in.",
  },
  {
    name: "queue of an earlier run",
    test: /test_get_message_encrypted_resolver_v2$/,
    detail: /DequeueCount/,
    reason: "The recorded queue was there before, with a message that had been read.",
  },
];

const TABLE: readonly Exception[] = [
  {
    name: "table of an earlier run",
    kind: /^status$/,
    test: /should_trace_through_the_various_operations$|should_send_a_null_ap$/,
    reason: "The recorded table was there before.",
  },
  {
    name: "boundaries hidden by the recorder",
    kind: /^status$/,
    test: /CanAddEntityAndOverwrite/,
    op: /^POST \$batch/,
    reason: "The recorder replaced the boundaries of the batch and of its change set by the same text.",
  },
  {
    name: "service properties in delay",
    op: /restype=service comp=properties/,
    detail: /^\/StorageServiceProperties\/(Logging|MinuteMetrics)\//,
    reason: "Azure serves new properties up to 30 seconds late, and tests of one account ran side by side.",
  },
  {
    name: "account in a message",
    kind: /^message$/,
    recorded: /for the resource '\w+\./,
    reason: "The recorded text names the account in front of the table. Other texts of the service do not.",
  },
];

const FILE: readonly Exception[] = [
  {
    name: "version labels of .NET",
    test: /^net\//,
    api: /^2021-06-08$/,
    detail:
      /(x-ms-file-last-write-time|x-ms-lease-(status|state)|x-ms-access-tier(-change-time)?|DirectoryId|FileId): extra$/,
    reason:
      "The SDK's team wrote 2021-06-08 over the versions of recordings from 2020 and 2021, which did not have " +
      "these fields yet. Recordings of Python and JavaScript at 2021-06-08 have them.",
  },
  {
    name: "items that are not encrypted",
    detail: /^x-ms-(request-)?server-encrypted: value$/,
    recorded: /^false$/,
    reason:
      "Recorded of accounts without encryption, of root directories and of a file whose metadata was removed. " +
      "Here the disk encrypts all or nothing.",
  },
  {
    name: "MD5 of long ranges",
    detail: /^content-md5: missing$/,
    op: /^PUT item comp=range update$/,
    test: /AbortCopyAsync/,
    reason: "Put Range reports the MD5 of at most 256 KiB that the client sent without one.",
  },
  {
    name: "length of a HEAD reply",
    detail: /^content-length: value$/,
    op: /^HEAD item$/,
    recorded: /^0$/,
    reason: "The recorder wrote 0 for a reply without a body; other recordings have the size of the file.",
  },
  {
    name: "handles of an SMB client",
    detail: /^x-ms-number-of-handles-closed: value$/,
    reason: "An SMB client outside the recording had files open.",
  },
  {
    name: "shares of the account",
    op: /^GET account comp=list$/,
    detail: /^\/EnumerationResults\/Shares: leaf against tree$/,
    reason: "The recorded account had shares that the test did not create.",
  },
  {
    name: "two files of one ETag",
    detail: /^etag: changed where recorded one stayed$/,
    test: /list_subdirectories_and_files_with_prefix$/,
    reason: "Two files were created in the same 100 ns; here each revision is unique.",
  },
  {
    name: "version of a refused HEAD",
    detail: /^x-ms-version: extra$/,
    op: /^HEAD account/,
    reason: "Every reply names the version of its request.",
  },
];

const of = (service: Service, exceptions: readonly Exception[]): Exception[] =>
  exceptions.map((exception) => ({ ...exception, service }));

export const EXCEPTIONS: readonly Exception[] = [
  ...COMMON,
  ...of("blob", BLOB),
  ...of("queue", QUEUE),
  ...of("table", TABLE),
  ...of("file", FILE),
];

const PATTERNS = ["kind", "detail", "op", "url", "test", "api", "recorded", "actual"] as const;

export function findException(difference: Difference, exceptions = EXCEPTIONS): Exception | undefined {
  return exceptions.find(
    (exception) =>
      (exception.service === undefined || exception.service === difference.service) &&
      PATTERNS.every((name) => exception[name]?.test(String(difference[name] ?? "")) ?? true),
  );
}
