export declare function md4(data: Buffer): Buffer;
