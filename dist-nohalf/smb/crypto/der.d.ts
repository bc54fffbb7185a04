/** As much of DER as SPNEGO needs: definite lengths, one element after another, nothing outside its parent. */
export interface Element {
    readonly tag: number;
    readonly value: Buffer;
    /** Tag, length and value. */
    readonly whole: Buffer;
}
export declare function readElement(from: Buffer, at?: number): Element;
/** The only element, of the tag it must have. */
export declare function readOnly(from: Buffer, tag: number): Buffer;
export declare function readElements(from: Buffer): Element[];
export declare function writeElement(tag: number, ...parts: readonly Buffer[]): Buffer;
