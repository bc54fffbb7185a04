import type { Operation, Sequential } from "./linearizability.ts";

/**
 * One file with byte-range locks of SMB clients, read and written through both doors. A page has a value; a
 * lock covers pages. Shared locks bear each other; an exclusive one bears nobody else's. REST writes the
 * whole file, so any lock stands in its way; it reads pages, so only exclusive locks on them do.
 */
export interface Span {
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
}

export type LockInput =
  | (Span & { readonly do: "lock"; readonly isExclusive: boolean })
  | (Span & { readonly do: "unlock" })
  | (Span & { readonly do: "smbRead" })
  | (Span & { readonly do: "restRead" })
  | (Span & { readonly do: "smbWrite"; readonly value: string })
  | { readonly do: "restWrite"; readonly value: string };

export type LockOutput =
  | { readonly done: true }
  | { readonly refused: true }
  | { readonly found: readonly (string | undefined)[] };

export interface LockOperation extends Operation {
  /** Who has one handle, and all of its locks. */
  readonly client: number;
  readonly input: LockInput;
  readonly output: LockOutput | undefined;
}

interface Held extends Span {
  readonly client: number;
  readonly isExclusive: boolean;
}

export interface LockState {
  readonly pages: readonly (string | undefined)[];
  readonly locks: readonly Held[];
}

export function rangeLocks(pages: number): Sequential<LockState, LockOperation> {
  return {
    initial: { pages: new Array<undefined>(pages).fill(undefined), locks: [] },
    step(state, { client, input, output }) {
      const isRefused = output !== undefined && "refused" in output;
      if (isRefused !== isInTheWay(state, client, input)) return undefined;
      if (isRefused) return state;
      if (input.do === "smbRead" || input.do === "restRead") {
        const found = output !== undefined && "found" in output ? output.found : [];
        const isSo = state.pages.slice(input.from, input.to).every((page, index) => page === found[index]);
        return isSo && found.length === input.to - input.from ? state : undefined;
      }
      return after(state, client, input);
    },
    keyOf: ({ pages: values, locks }) =>
      `${values.join(",")} ${locks
        .map(({ client, from, to, isExclusive }) => `${client}:${from}-${to}${isExclusive ? "!" : ""}`)
        .sort()
        .join(" ")}`,
  };
}

/** Whether a lock forbids this. */
function isInTheWay({ locks, pages }: LockState, client: number, input: LockInput): boolean {
  const span = input.do === "restWrite" ? { from: 0, to: pages.length } : input;
  const met = locks.filter(({ from, to }) => from < span.to && span.from < to);
  switch (input.do) {
    case "lock":
      return met.some((held) => input.isExclusive || (held.isExclusive && held.client !== client));
    case "unlock":
      return !locks.some(
        (held) => held.client === client && held.from === input.from && held.to === input.to,
      );
    case "smbRead":
      return met.some((held) => held.isExclusive && held.client !== client);
    case "restRead":
      return met.some((held) => held.isExclusive);
    case "smbWrite":
      return met.some((held) => !(held.isExclusive && held.client === client));
    case "restWrite":
      return locks.length > 0;
  }
}

function after(state: LockState, client: number, input: LockInput): LockState {
  const { pages, locks } = state;
  switch (input.do) {
    case "lock": {
      const { from, to, isExclusive } = input;
      return { pages, locks: [...locks, { client, from, to, isExclusive }] };
    }
    case "unlock": {
      const at = locks.findIndex(
        (held) => held.client === client && held.from === input.from && held.to === input.to,
      );
      return { pages, locks: locks.toSpliced(at, 1) };
    }
    case "smbWrite":
      return {
        pages: pages.map((page, index) => (index >= input.from && index < input.to ? input.value : page)),
        locks,
      };
    case "restWrite":
      return { pages: pages.map(() => input.value), locks };
    default:
      return state;
  }
}
