/**
 * Holdfast inside another program, mostly a test:
 *
 *   const holdfast = await startHoldfast();
 *   const blobs = BlobServiceClient.fromConnectionString(holdfast.connectionString);
 *   ...
 *   await holdfast.close();
 */
export interface StartOptions {
    /** Where to keep data; in memory when left out. */
    readonly directory?: string;
    /** More flags of the command line, as one would type them: ["--loose"]. Ports are free ones unless named. */
    readonly flags?: readonly string[];
    /** `name:key1[:key2];...`, as HOLDFAST_ACCOUNTS takes it. */
    readonly accounts?: string;
}
export interface Holdfast {
    readonly account: string;
    readonly connectionString: string;
    readonly endpoints: {
        readonly blob: string;
        readonly queue: string;
        readonly table: string;
        readonly file: string;
        readonly admin: string;
    };
    close(): Promise<void>;
}
export declare function startHoldfast({ directory, flags, accounts, }?: StartOptions): Promise<Holdfast>;
