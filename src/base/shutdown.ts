import { type Millis, systemTimers, type Timers } from "./clock.ts";

/**
 * A shutdown in steps, each with a name, and an end to its patience: whoever waits for it for too long is
 * told which steps have not come to their end.
 */
export class Closing {
  readonly #pending = new Set<string>();

  /** Runs a step; its name is among the pending ones until it is done. */
  async step(name: string, close: () => Promise<void> | void): Promise<void> {
    this.#pending.add(name);
    await close();
    this.#pending.delete(name);
  }

  get pending(): readonly string[] {
    return [...this.#pending];
  }
}

/** Some part did not close in time. What was acknowledged is durable: the process may simply end. */
export class ClosingTooSlow extends Error {
  override readonly name = "ClosingTooSlow";
}

/**
 * Ends this process, whatever it does. `process.exit` waits for the threads that read and write files: with a
 * disk or a pipe that does not answer it would wait for ever.
 */
export function endProcessNow(): void {
  process.kill(process.pid, "SIGKILL");
}

export async function closeWithin(
  millis: Millis,
  close: (closing: Closing) => Promise<void>,
  timers: Timers = systemTimers,
): Promise<void> {
  const closing = new Closing();
  let patience = { cancel: () => {} };
  const tooLate = new Promise<never>((_, reject) => {
    patience = timers.after(millis, () => {
      const waitedFor = closing.pending.join(", ");
      reject(new ClosingTooSlow(`after ${millis / 1_000} s these have not closed: ${waitedFor}`));
    });
  });
  try {
    await Promise.race([close(closing), tooLate]);
  } finally {
    patience.cancel();
  }
}
