import type { Random } from "../../src/base/random.ts";
import { INFINITE, type LeaseInput, type LeaseOperation, type LeaseOutput } from "./lease-lock.ts";
import type { Operation } from "./linearizability.ts";
import type { MessageInput, MessageOperation, MessageOutput } from "./message.ts";
import type { Change, RegisterInput, RegisterOperation, RegisterOutput } from "./registers.ts";

/**
 * Histories that are legal by construction: simulated clients, each doing one thing after the other, and an
 * object that does each at one moment between its start and its end. The objects here are written a second
 * time and more plainly than those of the checker, so that the two watch each other.
 */
interface Simulation<In, Out> {
  readonly random: Random;
  readonly clients: number;
  readonly operations: number;
  /** The share of operations whose reply is lost; half of them are done nevertheless. */
  readonly unacknowledged: number;
  readonly choose: (client: number) => In;
  readonly apply: (input: In) => Out;
  /** What the clients learn from a reply they got. */
  readonly hear?: (input: In, output: Out) => void;
}

interface Recorded<In, Out> extends Operation {
  readonly client: number;
  readonly input: In;
  readonly output: Out | undefined;
}

function simulate<In, Out>(simulation: Simulation<In, Out>): Recorded<In, Out>[] {
  const { random, clients, operations, unacknowledged, choose, apply, hear = () => {} } = simulation;
  const history: Recorded<In, Out>[] = [];
  const aWhile = (): number => Math.ceil(random.fraction() * 20);
  const free = Array.from({ length: clients }, (_, client) => client / clients);
  let running: { client: number; start: number; point: number; end: number; input: In }[] = [];
  for (let begun = 0; begun < operations || running.length > 0; ) {
    const next = running.reduce((min, { point }) => Math.min(min, point), INFINITE);
    const client = free.indexOf(Math.min(...free));
    const start = free[client]!;
    if (begun < operations && start < next) {
      begun++;
      const point = start + aWhile();
      running.push({ client, start, point, end: point + aWhile(), input: choose(client) });
      free[client] = INFINITE;
      continue;
    }
    const one = running.find(({ point }) => point === next)!;
    running = running.filter((other) => other !== one);
    const { input, end } = one;
    const isHeard = random.fraction() >= unacknowledged;
    const output = isHeard || random.fraction() < 0.5 ? apply(input) : undefined;
    if (isHeard) hear(input, output!);
    const told = isHeard ? { end, output } : { end: INFINITE, output: undefined };
    history.push({ client: one.client, start: one.start, input, ...told });
    free[one.client] = end + aWhile();
  }
  return history;
}

export interface Shape {
  readonly random: Random;
  readonly clients: number;
  readonly operations: number;
  readonly unacknowledged: number;
}

const pick = (random: Random, count: number): number => Math.floor(random.fraction() * count);

/** Several keys: changes of one or more with and without conditions, and reads of one or all. */
export function registerHistory(shape: Shape, keys: readonly string[]): RegisterOperation[] {
  const { random } = shape;
  const values = new Map<string, { value: string; etag: string }>();
  const known = new Map<string, string>();
  let made = 0;

  function change(): Change {
    const key = keys[pick(random, keys.length)]!;
    const etag = known.get(key);
    const kinds = [
      {},
      {},
      { condition: { ifNoneMatch: "*" } },
      { condition: { ifMatch: "*" } },
      ...(etag === undefined ? [] : [1, 2, 3, 4].map(() => ({ condition: { ifMatch: etag } }))),
    ] as const;
    const conditions = kinds[pick(random, kinds.length)]!;
    return random.fraction() < 0.15
      ? { kind: "delete", key, ...("condition" in conditions ? onlyMatch(conditions) : {}) }
      : { kind: "put", key, value: `v${++made}`, ...conditions };
  }

  function choose(): RegisterInput {
    if (random.fraction() < 0.4) {
      return { do: "read", keys: random.fraction() < 0.5 ? keys : [keys[pick(random, keys.length)]!] };
    }
    const changes = new Map<string, Change>();
    const count = random.fraction() < 0.5 ? 1 : 1 + pick(random, keys.length);
    for (let i = 0; i < count; i++) {
      const one = change();
      changes.set(one.key, one);
    }
    return { do: "change", changes: [...changes.values()] };
  }

  function apply(input: RegisterInput): RegisterOutput {
    if (input.do === "read") return { found: input.keys.map((key) => values.get(key)) };
    for (const [index, { kind, key, condition }] of input.changes.entries()) {
      const one = values.get(key);
      const wants = condition === undefined ? undefined : "ifMatch" in condition ? condition.ifMatch : "none";
      if (wants === "none" && one !== undefined) return { refused: "exists", index };
      if (wants !== "none" && one === undefined && (wants !== undefined || kind === "delete")) {
        return { refused: "missing", index };
      }
      if (wants !== undefined && wants !== "none" && wants !== "*" && one?.etag !== wants) {
        return { refused: "notMet", index };
      }
    }
    const done = input.changes.map((one) => {
      if (one.kind !== "put") {
        values.delete(one.key);
        return undefined;
      }
      const etag = `e${one.value}`;
      values.set(one.key, { value: one.value, etag });
      return etag;
    });
    return { done };
  }

  function hear(input: RegisterInput, output: RegisterOutput): void {
    if (input.do === "read" && "found" in output) {
      for (const [index, one] of output.found.entries()) {
        if (one?.etag !== undefined) known.set(input.keys[index]!, one.etag);
      }
    } else if (input.do === "change" && "done" in output) {
      for (const [index, { key }] of input.changes.entries()) {
        const etag = output.done[index];
        if (etag !== undefined) known.set(key, etag);
      }
    }
  }

  return simulate<RegisterInput, RegisterOutput>({ ...shape, choose, apply, hear });
}

function onlyMatch<T extends { condition: object }>(given: T): { condition: { ifMatch: string } } | object {
  return "ifMatch" in given.condition ? given : {};
}

/** Clients that lock, write with and without the lock, break and release. */
export function leaseHistory(shape: Shape): LeaseOperation[] {
  const { random } = shape;
  let state: { kind: "free" | "held" | "broken"; id: string; value: string | undefined } = {
    kind: "free",
    id: "",
    value: undefined,
  };
  let made = 0;

  function choose(client: number): LeaseInput {
    const id = `lease-${client}`;
    switch (pick(random, 12)) {
      case 0:
      case 1:
      case 2:
        return { do: "acquire", id, length: INFINITE };
      case 3:
        return { do: "renew", id };
      case 4:
      case 5:
        return { do: "release", id };
      case 6:
        return { do: "break" };
      case 7:
      case 8:
        return { do: "write", id, value: `v${++made}` };
      case 9:
        return { do: "write", id: undefined, value: `v${++made}` };
      default:
        return { do: "read" };
    }
  }

  function apply(input: LeaseInput): LeaseOutput {
    const isMine = "id" in input && state.kind !== "free" && state.id === input.id;
    const refused = { refused: true } as const;
    const done = { done: true } as const;
    switch (input.do) {
      case "read":
        return { value: state.value, isLocked: state.kind === "held" };
      case "acquire":
        if (state.kind === "held" && !isMine) return refused;
        state = { ...state, kind: "held", id: input.id };
        return done;
      case "renew":
        return isMine && state.kind === "held" ? done : refused;
      case "release":
        if (!isMine) return refused;
        state = { ...state, kind: "free" };
        return done;
      case "break":
        if (state.kind === "free") return refused;
        state = { ...state, kind: "broken" };
        return done;
      case "write":
        if (input.id === undefined ? state.kind === "held" : !(isMine && state.kind === "held"))
          return refused;
        state = { ...state, kind: input.id === undefined ? "free" : state.kind, value: input.value };
        return done;
    }
  }

  return simulate<LeaseInput, LeaseOutput>({ ...shape, choose, apply });
}

/** The life of one message: takers come and go, most forget to delete it, somebody does in the end. */
export function messageHistory({ random }: { readonly random: Random }): MessageOperation[] {
  const history: MessageOperation[] = [];
  const hiddenFor = 100;
  let now = pick(random, 50);
  let receipts = 0;
  const during = (input: MessageInput, output: MessageOutput, client: number): void => {
    const start = now;
    now += 1 + pick(random, 20);
    history.push({ client, start, end: now, input, output });
    now += 1 + pick(random, 20);
  };
  const receipt = (): string => `r${++receipts}`;
  during({ do: "put", hiddenFor: 0 }, { done: true, receipt: receipt() }, 0);
  const takes = 1 + pick(random, 4);
  for (let dequeueCount = 1; dequeueCount <= takes; dequeueCount++) {
    const old = `r${receipts}`;
    const taker = 1 + pick(random, 3);
    const visibleAt = now + hiddenFor;
    during({ do: "take", hiddenFor }, { done: true, receipt: receipt(), dequeueCount }, taker);
    if (random.fraction() < 0.3) during({ do: "delete", receipt: old }, { refused: true }, taker);
    now = Math.max(now, visibleAt + 30);
  }
  if (random.fraction() < 0.7) {
    const last = `r${receipts}`;
    during({ do: "delete", receipt: last }, { done: true }, 1);
    during({ do: "delete", receipt: last }, { refused: true }, 1);
  }
  const isThere = history.at(-1)!.input.do !== "delete" || !isDeleted(history);
  during({ do: "lookLast" }, { isThere }, 0);
  return history;
}

function isDeleted(history: readonly MessageOperation[]): boolean {
  return history.some(
    ({ input, output }) => input.do === "delete" && output !== undefined && "done" in output,
  );
}
