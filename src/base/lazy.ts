/** A value that its first use creates: most processes that import it never need it. */
export class Lazy<T> {
  readonly #create: () => T;
  #value: T | undefined;

  constructor(create: () => T) {
    this.#create = create;
  }

  get value(): T {
    this.#value ??= this.#create();
    return this.#value;
  }
}
