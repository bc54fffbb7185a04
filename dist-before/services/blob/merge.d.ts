/** Two ordered streams as one, in order; where both have the same place, `first` comes first. */
export declare function mergeOrdered<T>(first: AsyncIterable<T>, second: AsyncIterable<T>, isBefore: (one: T, other: T) => boolean): AsyncGenerator<T>;
export declare function mapped<T, U>(source: AsyncIterable<T>, map: (item: T) => U): AsyncGenerator<U>;
