export type Token = {
    readonly kind: "word";
    readonly text: string;
    readonly isQuoted: boolean;
} | {
    readonly kind: "text";
    readonly text: string;
} | {
    readonly kind: "number";
    readonly value: number;
} | {
    readonly kind: "sign";
    readonly text: string;
};
export declare function sqlTokens(text: string): Token[];
/** Reads tokens one by one. Words are compared without regard to case. */
export declare class TokenReader {
    #private;
    constructor(tokens: readonly Token[]);
    get isAtEnd(): boolean;
    peek(ahead?: number): Token | undefined;
    take(): Token;
    isWord(word: string, ahead?: number): boolean;
    isSign(sign: string, ahead?: number): boolean;
    word(word: string): boolean;
    sign(sign: string): boolean;
    expectWord(word: string): void;
    expectSign(sign: string): void;
}
