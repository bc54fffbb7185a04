/**
 * Each of what comes, changed on its way. By hand, because a generator around another takes four steps for
 * each entry where this takes one.
 */
export class Mapped<From, To> implements AsyncIterableIterator<To> {
  readonly #inner: AsyncIterator<From>;
  readonly #change: (one: From) => To;

  constructor(inner: AsyncIterable<From>, change: (one: From) => To) {
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
