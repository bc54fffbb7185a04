/** What may be at hand, or may have to be waited for: to be awaited, but not worth a promise when it is there. */
export type MaybePromise<T> = T | Promise<T>;

/** Goes on with the value, at once where it is there. A promise costs more than most of what a small read does. */
export function then<T, U>(value: MaybePromise<T>, next: (value: T) => MaybePromise<U>): MaybePromise<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** Runs `end` once `run` has ended, in whichever way: the `finally` of what need not be waited for. */
export function finallyDo<T>(run: () => MaybePromise<T>, end: () => void): MaybePromise<T> {
  let outcome: MaybePromise<T>;
  try {
    outcome = run();
  } catch (error) {
    end();
    throw error;
  }
  if (outcome instanceof Promise) return finallyDoAsync(outcome, end);
  end();
  return outcome;
}

async function finallyDoAsync<T>(outcome: Promise<T>, end: () => void): Promise<T> {
  try {
    return await outcome;
  } finally {
    end();
  }
}
