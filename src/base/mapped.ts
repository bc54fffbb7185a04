/**
 * An async iterator over changed values. It is a class because an async generator around another one takes
 * four microtasks for each value, and this takes one.
 */
export class Mapped<From, To> implements AsyncIterableIterator<To> {
  readonly #inner: AsyncIterator<From>;
  readonly #change: (value: From) => To;

  constructor(inner: AsyncIterable<From>, change: (value: From) => To) {
    this.#inner = inner[Symbol.asyncIterator]();
    this.#change = change;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<To>> {
    const result = await this.#inner.next();
    return result.done === true ? result : { done: false, value: this.#change(result.value) };
  }

  async return(): Promise<IteratorResult<To>> {
    await this.#inner.return?.();
    return { done: true, value: undefined };
  }
}
