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

const BLOB: readonly Exception[] = [];

const QUEUE: readonly Exception[] = [];

const TABLE: readonly Exception[] = [];

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
