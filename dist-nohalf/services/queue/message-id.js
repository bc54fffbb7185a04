/**
 * A MessageId is a GUID that says which message it names: its sequence and the contents it belongs to, so no index
 * by id is needed. Version 8 of RFC 9562, the one for layouts of one's own:
 *
 *   ssssssss-ssss-8sss-8scc-cccccccccccc    s: sequence, 64 bits    c: the lower 56 bits of the contents' id
 */
const MESSAGE_ID = /^([0-9a-f]{8})-([0-9a-f]{4})-8([0-9a-f]{3})-8([0-9a-f])([0-9a-f]{2})-([0-9a-f]{12})$/i;
export function printMessageId(contents, sequence) {
    const s = hex(sequence);
    return `${s.slice(0, 8)}-${s.slice(8, 12)}-8${s.slice(12, 15)}-8${s.slice(15)}${tailOf(contents)}`;
}
let lastContents = 0n;
let lastTail = "";
/** The same for all messages of a queue, and mostly it is the same queue again. */
function tailOf(contents) {
    if (contents !== lastContents) {
        const c = hex(contents);
        lastTail = `${c.slice(2, 4)}-${c.slice(4)}`;
        lastContents = contents;
    }
    return lastTail;
}
/** The sequence an id of these contents names; undefined for any other text. */
export function parseMessageId(contents, text) {
    const parts = MESSAGE_ID.exec(text);
    if (parts === null)
        return undefined;
    if (`${parts[5]}-${parts[6]}`.toLowerCase() !== tailOf(contents))
        return undefined;
    return BigInt(`0x${parts[1]}${parts[2]}${parts[3]}${parts[4]}`);
}
function hex(value) {
    return value.toString(16).padStart(16, "0");
}
