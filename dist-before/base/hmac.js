import { createHash } from "node:crypto";
/**
 * HMAC-SHA256 in plain TypeScript, for short texts under long-lived keys: every signed request is one of these.
 * The first block of both hashes depends on the key alone, so it is compressed once, when the key is made; a
 * signature then costs one compression per 64 bytes of text and one more. Why not node:crypto: each call there
 * makes an object with a finalizer, which costs more than the hash itself. docs/decisions/0003-own-hmac.md has
 * the figures.
 *
 * The scratch buffers are shared by all keys. That is safe because nothing here waits: a signature is begun and
 * finished in one turn.
 */
const BLOCK_BYTES = 64;
const DIGEST_BYTES = 32;
/** 0x80 and the 32-bit length that end the last block (the upper half of the 64-bit length is always zero). */
const PADDING_BYTES = 9;
const INITIAL = Int32Array.of(0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19);
const ROUND = Int32Array.of(0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5, 0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174, 0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da, 0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967, 0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85, 0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070, 0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3, 0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2);
const schedule = new Int32Array(64);
const state = new Int32Array(8);
const scratch = Buffer.alloc(16 * 1_024);
const scratchView = viewOf(scratch);
export class HmacKey {
    #inner;
    #outer;
    constructor(key) {
        const short = key.length > BLOCK_BYTES ? createHash("sha256").update(key).digest() : key;
        this.#inner = midstate(short, 0x36);
        this.#outer = midstate(short, 0x5c);
    }
    /** The signature over the UTF-8 bytes of the text. */
    sign(text) {
        this.#run(text);
        const digest = Buffer.allocUnsafe(DIGEST_BYTES);
        for (let word = 0; word < 8; word++)
            digest.writeInt32BE(state[word], word * 4);
        return digest;
    }
    /**
     * Whether `given`, from `start` to its end, is the signature over the text in canonical base64: 44 characters
     * of the standard alphabet, padded, no stray bits. Takes the same time wherever the first difference is.
     */
    matches(text, given, start = 0) {
        this.#run(text);
        return isBase64OfState(given, start);
    }
    #run(text) {
        // Three bytes are the most that one UTF-16 unit becomes.
        const bytesMax = text.length * 3 + BLOCK_BYTES + PADDING_BYTES;
        if (bytesMax <= scratch.length)
            this.#hash(text, scratch, scratchView);
        else {
            const once = Buffer.alloc(bytesMax);
            this.#hash(text, once, viewOf(once));
        }
    }
    #hash(text, bytes, view) {
        const length = bytes.utf8Write(text, 0);
        const end = (length + PADDING_BYTES + BLOCK_BYTES - 1) & -BLOCK_BYTES;
        bytes[length] = 0x80;
        for (let at = length + 1; at < end - 4; at++)
            bytes[at] = 0;
        view.setInt32(end - 4, (BLOCK_BYTES + length) * 8);
        state.set(this.#inner);
        for (let at = 0; at < end; at += BLOCK_BYTES)
            compress(view, at);
        for (let word = 0; word < 8; word++)
            view.setInt32(word * 4, state[word]);
        view.setInt32(DIGEST_BYTES, 0x8000_0000);
        for (let at = DIGEST_BYTES + 4; at < BLOCK_BYTES - 4; at += 4)
            view.setInt32(at, 0);
        view.setInt32(BLOCK_BYTES - 4, (BLOCK_BYTES + DIGEST_BYTES) * 8);
        state.set(this.#outer);
        compress(view, 0);
    }
}
function viewOf(bytes) {
    return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
function midstate(key, mask) {
    const block = Buffer.alloc(BLOCK_BYTES, mask);
    for (let at = 0; at < key.length; at++)
        block[at] = key[at] ^ mask;
    state.set(INITIAL);
    compress(viewOf(block), 0);
    return state.slice();
}
/** Four rounds a turn: the names rotate by hand, which saves moving eight variables each round. */
function compress(view, offset) {
    const w = schedule;
    for (let i = 0; i < 16; i++)
        w[i] = view.getInt32(offset + i * 4);
    for (let i = 16; i < 64; i++) {
        const x = w[i - 15];
        const y = w[i - 2];
        const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
        const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
        w[i] = (((w[i - 16] + s0) | 0) + ((w[i - 7] + s1) | 0)) | 0;
    }
    let a = state[0];
    let b = state[1];
    let c = state[2];
    let d = state[3];
    let e = state[4];
    let f = state[5];
    let g = state[6];
    let h = state[7];
    for (let i = 0; i < 64; i += 4) {
        h = (h + sum1(e) + (g ^ (e & (f ^ g))) + ((ROUND[i] + w[i]) | 0)) | 0;
        d = (d + h) | 0;
        h = (h + sum0(a) + ((a & b) ^ (c & (a ^ b)))) | 0;
        g = (g + sum1(d) + (f ^ (d & (e ^ f))) + ((ROUND[i + 1] + w[i + 1]) | 0)) | 0;
        c = (c + g) | 0;
        g = (g + sum0(h) + ((h & a) ^ (b & (h ^ a)))) | 0;
        f = (f + sum1(c) + (e ^ (c & (d ^ e))) + ((ROUND[i + 2] + w[i + 2]) | 0)) | 0;
        b = (b + f) | 0;
        f = (f + sum0(g) + ((g & h) ^ (a & (g ^ h)))) | 0;
        const last = (e + sum1(b) + (d ^ (b & (c ^ d))) + ((ROUND[i + 3] + w[i + 3]) | 0)) | 0;
        e = (a + last) | 0;
        a = (last + sum0(f) + ((f & g) ^ (h & (f ^ g)))) | 0;
        // Now a..d hold what e..h computed, and the other way round.
        const oldB = b;
        const oldC = c;
        const oldD = d;
        b = f;
        c = g;
        d = h;
        f = oldB;
        g = oldC;
        h = oldD;
    }
    state[0] = (state[0] + a) | 0;
    state[1] = (state[1] + b) | 0;
    state[2] = (state[2] + c) | 0;
    state[3] = (state[3] + d) | 0;
    state[4] = (state[4] + e) | 0;
    state[5] = (state[5] + f) | 0;
    state[6] = (state[6] + g) | 0;
    state[7] = (state[7] + h) | 0;
}
function sum0(x) {
    return ((x >>> 2) | (x << 30)) ^ ((x >>> 13) | (x << 19)) ^ ((x >>> 22) | (x << 10));
}
function sum1(x) {
    return ((x >>> 6) | (x << 26)) ^ ((x >>> 11) | (x << 21)) ^ ((x >>> 25) | (x << 7));
}
const NOT_A_DIGIT = 0xff;
const DIGIT_OF_CODE = new Uint8Array(128).fill(NOT_A_DIGIT);
for (const [digit, letter] of [
    ..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
].entries()) {
    DIGIT_OF_CODE[letter.charCodeAt(0)] = digit;
}
const SIGNATURE_CHARS = 44;
/**
 * Compares digit by digit instead of decoding what was given: a text that decodes to the right bytes but is not
 * the canonical one never matches. Tables are looked up by what the client sent, never by the secret digest.
 */
function isBase64OfState(given, start) {
    if (given.length - start !== SIGNATURE_CHARS)
        return false;
    let difference = given.charCodeAt(start + SIGNATURE_CHARS - 1) ^ 0x3d;
    for (let digit = 0; digit < SIGNATURE_CHARS - 1; digit++) {
        const code = given.charCodeAt(start + digit);
        const got = code < 128 ? DIGIT_OF_CODE[code] : NOT_A_DIGIT;
        const bit = digit * 6;
        const word = state[bit >>> 5];
        const within = bit & 31;
        // A digit may lie across two words; past the last word come zeros, which is what canonical padding asks for.
        const wanted = within <= 26
            ? (word >>> (26 - within)) & 63
            : ((word << (within - 26)) | ((state[(bit >>> 5) + 1] ?? 0) >>> (58 - within))) & 63;
        difference |= got ^ wanted;
    }
    return difference === 0;
}
