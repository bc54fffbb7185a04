export declare class HmacKey {
    #private;
    constructor(key: Uint8Array);
    /** The signature over the UTF-8 bytes of the text. */
    sign(text: string): Buffer;
    /**
     * Whether `given`, from `start` to its end, is the signature over the text in canonical base64: 44 characters
     * of the standard alphabet, padded, no stray bits. Takes the same time wherever the first difference is.
     */
    matches(text: string, given: string, start?: number): boolean;
}
