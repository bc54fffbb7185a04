/**
 * Whether a recorded history of concurrent operations could have come from one copy of an object that does
 * them one at a time: each at some moment between its start and its end, each answering as it did
 * (linearizability).
 *
 * The search follows Wing & Gong with Lowe's memory of places already seen. It takes any operation that may
 * come next (it started before every operation that is still to be placed had ended), asks the object whether
 * it would have answered so, and goes back when nothing fits. A history of one object at a time keeps it
 * short: objects that know nothing of each other are checked each on its own.
 *
 * An operation without a reply may have been done at any later moment, or never: it ends at Infinity.
 */
export interface Operation {
  /** By one clock for all clients. */
  readonly start: number;
  /** Infinity: no reply came, so nobody knows whether it was done. */
  readonly end: number;
}

/** What the object does when it is used by one at a time. */
export interface Sequential<State, Op extends Operation> {
  readonly initial: State;
  /**
   * The state after it, or undefined when it would not have answered so. An operation without a reply answers
   * nothing: the state after it if it was done, undefined if doing it would have changed nothing.
   */
  step(state: State, operation: Op): State | undefined;
  /** The same text for states that nobody can tell apart. */
  keyOf(state: State): string;
}

export type Verdict<Op> =
  | { readonly legal: true; readonly steps: number }
  | { readonly legal: false; readonly steps: number; readonly story: Story<Op> }
  /** The search was given up: neither a yes nor a no. */
  | { readonly legal: undefined; readonly steps: number };

/** How far the best attempt came, for whoever has to find out what went wrong. */
export interface Story<Op> {
  readonly placed: readonly Op[];
  /** The state after them, as `keyOf` prints it. */
  readonly state: string;
  /** What could have come next, and did not fit. */
  readonly stuck: readonly Op[];
}

export const STEPS_MAX = 5_000_000;

interface Frame<State> {
  readonly state: State;
  readonly candidates: readonly number[];
  next: number;
  /** Which operation led here. */
  readonly placed: number;
}

export function checkHistory<State, Op extends Operation>(
  history: readonly Op[],
  object: Sequential<State, Op>,
  stepsMax = STEPS_MAX,
): Verdict<Op> {
  const operations = [...history].sort((one, other) => one.start - other.start || one.end - other.end);
  const search = new Search(operations, object);
  return search.run(stepsMax);
}

class Search<State, Op extends Operation> {
  readonly #operations: readonly Op[];
  readonly #object: Sequential<State, Op>;
  readonly #isPlaced: Uint8Array;
  /** With a reply, and still to be placed. */
  #left: number;
  /** Every operation with a reply before this one is placed. */
  #low = 0;
  readonly #unanswered: readonly number[];
  readonly #seen = new Set<string>();
  #best: Story<Op> | undefined;

  constructor(operations: readonly Op[], object: Sequential<State, Op>) {
    this.#operations = operations;
    this.#object = object;
    this.#isPlaced = new Uint8Array(operations.length);
    this.#unanswered = [...operations.keys()].filter((index) => !hasReply(operations[index]!));
    this.#left = operations.length - this.#unanswered.length;
  }

  run(stepsMax: number): Verdict<Op> {
    let steps = 0;
    const stack: Frame<State>[] = [this.#frame(this.#object.initial, -1)];
    while (this.#left > 0) {
      const frame = stack.at(-1)!;
      const index = frame.candidates[frame.next++];
      if (index === undefined) {
        this.#remember(stack);
        stack.pop();
        if (stack.length === 0) return { legal: false, steps, story: this.#best! };
        this.#takeBack(frame.placed);
        continue;
      }
      if (++steps > stepsMax) return { legal: undefined, steps };
      const state = this.#object.step(frame.state, this.#operations[index]!);
      if (state === undefined) continue;
      this.#place(index);
      const place = this.#keyOf(state);
      if (this.#seen.has(place)) this.#takeBack(index);
      else {
        this.#seen.add(place);
        stack.push(this.#frame(state, index));
      }
    }
    return { legal: true, steps };
  }

  #place(index: number): void {
    this.#isPlaced[index] = 1;
    if (!hasReply(this.#operations[index]!)) return;
    this.#left--;
    while (this.#low < this.#operations.length && this.#isBehind(this.#low)) this.#low++;
  }

  #isBehind(index: number): boolean {
    return this.#isPlaced[index] === 1 || !hasReply(this.#operations[index]!);
  }

  #takeBack(index: number): void {
    this.#isPlaced[index] = 0;
    if (!hasReply(this.#operations[index]!)) return;
    this.#left++;
    this.#low = Math.min(this.#low, index);
  }

  /**
   * What may come next: those with a reply first, soonest answered first; the others only when those do not
   * fit.
   */
  #frame(state: State, placed: number): Frame<State> {
    const answered: number[] = [];
    let endMin = Number.POSITIVE_INFINITY;
    for (let index = this.#low; index < this.#operations.length; index++) {
      const operation = this.#operations[index]!;
      if (operation.start > endMin) break;
      if (this.#isBehind(index)) continue;
      answered.push(index);
      endMin = Math.min(endMin, operation.end);
    }
    const mayBeNext = (index: number): boolean => this.#operations[index]!.start <= endMin;
    const unanswered = this.#unanswered.filter((index) => this.#isPlaced[index] === 0 && mayBeNext(index));
    const soonest = (one: number, other: number): number =>
      this.#operations[one]!.end - this.#operations[other]!.end;
    const candidates = [...answered.filter(mayBeNext).sort(soonest), ...unanswered];
    return { state, candidates, next: 0, placed };
  }

  /** Which operations are placed, and what they led to: the rest of the search depends on nothing else. */
  #keyOf(state: State): string {
    let gaps = "";
    let left = this.#left;
    for (let index = this.#low; left > 0 && index < this.#operations.length; index++) {
      // What starts after the end of the first gap cannot have been placed: no need to look there.
      if (this.#operations[index]!.start > this.#operations[this.#low]!.end) break;
      if (this.#isBehind(index)) continue;
      gaps += ` ${index}`;
      left--;
    }
    const unanswered = this.#unanswered.filter((index) => this.#isPlaced[index] === 1).join(" ");
    return `${this.#left}:${gaps}|${unanswered}|${this.#object.keyOf(state)}`;
  }

  #remember(stack: readonly Frame<State>[]): void {
    if (this.#best !== undefined && this.#best.placed.length >= stack.length - 1) return;
    const top = stack.at(-1)!;
    this.#best = {
      placed: stack.slice(1).map(({ placed }) => this.#operations[placed]!),
      state: this.#object.keyOf(top.state),
      stuck: top.candidates.map((index) => this.#operations[index]!),
    };
  }
}

const hasReply = ({ end }: Operation): boolean => end !== Number.POSITIVE_INFINITY;

/** The end of the best attempt in a few lines. */
export function printStory<Op extends Operation>({ placed, state, stuck }: Story<Op>): string {
  const print = (operation: Op): string => `    ${JSON.stringify(operation)}`;
  return [
    `after ${placed.length} operations, the last of them`,
    ...placed.slice(-8).map(print),
    `  the state is ${state}, and none of these could come next:`,
    ...stuck.slice(0, 16).map(print),
  ].join("\n");
}
