/**
 * Patterns of QUERY_DIRECTORY: `*` and `?`, and the three wildcards that Windows makes of those of DOS: `<`
 * is anything up to the last dot, `>` one character or nothing at the end or before a dot, `"` a dot or
 * nothing at the end. Case is ignored.
 *
 * The matcher keeps the set of pattern positions it could be at (as an automaton would), so its cost is at
 * most the length of the pattern times that of the name.
 */
export function matcherOf(pattern: string): (name: string) => boolean {
  if (pattern === "*") return () => true;
  const folded = pattern.toUpperCase();
  if (!/[*?<>"]/.test(folded)) return (name) => name.toUpperCase() === folded;
  return (name) => matches(folded, name.toUpperCase());
}

function matches(pattern: string, name: string): boolean {
  const lastDot = name.lastIndexOf(".");
  let states = new Uint8Array(pattern.length + 1);
  states[0] = 1;
  for (let at = 0; at < name.length; at++) {
    const next = new Uint8Array(pattern.length + 1);
    spread(pattern, states, name[at] === ".");
    for (let state = 0; state < pattern.length; state++) {
      if (states[state] === 1) step(pattern[state]!, { char: name[at]!, state, at, lastDot }, next);
    }
    states = next;
  }
  spread(pattern, states, true);
  return states[pattern.length] === 1 || isRestOptional(pattern, states);
}

interface Step {
  readonly char: string;
  readonly state: number;
  readonly at: number;
  readonly lastDot: number;
}

function step(token: string, { char, state, at, lastDot }: Step, next: Uint8Array): void {
  switch (token) {
    case "*":
      next[state] = 1;
      break;
    case "<":
      // Matches everything but the last dot: `dir *.`, which arrives as `<`, lists names without an
      // extension.
      next[at === lastDot ? state + 1 : state] = 1;
      break;
    case "?":
      next[state + 1] = 1;
      break;
    case ">":
      if (char !== ".") next[state + 1] = 1;
      break;
    case '"':
      if (char === ".") next[state + 1] = 1;
      break;
    default:
      if (token === char) next[state + 1] = 1;
  }
}

/** Moves without a character: past a star, and past `>` before a dot. */
function spread(pattern: string, states: Uint8Array, isAtDotOrEnd: boolean): void {
  for (let state = 0; state < pattern.length; state++) {
    if (states[state] !== 1) continue;
    const token = pattern[state];
    if (token === "*" || token === "<" || (token === ">" && isAtDotOrEnd)) states[state + 1] = 1;
  }
}

/** At the end of a name, `"` matches nothing as well. */
function isRestOptional(pattern: string, states: Uint8Array): boolean {
  for (let state = 0; state < pattern.length; state++) {
    if (states[state] === 1 && /^[*<>"]*$/.test(pattern.slice(state))) return true;
  }
  return false;
}
