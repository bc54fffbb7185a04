/** A value, or a promise of it. A caller that gets the value runs on synchronously. */
export type MaybePromise<T> = T | Promise<T>;

/** Runs `next` synchronously when the value is there: a promise costs more than most small reads. */
export function then<T, U>(value: MaybePromise<T>, next: (value: T) => MaybePromise<U>): MaybePromise<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** `try { return run() } finally { end() }`, where `run` may return a promise. */
export function finallyDo<T>(run: () => MaybePromise<T>, end: () => void): MaybePromise<T> {
  let outcome: MaybePromise<T>;
  try {
    outcome = run();
  } catch (error) {
    end();
    throw error;
  }
  if (outcome instanceof Promise) return finallyAsync(outcome, end);
  end();
  return outcome;
}

/** Cheaper than `Promise.prototype.finally`, which makes three promises. */
async function finallyAsync<T>(outcome: Promise<T>, end: () => void): Promise<T> {
  try {
    return await outcome;
  } finally {
    end();
  }
}
