import type { Finding, Tree } from "./tree.ts";

const COLUMNS_MAX = 110;
const COMMENT = /^\s*(?:\/\/|\/\*|\*)/;
const FENCE = /^\s*(?:```|~~~)/;

/** Comments fit in 110 columns. Biome wraps the code itself, and leaves comments alone. */
export function checkCommentLines({ sources }: Tree): Finding[] {
  return sources.flatMap(({ path, text }) =>
    text.split("\n").flatMap((line, index) => (COMMENT.test(line) ? tooLong(path, index, line) : [])),
  );
}

/**
 * Documents fit in 110 columns, except tables and code, which cannot be wrapped, and lines that are one word.
 */
export function checkDocumentLines({ documents }: Tree): Finding[] {
  return documents.flatMap(({ path, text }) => {
    let isCode = false;
    return text.split("\n").flatMap((line, index) => {
      if (FENCE.test(line)) isCode = !isCode;
      const isWrappable = !isCode && !line.trimStart().startsWith("|") && /\S\s+\S/.test(withoutLead(line));
      return isWrappable ? tooLong(path, index, line) : [];
    });
  });
}

/** A list item or a quotation that holds one long link cannot be wrapped either. */
const withoutLead = (line: string): string => line.replace(/^\s*(?:[-*+>]|\d+\.)\s+/, "");

function tooLong(path: string, index: number, line: string): Finding[] {
  if (line.length <= COLUMNS_MAX) return [];
  return [{ path, line: index + 1, what: `${line.length} columns: wrap at ${COLUMNS_MAX}` }];
}
