import { LIMITS } from "../../base/limits.js";
import { inlinePayload } from "./open-payload.js";
export const NO_CONTENT = { inline: Buffer.alloc(0) };
/**
 * Takes a body in: up to `LIMITS.inlineBytesMax` into memory, for the record itself (one commit, one sync);
 * anything longer into extents. `knownLength` saves a detour when it is above the limit; the body decides.
 */
export async function takeIn(payloads, source, knownLength) {
    if (source instanceof Uint8Array) {
        return source.length <= LIMITS.inlineBytesMax ? inline([source]) : append(payloads, source);
    }
    if (knownLength !== undefined && knownLength > LIMITS.inlineBytesMax)
        return append(payloads, source);
    const iterator = source[Symbol.asyncIterator]();
    const head = [];
    let bytes = 0;
    while (bytes <= LIMITS.inlineBytesMax) {
        const step = await iterator.next();
        if (step.done)
            return inline(head);
        head.push(step.value);
        bytes += step.value.length;
    }
    try {
        return await append(payloads, headAndRest(head, iterator));
    }
    catch (error) {
        // The client's stream must hear that nobody reads on, even if the append never began to read.
        await iterator.return?.();
        throw error;
    }
}
function inline(parts) {
    const [only] = parts;
    // A body that came in one piece is packed into its record as it is.
    const bytes = parts.length === 1 && Buffer.isBuffer(only) ? only : Buffer.concat(parts);
    return { content: { inline: bytes }, length: bytes.length, release() { } };
}
async function append(payloads, source) {
    const appended = await payloads.append(source);
    return {
        content: { slices: appended.slices },
        length: appended.length,
        release: () => appended.release(),
    };
}
async function* headAndRest(head, rest) {
    yield* head;
    for (let step = await rest.next(); !step.done; step = await rest.next())
        yield step.value;
}
export async function keepContent(payloads, write, content) {
    if ("slices" in content)
        await payloads.keep(write, content.slices);
}
export async function shareContent(payloads, write, content) {
    if ("slices" in content)
        await payloads.share(write, content.slices);
}
export async function dropContent(payloads, write, content) {
    if ("slices" in content)
        await payloads.drop(write, content.slices);
}
export async function openContent(payloads, read, content, range) {
    return "slices" in content ? payloads.open(read, content.slices, range) : inlinePayload(content.inline);
}
export function contentLength(content) {
    if ("inline" in content)
        return content.inline.length;
    return content.slices.reduce((total, { length }) => total + length, 0);
}
