/** Throws `UnusableDirectory` when the file is there and cannot be what LMDB wrote. */
export declare function checkDatabaseFile(path: string): void;
