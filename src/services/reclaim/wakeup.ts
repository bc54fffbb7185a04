/**
 * Says that there may be work, to who would otherwise find it at its next look. Nothing is lost when nobody
 * listens.
 */
export class Wakeup {
  #listener: () => void = () => {};

  listen(listener: () => void): void {
    this.#listener = listener;
  }

  ring(): void {
    this.#listener();
  }
}
