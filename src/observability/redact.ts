import { LIMITS } from "../base/limits.ts";

/**
 * What may be written down of a request. A shared access signature works for whoever reads it, so it must not
 * reach a log, wherever it hides: in the query, in a header that carries another address, encoded once more
 * inside a parameter, or in a path because some client encoded the `?` as well.
 *
 * The rule is: mask too much rather than too little. What is decoded here is only looked at, never printed.
 */
const MASK = "***";

/** `sig` and account keys open doors; the object ids of a delegation key name a person. */
const SECRET_NAMES = [
  "sig",
  "skoid",
  "saoid",
  "suoid",
  "accountkey",
  "sharedaccesssignature",
  "access_token",
];
const NAMES = SECRET_NAMES.join("|");

const MAY_HOLD_SECRET = new RegExp(`%|${NAMES}|sharedkey|bearer`, "i");
const HOLDS_SECRET = new RegExp(`(?<![a-z0-9_])(?:${NAMES})\\s*=|sharedkey(?:lite)?\\s|bearer\\s`, "i");
/** The same inside running text, where the end of the value must be guessed. */
const SECRET_IN_TEXT = new RegExp(
  `(?:(?<![a-z0-9_])|(?<=%[0-9a-f]{2}))((?:${NAMES})\\s*(?:=|%(?:25)*3d))[^&\\s"'<>;\\\\]+|` +
    `(sharedkey(?:lite)?\\s+[^:\\s"]{1,64}:)[a-z0-9+/=%]+|(bearer\\s+)[a-z0-9._~+/=-]+`,
  "gi",
);

export function safeUrl(url: string): string {
  if (!MAY_HOLD_SECRET.test(url)) return url;
  const mark = url.indexOf("?");
  if (mark < 0) return safePath(url);
  const pieces = url.slice(mark + 1).split("&");
  return `${safePath(url.slice(0, mark))}?${pieces.map(safeParameter).join("&")}`;
}

/** A signature in a path may contain slashes of its own, so everything from its segment on is masked. */
function safePath(path: string): string {
  if (!holdsSecret(path)) return path;
  const segments = path.split("/");
  const first = segments.findIndex((_, index) => holdsSecret(segments.slice(0, index + 1).join("/")));
  return [...segments.slice(0, first), MASK].join("/");
}

function safeParameter(piece: string): string {
  if (!holdsSecret(piece)) return piece;
  const equals = piece.indexOf("=");
  const name = equals < 0 ? "" : piece.slice(0, equals);
  // The name is shown only when it is a plain word: otherwise the value may stand in front of the equals
  // sign.
  return /^[A-Za-z0-9_-]{1,32}$/.test(name) ? `${name}=${MASK}` : MASK;
}

/**
 * Whether a secret shows at any depth of encoding. Text encoded deeper than anyone would is taken for one.
 */
function holdsSecret(text: string): boolean {
  let seen = text;
  for (let depth = 0; depth <= LIMITS.redactionDepthMax; depth++) {
    if (HOLDS_SECRET.test(seen)) return true;
    const next = seen.replace(/%([0-9a-f]{2})/gi, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
    if (next === seen) return false;
    seen = next;
  }
  return true;
}

const ADDRESS_HEADERS = new Set([
  "x-ms-copy-source",
  "x-ms-rename-source",
  "x-ms-file-rename-source",
  "referer",
  "location",
]);
const SECRET_HEADER = /authorization$|^cookie$|^set-cookie$|-key$|-token$/;

/** Headers as they may be logged. */
export function safeHeaders(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
): Record<string, string> {
  const safe: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined) continue;
    safe[name] = safeHeader(name.toLowerCase(), typeof value === "string" ? value : value.join(", "));
  }
  return safe;
}

function safeHeader(name: string, value: string): string {
  if (name === "authorization") {
    // Which account signed, and how, is what one looks for in a log when a client is refused.
    const signer = /^(SharedKey(?:Lite)? [A-Za-z0-9._-]{1,64}):[A-Za-z0-9+/=]*$/.exec(value);
    return signer === null ? MASK : `${signer[1]}:${MASK}`;
  }
  if (SECRET_HEADER.test(name)) return MASK;
  if (ADDRESS_HEADERS.has(name)) return safeUrl(value);
  return holdsSecret(value) ? MASK : value;
}

/** Running text (a message, a stack, a whole line) with every signature, key and token in it masked. */
export function safeText(text: string): string {
  return text.replace(
    SECRET_IN_TEXT,
    (_, parameter?: string, signer?: string, bearer?: string) => `${parameter ?? signer ?? bearer}${MASK}`,
  );
}
