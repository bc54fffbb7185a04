import { SQL_LIMITS, SqlError } from "./sql.ts";

export type Token =
  | { readonly kind: "word"; readonly text: string; readonly isQuoted: boolean }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "number"; readonly value: number }
  | { readonly kind: "sign"; readonly text: string };

const TOKEN =
  /\s*(?:'((?:[^']|'')*)'|"((?:[^"]|"")*)"|(\d+(?:\.\d+)?(?:[eE][+-]?\d{1,3})?|\.\d+)|([A-Za-z_@$][A-Za-z0-9_@$]*)|(<>|!=|<=|>=|\|\||[=<>+\-*/%(),.;[\]]))/y;

export function sqlTokens(text: string): Token[] {
  if (Buffer.byteLength(text) > SQL_LIMITS.expressionBytesMax)
    throw new SqlError("the expression is too long");
  const tokens: Token[] = [];
  const end = text.trimEnd().length;
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < end) {
    const at = TOKEN.lastIndex;
    const parts = TOKEN.exec(text);
    if (parts === null) throw new SqlError(`unexpected text at position ${at}`);
    tokens.push(tokenOf(parts));
    if (tokens.length > SQL_LIMITS.tokensMax) throw new SqlError("the expression is too long");
  }
  return tokens;
}

function tokenOf([, text, quoted, number, word, sign]: RegExpExecArray): Token {
  if (text !== undefined) return { kind: "text", text: text.replaceAll("''", "'") };
  if (quoted !== undefined) return { kind: "word", text: quoted.replaceAll('""', '"'), isQuoted: true };
  if (number !== undefined) return { kind: "number", value: Number(number) };
  if (word !== undefined) return { kind: "word", text: word, isQuoted: false };
  return { kind: "sign", text: sign === "!=" ? "<>" : sign! };
}

/** Reads tokens one by one. Words are compared without regard to case. */
export class TokenReader {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#tokens.length;
  }

  peek(offset = 0): Token | undefined {
    return this.#tokens[this.#at + offset];
  }

  take(): Token {
    const token = this.#tokens[this.#at++];
    if (token === undefined) throw new SqlError("the expression ends too early");
    return token;
  }

  isWord(word: string, offset = 0): boolean {
    const token = this.peek(offset);
    return token?.kind === "word" && !token.isQuoted && token.text.toLowerCase() === word;
  }

  isSign(sign: string, offset = 0): boolean {
    const token = this.peek(offset);
    return token?.kind === "sign" && token.text === sign;
  }

  word(word: string): boolean {
    const isHere = this.isWord(word);
    if (isHere) this.#at++;
    return isHere;
  }

  sign(sign: string): boolean {
    const isHere = this.isSign(sign);
    if (isHere) this.#at++;
    return isHere;
  }

  expectWord(word: string): void {
    if (!this.word(word)) throw new SqlError(`${word.toUpperCase()} is expected`);
  }

  expectSign(sign: string): void {
    if (!this.sign(sign)) throw new SqlError(`'${sign}' is expected`);
  }
}
