/** Where JSON is malformed, and what Azure says that it expects there. */
export interface JsonFault {
  readonly at: number;
  readonly expecting: string;
}

type State = "value" | "valueOrEnd" | "name" | "nameOrEnd" | "colon" | "after";

const EXPECTING: Readonly<Record<Exclude<State, "after">, string>> = {
  value: "a value.",
  valueOrEnd: "a value.",
  name: `token '"'. `,
  nameOrEnd: `token '"'. `,
  colon: "token ':'. ",
};
const SPACE = /\s*/y;
const WORD = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/** The first error of an object or array which JSON.parse has refused, whose message has no offset. */
export function jsonFault(text: string): JsonFault {
  const open: string[] = [];
  let state: State = "value";
  let at = 0;
  for (;;) {
    at = endOf(SPACE, text, at) ?? at;
    const character = text[at];
    if (state === "after") {
      const close = open.at(-1) === "{" ? "}" : "]";
      if (open.length > 0 && character === ",") state = close === "}" ? "name" : "value";
      else if (open.length > 0 && character === close) open.pop();
      else return { at, expecting: `tokens ',', or '${close}'.` };
      at++;
    } else if (state === "colon") {
      if (character !== ":") return { at, expecting: EXPECTING.colon };
      state = "value";
      at++;
    } else if (
      (state === "nameOrEnd" && character === "}") ||
      (state === "valueOrEnd" && character === "]")
    ) {
      open.pop();
      state = "after";
      at++;
    } else if ((character === "{" || character === "[") && !state.startsWith("name")) {
      open.push(character);
      state = character === "{" ? "nameOrEnd" : "valueOrEnd";
      at++;
    } else {
      const isText = character === '"';
      if (!isText && state.startsWith("name")) return { at, expecting: EXPECTING[state] };
      const end = isText ? textEnd(text, at) : endOf(WORD, text, at);
      if (end === undefined) return { at, expecting: EXPECTING[state] };
      state = state.startsWith("name") ? "colon" : "after";
      at = end;
    }
  }
}

function textEnd(text: string, start: number): number | undefined {
  let at = start + 1;
  while (at < text.length) {
    const character = text[at]!;
    if (character === '"') return at + 1;
    const next = character === "\\" ? endOf(ESCAPE, text, at) : at + 1;
    if (next === undefined || character < " ") return undefined;
    at = next;
  }
  return undefined;
}

function endOf(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}
