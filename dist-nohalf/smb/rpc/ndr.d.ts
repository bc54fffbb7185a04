/** As much of NDR (the wire form of DCE/RPC arguments) as srvsvc needs. */
export declare class NdrReader {
    #private;
    /** Something did not fit; every value read since is empty. */
    isBad: boolean;
    constructor(data: Buffer);
    u32(): number;
    /** A conformant, varying string with its terminator. */
    string(): string;
    optionalString(): string | undefined;
}
export declare class NdrWriter {
    #private;
    u32(value: number): this;
    /** A pointer that is not null: its value only has to differ from zero and from the others. */
    reference(): this;
    string(text: string): this;
    bytes(): Buffer;
}
