/**
 * Texts in the order of their code points, which is the order of their UTF-8 bytes and so the order of keys in the
 * store. Plain `<` compares UTF-16 units and puts U+1F600 before U+FF01.
 */
export declare function compareText(a: string, b: string): number;
