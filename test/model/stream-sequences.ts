import assert from "node:assert/strict";
import { seededRandom } from "../../src/base/random.ts";
import {
  checkRestUse,
  DELETE,
  mayOpen,
  type Open,
  READ,
  type RestUse,
  WRITE,
} from "../../src/concurrency/share-mode.ts";
import { SHARE_MODES } from "./handle-model.ts";

/**
 * A file with named streams, and who has which of them open: the plain rule is a table of pairs. The other
 * side asks src/concurrency/share-mode.ts as src/services/file does: a stream against its own opens, and
 * against those of its file; the file against all of them.
 */
const CONTENT = 0;
const STREAMS = 3;
const BITS: Readonly<Record<string, number>> = { R: READ, W: WRITE, D: DELETE };
const bits = (text: string): number => [...text].reduce((all, letter) => all | BITS[letter]!, 0);

interface PlainOpen {
  readonly of: number;
  readonly access: string;
  readonly share: string;
}

/** Written out: no bits, no shared helper. */
function arePlainlyCompatible(one: PlainOpen, other: PlainOpen): boolean {
  if (one.access === "" || other.access === "") return true;
  if (one.of === other.of) {
    for (const letter of one.access) if (!other.share.includes(letter)) return false;
    for (const letter of other.access) if (!one.share.includes(letter)) return false;
    return true;
  }
  if (one.of === CONTENT && one.access.includes("D")) return other.share.includes("D");
  if (other.of === CONTENT && other.access.includes("D")) return one.share.includes("D");
  return true;
}

const realOf = ({ access, share }: PlainOpen): Open => ({ access: bits(access), share: bits(share) });

/** What is kept at the file itself: its own opens, and a record of each open of a stream. */
const keptAtFile = (opens: readonly PlainOpen[]): Open[] =>
  opens.map((open) => ({ ...realOf(open), isOfStream: open.of !== CONTENT }));

function isLetIn(wanted: PlainOpen, opens: readonly PlainOpen[]): boolean {
  if (wanted.of === CONTENT) return mayOpen(realOf(wanted), keptAtFile(opens));
  const own = opens.filter(({ of }) => of === wanted.of).map(realOf);
  return mayOpen(realOf(wanted), own) && mayOpen({ ...realOf(wanted), isOfStream: true }, keptAtFile(opens));
}

const USES: readonly RestUse[] = ["look", "read", "write", "overwrite", "rename", "delete"];
const REST_ACCESS: Readonly<Record<string, string>> = {
  look: "",
  read: "R",
  write: "W",
  overwrite: "WD",
  rename: "D",
};

function plainRest(use: RestUse, opens: readonly PlainOpen[]): string {
  if (use === "delete") return opens.length > 0 ? "SharingViolation" : "ok";
  const call = { of: CONTENT, access: REST_ACCESS[use]!, share: "RWD" };
  return opens.every((open) => arePlainlyCompatible(call, open)) ? "ok" : "SharingViolation";
}

export function runStreamSequence(seed: number, steps: number): void {
  const random = seededRandom(seed);
  for (let i = 0; i < 8; i++) random.fraction();
  const below = (limit: number): number => Math.floor(random.fraction() * limit);
  let opens: PlainOpen[] = [];
  for (let step = 0; step < steps; step++) {
    const choice = below(6);
    if (choice < 3) {
      const access = SHARE_MODES[below(SHARE_MODES.length)]!;
      const share = below(2) === 0 ? "RWD" : SHARE_MODES[below(SHARE_MODES.length)]!;
      const wanted = { of: below(STREAMS), access, share };
      const expected = opens.every((open) => arePlainlyCompatible(wanted, open));
      assert.equal(isLetIn(wanted, opens), expected, JSON.stringify({ wanted, opens }));
      if (expected) opens.push(wanted);
    } else if (choice === 3 && opens.length > 0) {
      const at = below(opens.length);
      opens = opens.filter((_, i) => i !== at);
    } else {
      const use = USES[below(USES.length)]!;
      assert.equal(checkRestUse(use, keptAtFile(opens)) ?? "ok", plainRest(use, opens), use);
    }
  }
}
