/**
 * Lines gathered in memory and written in large pieces, off the request's path.
 *
 * pino's own buffered destination measures its whole buffer again with each line, and on a full disk it keeps
 * the process from ending; a log must do neither. Here a line costs a push, a piece that cannot be written is
 * given up and reported once, and lines are dropped when they come faster than the disk takes them.
 */
export interface LineWriter {
    write(line: string): void;
    /** Starts writing what has gathered. */
    flush(): void;
    /** Opens the file again by its name, after it was rotated away. */
    reopen(): void;
    /** Settles when everything is out. Later lines are dropped. */
    close(): Promise<void>;
}
export declare class BufferedLines implements LineWriter {
    #private;
    /** `target` is a path, or "-" for stdout. */
    constructor(target: string, onError: (error: Error) => void);
    write(line: string): void;
    flush(): void;
    reopen(): void;
    close(): Promise<void>;
    /** For the last moment of a process that stops without an orderly end. */
    flushSync(): void;
}
