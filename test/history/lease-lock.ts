import type { Operation, Sequential } from "./linearizability.ts";

/**
 * One leased object, and the value its lease guards. Clients propose the ids of their leases, so an acquire
 * without a reply is known by its id, too.
 *
 * A lease with a length ends by itself, at a moment between (start + length) and (end + length) of the call
 * that began it. In between both answers are right; outside, only one is.
 */
export type LeaseInput =
  | { readonly do: "acquire"; readonly id: string; readonly length: number }
  | { readonly do: "renew" | "release"; readonly id: string }
  /** Without a period: at once. */
  | { readonly do: "break" }
  | { readonly do: "write"; readonly id: string | undefined; readonly value: string }
  | { readonly do: "read" };

export type LeaseOutput =
  | { readonly done: true }
  /** The lease is not as the caller thought, or another's. */
  | { readonly refused: true }
  | { readonly value: string | undefined; readonly isLocked: boolean };

export interface LeaseOperation extends Operation {
  readonly client: number;
  readonly input: LeaseInput;
  readonly output: LeaseOutput | undefined;
}

interface Held {
  readonly id: string;
  readonly isBroken: boolean;
  readonly length: number;
  /** It ends at some moment between these two. */
  readonly endsMin: number;
  readonly endsMax: number;
}

export interface LeaseState {
  readonly held: Held | undefined;
  readonly value: string | undefined;
}

export const INFINITE = Number.POSITIVE_INFINITY;

export function leaseLock(value: string | undefined): Sequential<LeaseState, LeaseOperation> {
  return {
    initial: { held: undefined, value },
    step(state, operation) {
      const { input, output } = operation;
      if (input.do === "read") return readFits(state, operation) ? state : undefined;
      if (output !== undefined && "refused" in output) return mayRefuse(state, operation) ? state : undefined;
      return mayDo(state, operation) ? after(state, operation) : undefined;
    },
    keyOf({ held, value }) {
      const lease = held === undefined ? "free" : `${held.id}${held.isBroken ? " broken" : ""}`;
      return `${lease} ${held?.endsMin ?? ""} ${value}`;
    },
  };
}

const mayBeInForce = ({ held }: LeaseState, { start }: Operation): boolean =>
  held !== undefined && !held.isBroken && start <= held.endsMax;

const mayBeOver = ({ held }: LeaseState, { end }: Operation): boolean =>
  held === undefined || held.isBroken || end >= held.endsMin;

function mayDo(state: LeaseState, operation: LeaseOperation): boolean {
  const { input } = operation;
  const { held } = state;
  switch (input.do) {
    case "acquire":
      return mayBeOver(state, operation) || held?.id === input.id;
    case "renew":
      return held !== undefined && held.id === input.id && !held.isBroken;
    case "release":
      return held !== undefined && held.id === input.id;
    case "break":
      return held !== undefined;
    case "write":
      if (input.id === undefined) return mayBeOver(state, operation);
      return held?.id === input.id && mayBeInForce(state, operation);
    case "read":
      return true;
  }
}

function mayRefuse(state: LeaseState, operation: LeaseOperation): boolean {
  const { input } = operation;
  const { held } = state;
  switch (input.do) {
    case "acquire":
      return mayBeInForce(state, operation) && held?.id !== input.id;
    case "renew":
      return held === undefined || held.id !== input.id || held.isBroken;
    case "release":
      return held === undefined || held.id !== input.id;
    case "break":
      return held === undefined;
    case "write":
      if (input.id === undefined) return mayBeInForce(state, operation);
      return held?.id !== input.id || mayBeOver(state, operation);
    case "read":
      return false;
  }
}

function after(state: LeaseState, { input, start, end }: LeaseOperation): LeaseState {
  const { held, value } = state;
  const lasts = (id: string, length: number): LeaseState => ({
    held: { id, isBroken: false, length, endsMin: start + length, endsMax: end + length },
    value,
  });
  switch (input.do) {
    case "acquire":
      return lasts(input.id, input.length);
    case "renew":
      return lasts(input.id, held!.length);
    case "release":
      return { held: undefined, value };
    case "break":
      return { held: { ...held!, isBroken: true }, value };
    case "write": {
      // A write without the lease was right because the lease was over; nothing is left of it then.
      return { held: input.id === undefined ? undefined : held, value: input.value };
    }
    case "read":
      return state;
  }
}

function readFits(state: LeaseState, operation: LeaseOperation): boolean {
  const { output } = operation;
  if (output === undefined || !("value" in output)) return false;
  if (output.value !== state.value) return false;
  return output.isLocked ? mayBeInForce(state, operation) : mayBeOver(state, operation);
}
