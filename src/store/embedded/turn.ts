import type { WriteTurn } from "../serial-writer.ts";

/**
 * Who may write, among processes that share one embedded store. A supervisor holds the turn and lends it to one
 * process at a time; the holder keeps it until another one asks, finishes the batch under way, and gives it back.
 * One writer at a time is faster than two that meet at LMDB's lock (docs/decisions/0002), and it lets each
 * process run its transactions in memory, knowing that nobody else moves the state under it.
 *
 * A process that dies with the turn has either committed or not; LMDB tells which, and the turn goes on.
 */
export interface TurnMessage {
  readonly turn: string;
  readonly do: "want" | "done" | "grant" | "yield";
}

export function isTurnMessage(message: unknown): message is TurnMessage {
  return typeof message === "object" && message !== null && "turn" in message && "do" in message;
}

/** The side of a process that wants to write. Feed it every message that names its turn. */
export class TurnClient implements WriteTurn {
  readonly #name: string;
  readonly #send: (message: TurnMessage) => void;
  #granted: (() => void) | undefined;
  #isHeld = false;
  #isWanted = false;
  #wake: () => void = () => {};

  constructor(name: string, send: (message: TurnMessage) => void) {
    this.#name = name;
    this.#send = send;
  }

  acquire(): Promise<void> {
    return new Promise((resolve) => {
      this.#granted = resolve;
      this.#send({ turn: this.#name, do: "want" });
    });
  }

  isHeld(): boolean {
    return this.#isHeld;
  }

  isWanted(): boolean {
    return this.#isWanted;
  }

  release(): void {
    this.#isHeld = false;
    this.#isWanted = false;
    this.#send({ turn: this.#name, do: "done" });
  }

  onWanted(wake: () => void): void {
    this.#wake = wake;
  }

  receive(message: TurnMessage): void {
    if (message.turn !== this.#name) return;
    if (message.do === "yield") {
      this.#isWanted = true;
      this.#wake();
    } else if (message.do === "grant") {
      this.#isHeld = true;
      const granted = this.#granted;
      this.#granted = undefined;
      granted?.();
    }
  }
}

/**
 * Opens a store that other processes have open. While LMDB opens, it tells every process which transaction is the
 * newest, as it has just read it (ITS#9496, in the copy that the `lmdb` package carries): a commit of another
 * process in that moment would be forgotten, though it was acknowledged, and then written over. So nobody may
 * commit meanwhile: whoever opens holds the turns.
 */
export async function inTurn<T>(turns: readonly WriteTurn[], open: () => T): Promise<T> {
  // In the same order everywhere, and a holder never waits for another turn: no two can wait for each other.
  for (const turn of turns) await turn.acquire();
  try {
    return open();
  } finally {
    for (const turn of turns) turn.release();
  }
}

/** The side of the supervisor: first come, first served. */
export class TurnArbiter {
  readonly #send: (process: number, message: TurnMessage) => void;
  readonly #turns = new Map<string, { holder: number | undefined; waiting: number[] }>();
  readonly #gone = new Set<number>();

  constructor(send: (process: number, message: TurnMessage) => void) {
    this.#send = send;
  }

  receive(process: number, message: TurnMessage): void {
    // Its last words may arrive after its death. A turn lent to the dead never comes back.
    if (this.#gone.has(process)) return;
    const turn = this.#turns.get(message.turn) ?? { holder: undefined, waiting: [] };
    this.#turns.set(message.turn, turn);
    if (message.do === "want") {
      turn.waiting.push(process);
      if (turn.holder === undefined) this.#lendNext(message.turn);
      else this.#send(turn.holder, { turn: message.turn, do: "yield" });
    } else if (message.do === "done" && turn.holder === process) {
      turn.holder = undefined;
      this.#lendNext(message.turn);
    }
  }

  /** The process is gone for good; its number is not used for another one. */
  forget(process: number): void {
    this.#gone.add(process);
    for (const [name, turn] of this.#turns) {
      turn.waiting = turn.waiting.filter((waiting) => waiting !== process);
      if (turn.holder !== process) continue;
      turn.holder = undefined;
      this.#lendNext(name);
    }
  }

  #lendNext(name: string): void {
    const turn = this.#turns.get(name)!;
    turn.holder = turn.waiting.shift();
    if (turn.holder === undefined) return;
    this.#send(turn.holder, { turn: name, do: "grant" });
    if (turn.waiting.length > 0) this.#send(turn.holder, { turn: name, do: "yield" });
  }
}
