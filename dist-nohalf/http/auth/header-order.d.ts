export declare function compareHeaderNames(one: string, two: string): number;
