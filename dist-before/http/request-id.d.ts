import type { Random } from "../base/random.ts";
/** Request ids in the form of a GUID: unlike between processes by 80 random bits, within one by counting. */
export declare class RequestIds {
    #private;
    constructor(random: Random);
    next(): string;
}
