/** Extents that readers in flight may still read from: their files stay. */
export declare class Pins {
    #private;
    has(extent: bigint): boolean;
    get count(): number;
    /** Returns what gives them back, once. */
    pin(extents: Iterable<bigint>): () => void;
}
