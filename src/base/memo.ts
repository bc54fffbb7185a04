/** A pure function that is mostly called with the argument of its last call: keeps the last result. */
export class LastValueMemo<Key, Value> {
  readonly #compute: (key: Key) => Value;
  #key: Key | undefined;
  #value: Value | undefined;

  constructor(compute: (key: Key) => Value) {
    this.#compute = compute;
  }

  get(key: Key & {}): Value {
    if (key !== this.#key) {
      this.#value = this.#compute(key);
      this.#key = key;
    }
    return this.#value as Value;
  }
}

/** A pure function of short texts that come again: keeps up to `countMax` results, and then starts anew. */
export class TextMemo<Value extends {}> {
  readonly #compute: (text: string) => Value;
  readonly #countMax: number;
  readonly #charsMax: number;
  readonly #results = new Map<string, Value>();

  constructor(compute: (text: string) => Value, max: { readonly count: number; readonly chars: number }) {
    this.#compute = compute;
    this.#countMax = max.count;
    this.#charsMax = max.chars;
  }

  get(text: string): Value {
    const cached = this.#results.get(text);
    if (cached !== undefined) return cached;
    const value = this.#compute(text);
    if (text.length <= this.#charsMax) {
      if (this.#results.size >= this.#countMax) this.#results.clear();
      this.#results.set(text, value);
    }
    return value;
  }
}
