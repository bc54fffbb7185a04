/**
 * The suites of smbtorture (Samba 4.17 of Debian 12), what Samba's own server passes of each, and every test
 * that does not pass here with its reason. ACLs are enforced and named streams kept, as they were for
 * Samba's own score. Tier A is what a file server has, B what it may have, C what is only of interest.
 */
export interface TortureSuite {
  readonly suite: string;
  readonly tier: "A" | "B" | "C";
  readonly samba: number;
  /** Samba is known to fail tests of it that the protocol asks for. */
  readonly passesMore?: true;
  /** Minutes rather than seconds. */
  readonly isLong?: boolean;
  /**
   * Named streams are kept, as they were for Samba's own score, unless the suite is about a server without
   * them.
   */
  readonly streams?: "refused";
  readonly misses: Readonly<Record<string, string>>;
}

const BLOCKED = "needs a server that can block its own TCP connections; fails against Samba too";
const WINDOWS = "expects what contradicts its twin that passes; fails against Samba too";

const each = (names: readonly string[], reason: string): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, reason]));

const allOf = (suite: string, samba: number, tier: "A" | "B" = "A"): TortureSuite => ({
  suite: `smb2.${suite}`,
  tier,
  samba,
  misses: {},
});

const PENDING = ["1n", "1l", "1o", "2n", "2l", "2o"].flatMap((kind) =>
  ["oplock", "lease"].map((against) => `dhv2-pending${kind}-vs-${against}-windows`),
);
const PENDING_BLOCKED = ["3n", "3l", "3o"].flatMap((kind) =>
  ["oplock", "lease"].flatMap((against) =>
    ["sane", "windows"].map((way) => `dhv2-pending${kind}-vs-${against}-${way}`),
  ),
);

export const TORTURE_SUITES: readonly TortureSuite[] = [
  allOf("async_dosmode", 1),
  {
    suite: "smb2.charset",
    tier: "A",
    samba: 3,
    misses: { "Testing partial surrogate": "broken in the client; fails against Samba too" },
  },
  allOf("compound", 18),
  allOf("compound_async", 2),
  allOf("compound_find", 3),
  allOf("connect", 1),
  {
    suite: "smb2.create",
    tier: "A",
    samba: 12,
    passesMore: true,
    misses: {
      gentest: "wants files that NTFS encrypts; fails against Samba too",
      "quota-fake-file": "needs a quota file of NTFS; fails against Samba too",
    },
  },
  { ...allOf("create_no_streams", 0), tier: "C", streams: "refused", passesMore: true },
  allOf("credits", 3),
  allOf("delete-on-close-perms", 9),
  allOf("deny", 2),
  {
    suite: "smb2.dir",
    tier: "A",
    samba: 5,
    misses: { one: "compares short names, which Azure Files does not have; fails against Samba too" },
  },
  {
    suite: "smb2.dosmode",
    tier: "A",
    samba: 0,
    misses: { "(the suite)": "needs a setting of Samba; fails against Samba too" },
  },
  allOf("fileid", 4),
  { ...allOf("getinfo", 5), passesMore: true },
  {
    suite: "smb2.ioctl",
    tier: "A",
    samba: 43,
    misses: {
      bug14769: "needs an FSCTL of Samba's own tests; fails against Samba too",
    },
  },
  { ...allOf("ioctl-on-stream", 1), tier: "C" },
  allOf("lock", 22),
  allOf("mangle", 1),
  { ...allOf("maxfid", 1), isLong: true },
  { ...allOf("maximum_allowed", 0), passesMore: true },
  allOf("mkdir", 1),
  allOf("openattr", 1),
  allOf("read", 4),
  { ...allOf("rename", 9), passesMore: true },
  {
    suite: "smb2.rw",
    tier: "A",
    samba: 2,
    misses: { invalid: "writes beyond the 4 TiB a file may have on Azure; fails against Samba too" },
  },
  allOf("sdread", 1),
  { ...allOf("secleak", 1), isLong: true },
  {
    suite: "smb2.session",
    tier: "A",
    samba: 55,
    misses: {
      reauth5: "opens a file as an anonymous user; fails against Samba too",
      bind_negative_smb202: "asks for SMB 2.0.2, which Azure Files does not speak; fails against Samba too",
    },
  },
  allOf("session-id", 1),
  { ...allOf("setinfo", 0), passesMore: true },
  allOf("sharemode", 3),
  {
    suite: "smb2.streams",
    tier: "C",
    samba: 12,
    misses: { rename2: "puts a named stream in the place of the content; fails against Samba too" },
  },
  allOf("tcon", 1),
  allOf("timestamps", 15),
  allOf("winattr", 1),
  {
    suite: "smb2.acls",
    tier: "B",
    samba: 13,
    misses: {
      ACCESSBASED: "needs a share that hides what may not be read; fails against Samba too without one",
    },
  },
  allOf("durable-open", 22, "B"),
  allOf("durable-v2-delay", 2, "B"),
  allOf("durable-v2-open", 14, "B"),
  { ...allOf("lease", 34, "B"), isLong: true },
  {
    suite: "smb2.multichannel",
    tier: "B",
    samba: 4,
    misses: {
      ...each(["oplocks.test2", "oplocks.test3_windows", "oplocks.test3_specification"], BLOCKED),
      ...each(["leases.test2", "leases.test3", "leases.test4"], BLOCKED),
      "bugs.bug_15346": "connects to another port than the given one; fails against Samba too",
    },
  },
  { ...allOf("notify", 21, "B"), isLong: true },
  {
    suite: "smb2.oplock",
    tier: "B",
    samba: 39,
    isLong: true,
    misses: { batch22b: BLOCKED },
  },
  {
    suite: "smb2.replay",
    tier: "B",
    samba: 29,
    isLong: true,
    misses: {
      ...each(PENDING, WINDOWS),
      ...each(
        ["close", "ack"].map((way) => `dhv2-pending1n-vs-violation-lease-${way}-windows`),
        WINDOWS,
      ),
      ...each(PENDING_BLOCKED, BLOCKED),
    },
  },
];

const NO_LISTS = "ACLs deny nothing to the holder of an account key, as on Azure";
const NO_STREAMS = "uses a named stream, which Azure Files does not have";

/** What else fails on a server as it is by default, by suite. */
export const MISSED_BY_DEFAULT: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "smb2.compound": { ...each(["related4", "related7"], NO_LISTS), "compound-padding": NO_STREAMS },
  "smb2.create": { nulldacl: NO_LISTS },
  "smb2.delete-on-close-perms": each(["OVERWRITE_IF Existing", "CREATE_IF Existing"], NO_LISTS),
  "smb2.fileid": each(["fileid", "fileid-dir"], NO_STREAMS),
  "smb2.getinfo": each(["complex", "normalized"], NO_STREAMS),
  "smb2.ioctl": { "copy-chunk streams": NO_STREAMS },
  "smb2.maximum_allowed": { "(the suite)": NO_LISTS },
};

/** Suites that are only about ACLs or named streams. */
export const NOT_BY_DEFAULT: readonly string[] = ["smb2.acls", "smb2.streams", "smb2.ioctl-on-stream"];

/** What `npm test` runs: everything short, and single tests of the long suites. */
export const SELECTED: Readonly<Record<string, readonly string[]>> = {
  "smb2.lease": ["upgrade3", "breaking3", "v2_epoch2", "break_twice"],
  "smb2.oplock": ["batch1", "batch9", "exclusive2", "doc", "batch26", "stream1"],
  "smb2.notify": ["mask-change", "rec", "dir"],
  "smb2.replay": ["replay-dhv2-oplock1", "replay-dhv2-lease1", "channel-sequence", "replay3", "replay4"],
};
