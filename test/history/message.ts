import type { Operation, Sequential } from "./linearizability.ts";

/**
 * One queue message: put, given to takers one after the other, each of whom has it alone for a time, and
 * deleted or hidden anew by whoever holds its newest receipt.
 *
 * A Get without a reply may have taken messages that nobody knows of. It gives a message a receipt that
 * nobody has and counts a delivery; both are allowed for, as long as the message can have been visible.
 */
export type MessageInput =
  | { readonly do: "put"; readonly hiddenFor: number }
  | { readonly do: "take"; readonly hiddenFor: number }
  | { readonly do: "delete"; readonly receipt: string }
  | { readonly do: "hide"; readonly receipt: string; readonly hiddenFor: number }
  /** After the end: everything left was taken out, and this message was among it or not. */
  | { readonly do: "lookLast" };

export type MessageOutput =
  | { readonly done: true; readonly receipt?: string; readonly dequeueCount?: number }
  /** No such message, or the receipt is not its newest. */
  | { readonly refused: true }
  | { readonly isThere: boolean };

export interface MessageOperation extends Operation {
  readonly client: number;
  readonly input: MessageInput;
  readonly output: MessageOutput | undefined;
}

export interface MessageState {
  readonly life: "unborn" | "there" | "deleted";
  readonly receipt: string | undefined;
  readonly dequeueCount: number;
  /** It becomes visible at some moment between these two. */
  readonly visibleMin: number;
  readonly visibleMax: number;
}

export interface MessageFacts {
  /** When the Gets without a reply were sent. */
  readonly unacknowledgedGets: readonly number[];
  /** How far the clocks of clients and server may be apart, in the unit of the times. */
  readonly tolerance: number;
}

const UNBORN: MessageState = {
  life: "unborn",
  receipt: undefined,
  dequeueCount: 0,
  visibleMin: 0,
  visibleMax: 0,
};

export function message({
  unacknowledgedGets,
  tolerance,
}: MessageFacts): Sequential<MessageState, MessageOperation> {
  const unacknowledgedBefore = (time: number): number =>
    unacknowledgedGets.filter((sentAt) => sentAt < time).length;
  const mayBeVisible = (state: MessageState, end: number): boolean => end + tolerance >= state.visibleMin;
  /** Somebody we never heard of has taken it since. */
  const mayBeDequeuedUnacknowledged = (state: MessageState, { end }: Operation): boolean =>
    mayBeVisible(state, end) && unacknowledgedBefore(end) > 0;

  function hidden(state: MessageState, { start, end }: Operation, hiddenFor: number): MessageState {
    return { ...state, visibleMin: start + hiddenFor, visibleMax: end + hiddenFor };
  }

  return {
    initial: UNBORN,
    keyOf: ({ life, receipt, dequeueCount, visibleMin }) =>
      `${life} ${receipt} ${dequeueCount} ${visibleMin}`,
    step(state, operation) {
      const { input, output, end } = operation;
      const isDone = output === undefined || "done" in output;
      const told = output !== undefined && "done" in output ? output : undefined;
      switch (input.do) {
        case "put":
          if (state.life !== "unborn" || !isDone) return undefined;
          return hidden({ ...state, life: "there", receipt: told?.receipt }, operation, input.hiddenFor);
        case "take": {
          if (state.life !== "there" || told === undefined || !mayBeVisible(state, end)) return undefined;
          const count = told.dequeueCount ?? state.dequeueCount + 1;
          const countMax = state.dequeueCount + 1 + unacknowledgedBefore(end);
          if (count <= state.dequeueCount || count > countMax) return undefined;
          const taken = { ...state, receipt: told.receipt, dequeueCount: count };
          return hidden(taken, operation, input.hiddenFor);
        }
        case "delete":
        case "hide": {
          const isNewest = state.life === "there" && state.receipt === input.receipt;
          if (!isDone) return !isNewest || mayBeDequeuedUnacknowledged(state, operation) ? state : undefined;
          if (!isNewest) return undefined;
          if (input.do === "delete") return { ...state, life: "deleted" };
          return hidden({ ...state, receipt: told?.receipt }, operation, input.hiddenFor);
        }
        case "lookLast":
          return output !== undefined && "isThere" in output && output.isThere === (state.life === "there")
            ? state
            : undefined;
      }
    },
  };
}

/** What one Get was asked for and what it brought. */
export interface GetRecord extends Operation {
  readonly asked: number;
  readonly ids: readonly string[];
}

/**
 * A message that a Get had to bring and did not: it was put for certain before the Get began, nobody touched
 * it until the Get had ended, and the Get brought fewer than it was asked for.
 */
export function missedMessage(
  gets: readonly GetRecord[],
  messages: ReadonlyMap<string, readonly MessageOperation[]>,
  { unacknowledgedGets }: MessageFacts,
): string | undefined {
  const short = gets.filter(({ ids, asked, end }) => ids.length < asked && end !== Number.POSITIVE_INFINITY);
  const spans: { readonly id: string; readonly from: number; readonly to: number }[] = [];
  for (const [id, operations] of messages) {
    const put = operations.find(({ input }) => input.do === "put");
    if (put?.input.do !== "put" || put.input.hiddenFor > 0 || put.output === undefined) continue;
    const touched = operations.filter((operation) => operation !== put).map(({ start }) => start);
    spans.push({ id, from: put.end, to: Math.min(Number.POSITIVE_INFINITY, ...touched) });
  }
  for (const get of short) {
    if (unacknowledgedGets.some((sentAt) => sentAt < get.end)) continue;
    const missed = spans.find(({ from, to }) => from < get.start && to > get.end);
    if (missed !== undefined) return `${missed.id} by the Get at ${get.start}`;
  }
  return undefined;
}
