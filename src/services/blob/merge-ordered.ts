/** Merges two ordered streams into one; of equal items, that of `first` comes first. */
export async function* mergeOrdered<T>(
  first: AsyncIterable<T>,
  second: AsyncIterable<T>,
  isBefore: (a: T, b: T) => boolean,
): AsyncGenerator<T> {
  const left = first[Symbol.asyncIterator]();
  const right = second[Symbol.asyncIterator]();
  try {
    let a = await left.next();
    let b = await right.next();
    while (!a.done || !b.done) {
      if (b.done || (!a.done && !isBefore(b.value, a.value))) {
        yield a.value;
        a = await left.next();
      } else {
        yield b.value;
        b = await right.next();
      }
    }
  } finally {
    await left.return?.();
    await right.return?.();
  }
}

export async function* mapped<T, U>(source: AsyncIterable<T>, map: (item: T) => U): AsyncGenerator<U> {
  for await (const item of source) yield map(item);
}
