export function bytesOfBinary(text) {
    return Buffer.from(text, "latin1");
}
/** All pieces of a stream in one buffer. */
export async function collect(pieces) {
    const kept = [];
    for await (const piece of pieces)
        kept.push(piece);
    return Buffer.concat(kept);
}
