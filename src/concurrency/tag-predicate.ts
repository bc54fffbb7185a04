/**
 * Conditions over a blob's tags: `"status" = 'done' AND (priority > '3' OR owner <> 'us')`.
 *
 *   predicate = conjunction { OR conjunction }
 *   conjunction = comparison { AND comparison }
 *   comparison = ( predicate ) | name operator 'value'
 *
 * Names are bare when they are plain identifiers and in double quotes otherwise; a quote inside quotes is
 * doubled. Values compare as strings. A comparison with a tag the blob does not have is false, whatever the
 * operator.
 */
export type Tags = Readonly<Record<string, string>>;

export type TagOperator = "=" | "<>" | ">" | ">=" | "<" | "<=";

export type TagPredicate =
  | { readonly tag: string; readonly operator: TagOperator; readonly value: string }
  | { readonly all: readonly TagPredicate[] }
  | { readonly any: readonly TagPredicate[] };

/** The most logical operators in one predicate, and the deepest nesting of brackets. */
const LOGICAL_MAX = 10;
const DEPTH_MAX = 10;
const TEXT_MAX = 4_096;

export function holdsTags(predicate: TagPredicate, tags: Tags): boolean {
  if ("all" in predicate) return predicate.all.every((part) => holdsTags(part, tags));
  if ("any" in predicate) return predicate.any.some((part) => holdsTags(part, tags));
  const { tag, operator, value } = predicate;
  if (!Object.hasOwn(tags, tag)) return false;
  const actual = tags[tag]!;
  switch (operator) {
    case "=":
      return actual === value;
    case "<>":
      return actual !== value;
    case ">":
      return actual > value;
    case ">=":
      return actual >= value;
    case "<":
      return actual < value;
    case "<=":
      return actual <= value;
  }
}

/** Undefined when the text is not a predicate. */
export function parseTagPredicate(text: string): TagPredicate | undefined {
  const tokens = tagTokens(text);
  if (tokens === undefined || tokens.filter(isLogical).length > LOGICAL_MAX) return undefined;
  const reader = new PredicateReader(tokens);
  const predicate = reader.predicate(0);
  return predicate !== undefined && reader.isAtEnd ? predicate : undefined;
}

export type TagToken =
  | { readonly kind: "name"; readonly text: string }
  | { readonly kind: "value"; readonly text: string }
  | { readonly kind: "operator"; readonly text: TagOperator }
  | { readonly kind: "and" | "or" | "(" | ")" };

const isLogical = ({ kind }: TagToken): boolean => kind === "and" || kind === "or";

const TOKEN = /\s*(?:'((?:[^']|'')*)'|"((?:[^"]|"")*)"|(<>|>=|<=|=|>|<)|([()])|(@?[A-Za-z_][A-Za-z0-9_]*))/y;

/** Find Blobs by Tags has the same tokens and another grammar. */
export function tagTokens(text: string): TagToken[] | undefined {
  if (text.length > TEXT_MAX) return undefined;
  const tokens: TagToken[] = [];
  const end = text.trimEnd().length;
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < end) {
    const parts = TOKEN.exec(text);
    if (parts === null) return undefined;
    tokens.push(tokenOf(parts));
  }
  return tokens;
}

function tokenOf([, value, quoted, operator, bracket, word]: RegExpExecArray): TagToken {
  if (value !== undefined) return { kind: "value", text: value.replaceAll("''", "'") };
  if (quoted !== undefined) return { kind: "name", text: quoted.replaceAll('""', '"') };
  if (operator !== undefined) return { kind: "operator", text: operator as TagOperator };
  if (bracket !== undefined) return { kind: bracket as "(" | ")" };
  const lower = word!.toLowerCase();
  return lower === "and" || lower === "or" ? { kind: lower } : { kind: "name", text: word! };
}

class PredicateReader {
  readonly #tokens: readonly TagToken[];
  #at = 0;

  constructor(tokens: readonly TagToken[]) {
    this.#tokens = tokens;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#tokens.length;
  }

  #take<Kind extends TagToken["kind"]>(kind: Kind): Extract<TagToken, { kind: Kind }> | undefined {
    const token = this.#tokens[this.#at];
    if (token?.kind !== kind) return undefined;
    this.#at++;
    return token as Extract<TagToken, { kind: Kind }>;
  }

  predicate(depth: number): TagPredicate | undefined {
    if (depth > DEPTH_MAX) return undefined;
    return this.#row("or", () => this.#row("and", () => this.#comparison(depth)));
  }

  #row(separator: "and" | "or", part: () => TagPredicate | undefined): TagPredicate | undefined {
    const parts: TagPredicate[] = [];
    do {
      const next = part();
      if (next === undefined) return undefined;
      parts.push(next);
    } while (this.#take(separator) !== undefined);
    if (parts.length === 1) return parts[0];
    return separator === "and" ? { all: parts } : { any: parts };
  }

  #comparison(depth: number): TagPredicate | undefined {
    if (this.#take("(") !== undefined) {
      const inner = this.predicate(depth + 1);
      return this.#take(")") === undefined ? undefined : inner;
    }
    const tag = this.#take("name")?.text;
    const operator = this.#take("operator")?.text;
    const value = this.#take("value")?.text;
    if (tag === undefined || operator === undefined || value === undefined) return undefined;
    // Names such as @container belong to queries over many blobs.
    if (tag.startsWith("@")) return undefined;
    return { tag, operator, value };
  }
}
