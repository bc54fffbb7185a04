import { type Millis, systemTimers, type Timers } from "../base/clock.ts";

/** A shutdown in named steps: after a timeout, the error names the steps that have not finished. */
export class Closing {
  readonly #pending = new Set<string>();

  /** Runs a step; `pending` includes its name until it is done. */
  async step(name: string, close: () => Promise<void> | void): Promise<void> {
    this.#pending.add(name);
    await close();
    this.#pending.delete(name);
  }

  get pending(): readonly string[] {
    return [...this.#pending];
  }
}

/** Some part did not close in time. Acknowledged writes are durable, so the process may end. */
export class ClosingTooSlow extends Error {
  override readonly name = "ClosingTooSlow";
}

/**
 * Ends this process at once. `process.exit` waits for the threads that read and write files, which a disk or
 * a pipe that does not answer blocks for ever.
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
  let timeout = { cancel: () => {} };
  const tooLate = new Promise<never>((_, reject) => {
    timeout = timers.after(millis, () => {
      const pending = closing.pending.join(", ");
      reject(new ClosingTooSlow(`not closed after ${millis / 1_000} s: ${pending}`));
    });
  });
  try {
    await Promise.race([close(closing), tooLate]);
  } finally {
    timeout.cancel();
  }
}
