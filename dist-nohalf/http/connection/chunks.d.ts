/** Takes the chunks of a body apart, however the bytes come in. */
export declare class ChunkReader {
    #private;
    /** Gives the content in `data` to `take` and returns where the body ends, or -1 when more must come. */
    read(data: Buffer, take: (piece: Buffer) => void): number;
}
