/**
 * Long computations give way to everybody else. Of all that wait here, one goes on in each turn of the event loop, so
 * that ten of them delay other requests no more than one does.
 */
export class Turns {
  #last: Promise<void> = Promise.resolve();

  next(): Promise<void> {
    this.#last = this.#last.then(() => new Promise<void>((resolve) => setImmediate(resolve)));
    return this.#last;
  }
}
