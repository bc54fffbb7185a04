import { type Finding, lineAt, type SourceFile, type Tree } from "./tree.ts";

/**
 * Words that were once a private language of this code, each with the word of the field that replaces it. A
 * reader who knows storage and the protocol should meet no other. `docs/glossary.md` defines the few words
 * that are ours.
 */
interface RetiredWord {
  /** Looked for in names, spelled in small letters with spaces: `isWriteAhead` is "is write ahead". */
  readonly inNames?: RegExp;
  /** Looked for in comments, strings and documents, whatever the case. */
  readonly inProse?: RegExp;
  readonly instead: string;
}

/** Words that are retired both as part of a name and in a sentence. */
const everywhere = (words: string, instead: string): RetiredWord => ({
  inNames: new RegExp(`\\b(?:${words})\\b`),
  inProse: new RegExp(`\\b(?:${words})\\b`, "gi"),
  instead,
});

const RETIRED: readonly RetiredWord[] = [
  everywhere("rooms?", "PooledBuffer, FreeSpace, Reservation, or evict"),
  everywhere("lend|lends|lent|lending|give back|gives back|given back|let go|lets go", "acquire and release"),
  everywhere("tell|tells|told|telling", "declared, notify, report, or include"),
  everywhere("whoever|somebody|nobody|everybody", "the actor: the caller, the lease holder, another client"),
  { inNames: /\bwho\b/, instead: "the actor: caller, holder, client" },
  {
    inNames: /\bturns?\b/,
    // "Turns a date into text" is plain English; a turn that somebody has is not.
    inProse: /\b(?:in|its|their|whose|a|the|each|one|next|every|this|by|takes?|of) turns?\b(?! of phrase)/gi,
    instead: "WriteLock, tick, yieldToEventLoop, or rotate",
  },
  {
    inNames: /(?<!\b(?:read|look) )\bahead\b/,
    // The write-ahead log is the field's own word.
    inProse: /\b(?:write|writes|written|commit|commits|committed) ahead\b/gi,
    instead: "commitAsync or unsynced",
  },
  { inNames: /\bheld\b/, instead: "byHandle, frozen, or pinned" },
  {
    inNames: /\bnodes?\b/,
    inProse: /(?<![./"'`-])\bnodes?\b(?![:."'/_-]| version|20|\.js)/g,
    instead: "inode or entry of a tree, member of a cluster",
  },
  everywhere("wish|wishes|wished", "...Request, ...Options, or PendingLock"),
  {
    inProse: /\bsettl\w+\b(?=[^.\n]*\b(?:journal|database|doubt)\b)/gi,
    instead: "checkpoint, or resolveInDoubt",
  },
  { inNames: /^known\b|\b(?:learn|learns|learnt|remembered)\b/, instead: "...Cache with get and put" },
  everywhere("under way|underway", "in flight or pending"),
  { inNames: /\bpast\b/, instead: "snapshot or version" },
  { inNames: /\b(?:taken|take in|taking)\b/, instead: "ingest, stage, or commit" },
  everywhere("chores?", "background job"),
  everywhere("surroundings", "context"),
  { inNames: /^outside$|\bpresence\b/, instead: "host, or liveness" },
  { inNames: /\bneeds grant\b/, instead: "admission" },
  { inNames: /\bfigures?\b/, instead: "stats or counters" },
  everywhere("tally|tallies|facts", "counters, or metadata"),
  everywhere("stir|stirs|stirred", "poke"),
  { inNames: /\bawake\b/, instead: "BusyPoll" },
  { inNames: /\bgates?\b/, instead: "Semaphore" },
  { inNames: /^soon$|\bwhen there\b/, instead: "MaybePromise and then" },
  everywhere("breach|breaches", "ProtocolError"),
  everywhere("mend|mends|mended|mending", "normalize or repair"),
  everywhere("planted|plants?", "mutation and mutant"),
  everywhere("doors?|roads?|houses?", "front end, or request path"),
  everywhere("pieces?", "chunk on the wire, frame on disk"),
  everywhere("access lists?", "ACL"),
  everywhere("azurite words", "azurite-compat"),
  everywhere("unheard", "unacknowledged"),
];

/** Where the protocol, the language or a package itself uses a retired word. */
const EXCEPTIONS: readonly { readonly text: RegExp; readonly reason: string }[] = [
  { text: /\bversions\.node\b/g, reason: "process.versions of Node.js" },
  { text: /\bNODE_[A-Z_]+\b|"node"/g, reason: "environment variables and the program of Node.js" },
  { text: /\bNode(?:JS)?\.[A-Z]\w+\b/g, reason: "the types of Node.js, as NodeJS.Timeout" },
  { text: /\bNodeJS\b/g, reason: "the types of Node.js" },
  { text: /\bPRIVILEGE_NOT_HELD\b/g, reason: "a status of [MS-ERREF]" },
  { text: /\bis_?root_?node\b/gi, reason: "a field of the protocol" },
  { text: /\b\w*XmlNode\w*\b|\bXML nodes?\b/g, reason: "error codes, texts and elements of Azure" },
  { text: /"chores"/g, reason: "the stored name of a role" },
  { text: /["'](?:facts|nodes)["']/g, reason: "tables of the stored schema" },
  { text: /\bfileNode(?:Rest)?\b|"lockWish"|"smbPresence"/g, reason: "families of stored records" },
  {
    text: /\b(?:node: (?:bigint|inode)|held: pinned|past: stateKind)\b/g,
    reason: "fields of stored records",
  },
  {
    text: /\bheld: readonly bigint\b|\bpast\?: BlobStateKind\b|\bstored\.past\b/g,
    reason: "fields of stored records",
  },
  { text: /^#!.*/g, reason: "the program that runs a script" },
  { text: /\bsmbAccessLists\b|\bHOLDFAST_SMB_ACCESS_LISTS\b/g, reason: "an earlier name of --smbAcls" },
  { text: /\beventTurnBatching\b/g, reason: "an option of the lmdb package" },
];

/** The rule and its test quote retired words. */
const QUOTING: ReadonlySet<string> = new Set(["scripts/tidy/retired-words.ts", "test/scripts/tidy.test.ts"]);

const NAME = /[A-Za-z_$][\w$]*/g;
const CAMEL = /\b[a-z]+[A-Z]\w*/g;

/** `isWriteAhead` and `WRITE_AHEAD` as words: "is write ahead". */
function spell(name: string): string {
  return name
    .replaceAll(/([a-z0-9])([A-Z])|([A-Z])(?=[A-Z][a-z])/g, "$1$3 $2")
    .replaceAll(/[_$]+/g, " ")
    .trim()
    .toLowerCase();
}

/** Retired words in names, comments, strings, documents and file names. */
export function checkRetiredWords({ sources, documents }: Tree): Finding[] {
  return [
    ...sources.filter(({ path }) => !QUOTING.has(path)).flatMap(findInSource),
    ...documents.flatMap(({ path, text }) => findInProse(path, withoutExceptions(text))),
  ];
}

function findInSource({ path, text, bare }: SourceFile): Finding[] {
  const names = withoutExceptions(bare);
  const prose = [...withoutExceptions(text)]
    .map((char, index) => (bare[index] === char ? blankOf(char) : char))
    .join("");
  const fileName = spell(path.split("/").at(-1)!.replace(/\..*$/, "").replaceAll("-", " "));
  return [
    ...wordsInName(fileName).map((instead) => ({ path, line: 1, what: sayRetired(path, instead) })),
    ...findInNames(path, names, NAME),
    ...findInNames(path, prose, CAMEL),
    ...findInProse(path, prose),
  ];
}

const blankOf = (char: string): string => (char === "\n" ? "\n" : " ");

function withoutExceptions(text: string): string {
  return EXCEPTIONS.reduce(
    (left, { text: allowed }) => left.replaceAll(allowed, (found) => " ".repeat(found.length)),
    text,
  );
}

const wordsInName = (spelled: string): string[] =>
  RETIRED.filter(({ inNames }) => inNames?.test(spelled)).map(({ instead }) => instead);

function findInNames(path: string, text: string, pattern: RegExp): Finding[] {
  const found = new Map<string, readonly string[]>();
  return [...text.matchAll(pattern)].flatMap(({ 0: name, index }) => {
    if (!found.has(name)) found.set(name, wordsInName(spell(name)));
    return found
      .get(name)!
      .map((instead) => ({ path, line: lineAt(text, index), what: sayRetired(name, instead) }));
  });
}

function findInProse(path: string, text: string): Finding[] {
  return RETIRED.flatMap(({ inProse, instead }) =>
    inProse === undefined
      ? []
      : [...text.matchAll(inProse)].map(({ 0: word, index }) => ({
          path,
          line: lineAt(text, index),
          what: sayRetired(word, instead),
        })),
  );
}

const sayRetired = (word: string, instead: string): string => `retired word in "${word}": write ${instead}`;
