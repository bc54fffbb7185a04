/** Two ordered streams as one, in order; where both have the same place, `first` comes first. */
export async function* mergeOrdered(first, second, isBefore) {
    const left = first[Symbol.asyncIterator]();
    const right = second[Symbol.asyncIterator]();
    try {
        let a = await left.next();
        let b = await right.next();
        while (!a.done || !b.done) {
            if (b.done || (!a.done && !isBefore(b.value, a.value))) {
                yield a.value;
                a = await left.next();
            }
            else {
                yield b.value;
                b = await right.next();
            }
        }
    }
    finally {
        await left.return?.();
        await right.return?.();
    }
}
export async function* mapped(source, map) {
    for await (const item of source)
        yield map(item);
}
