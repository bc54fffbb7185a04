import { SQL_LIMITS, SqlError } from "./sql.js";
const TOKEN = /\s*(?:'((?:[^']|'')*)'|"((?:[^"]|"")*)"|(\d+(?:\.\d+)?(?:[eE][+-]?\d{1,3})?|\.\d+)|([A-Za-z_@$][A-Za-z0-9_@$]*)|(<>|!=|<=|>=|\|\||[=<>+\-*/%(),.;[\]]))/y;
export function sqlTokens(text) {
    if (Buffer.byteLength(text) > SQL_LIMITS.expressionBytesMax)
        throw new SqlError("the expression is too long");
    const tokens = [];
    const end = text.trimEnd().length;
    TOKEN.lastIndex = 0;
    while (TOKEN.lastIndex < end) {
        const at = TOKEN.lastIndex;
        const parts = TOKEN.exec(text);
        if (parts === null)
            throw new SqlError(`unexpected text at position ${at}`);
        tokens.push(tokenOf(parts));
        if (tokens.length > SQL_LIMITS.tokensMax)
            throw new SqlError("the expression is too long");
    }
    return tokens;
}
function tokenOf([, text, quoted, number, word, sign]) {
    if (text !== undefined)
        return { kind: "text", text: text.replaceAll("''", "'") };
    if (quoted !== undefined)
        return { kind: "word", text: quoted.replaceAll('""', '"'), isQuoted: true };
    if (number !== undefined)
        return { kind: "number", value: Number(number) };
    if (word !== undefined)
        return { kind: "word", text: word, isQuoted: false };
    return { kind: "sign", text: sign === "!=" ? "<>" : sign };
}
/** Reads tokens one by one. Words are compared without regard to case. */
export class TokenReader {
    #tokens;
    #at = 0;
    constructor(tokens) {
        this.#tokens = tokens;
    }
    get isAtEnd() {
        return this.#at >= this.#tokens.length;
    }
    peek(ahead = 0) {
        return this.#tokens[this.#at + ahead];
    }
    take() {
        const token = this.#tokens[this.#at++];
        if (token === undefined)
            throw new SqlError("the expression ends too early");
        return token;
    }
    isWord(word, ahead = 0) {
        const token = this.peek(ahead);
        return token?.kind === "word" && !token.isQuoted && token.text.toLowerCase() === word;
    }
    isSign(sign, ahead = 0) {
        const token = this.peek(ahead);
        return token?.kind === "sign" && token.text === sign;
    }
    word(word) {
        const isHere = this.isWord(word);
        if (isHere)
            this.#at++;
        return isHere;
    }
    sign(sign) {
        const isHere = this.isSign(sign);
        if (isHere)
            this.#at++;
        return isHere;
    }
    expectWord(word) {
        if (!this.word(word))
            throw new SqlError(`${word.toUpperCase()} is expected`);
    }
    expectSign(sign) {
        if (!this.sign(sign))
            throw new SqlError(`'${sign}' is expected`);
    }
}
