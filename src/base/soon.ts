/** What may be at hand, or may have to be waited for: to be awaited, but not worth a promise when it is there. */
export type Soon<T> = T | Promise<T>;

/** Goes on with the value, at once where it is there. A promise costs more than most of what a small read does. */
export function whenThere<T, U>(soon: Soon<T>, goOn: (value: T) => Soon<U>): Soon<U> {
  return soon instanceof Promise ? soon.then(goOn) : goOn(soon);
}

/** Runs `end` once `run` has ended, in whichever way: the `finally` of what need not be waited for. */
export function endedBy<T>(run: () => Soon<T>, end: () => void): Soon<T> {
  let outcome: Soon<T>;
  try {
    outcome = run();
  } catch (error) {
    end();
    throw error;
  }
  if (outcome instanceof Promise) return settledBy(outcome, end);
  end();
  return outcome;
}

async function settledBy<T>(outcome: Promise<T>, end: () => void): Promise<T> {
  try {
    return await outcome;
  } finally {
    end();
  }
}
