/** What is left of `parts` after their first `done` bytes: for reads and writes that stop half way. */
export function partsAfter(parts, done) {
    let left = done;
    const rest = [];
    for (const part of parts) {
        if (left >= part.length)
            left -= part.length;
        else {
            rest.push(left === 0 ? part : part.subarray(left));
            left = 0;
        }
    }
    return rest;
}
export function bytesIn(parts) {
    let total = 0;
    for (const part of parts)
        total += part.length;
    return total;
}
