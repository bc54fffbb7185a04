/**
 * TypeScript with its comments, and then its strings too, replaced by spaces, so that a rule can look for a
 * word of the language and not find it in a sentence about it. Lines and columns stay where they are.
 *
 * A scanner rather than a parser: it knows comments, quotes, templates with what is inside `${}`, and tells a
 * regular expression from a division by what stands before it. That is enough for code that Biome has
 * formatted.
 */
export function blank(text: string): { code: string; bare: string } {
  const code = [...text];
  const bare = [...text];
  const hide = (target: string[], from: number, to: number): void => {
    for (let i = from; i < to; i++) if (target[i] !== "\n") target[i] = " ";
  };
  // One entry for each template we are inside of: how many braces are open in its present `${`.
  const templates: number[] = [];
  let at = 0;

  const skipTemplate = (): void => {
    const start = at;
    while (at < text.length && text[at] !== "`" && !text.startsWith("${", at))
      at += text[at] === "\\" ? 2 : 1;
    hide(bare, start, at);
    if (text[at] === "`") {
      at++;
      templates.pop();
    } else {
      at += 2;
      templates[templates.length - 1] = 0;
    }
  };

  while (at < text.length) {
    const char = text[at]!;
    const pair = text.slice(at, at + 2);
    if (pair === "//" || pair === "/*") {
      const close = pair === "//" ? text.indexOf("\n", at) : text.indexOf("*/", at + 2) + 2;
      const end = close < 2 ? text.length : close;
      hide(code, at, end);
      hide(bare, at, end);
      at = end;
    } else if (char === '"' || char === "'") {
      const start = ++at;
      while (at < text.length && text[at] !== char && text[at] !== "\n") at += text[at] === "\\" ? 2 : 1;
      hide(bare, start, at);
      at++;
    } else if (char === "`") {
      at++;
      templates.push(0);
      skipTemplate();
    } else if (char === "/" && startsRegex(bare, at)) {
      const start = ++at;
      let isInClass = false;
      while (at < text.length && (isInClass || text[at] !== "/") && text[at] !== "\n") {
        if (text[at] === "[") isInClass = true;
        if (text[at] === "]") isInClass = false;
        at += text[at] === "\\" ? 2 : 1;
      }
      hide(bare, start, at);
      at++;
    } else if (templates.length > 0 && (char === "{" || char === "}")) {
      const open = templates[templates.length - 1]!;
      at++;
      if (char === "}" && open === 0) skipTemplate();
      else templates[templates.length - 1] = open + (char === "{" ? 1 : -1);
    } else {
      at++;
    }
  }
  return { code: code.join(""), bare: bare.join("") };
}

function startsRegex(bare: readonly string[], at: number): boolean {
  let before = at - 1;
  while (before >= 0 && /\s/.test(bare[before]!)) before--;
  if (before < 0 || "(,=:[!&|?{};+-*%<>~^".includes(bare[before]!)) return true;
  const word = bare.slice(Math.max(0, before - 9), before + 1).join("");
  return /\b(return|typeof|case|in|of|yield|await)$/.test(word);
}
