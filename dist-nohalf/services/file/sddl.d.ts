export declare function isSddl(text: string): boolean;
