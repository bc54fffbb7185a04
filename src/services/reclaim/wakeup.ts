/** Signals that there may be work before the next scheduled run. A signal without a listener is harmless. */
export class Wakeup {
  #listener: () => void = () => {};

  listen(listener: () => void): void {
    this.#listener = listener;
  }

  ring(): void {
    this.#listener();
  }
}
