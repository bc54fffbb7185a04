import { LIMITS } from "../base/limits.ts";

/**
 * Removes secrets from what the logs show of a request. Every reader of a log could use a shared access
 * signature, so it must not get there: from the query, from a header with another URL, encoded again inside a
 * parameter, or from a path because a client encoded the `?` too.
 *
 * In doubt the functions mask too much. Decoded text is only searched, never printed.
 */
const MASK = "***";

/** `sig` and account keys give access; the object IDs of a delegation key identify a person. */
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
/** In running text, where the end of the value must be guessed. */
const SECRET_IN_TEXT = new RegExp(
  `(?:(?<![a-z0-9_])|(?<=%[0-9a-f]{2}))((?:${NAMES})\\s*(?:=|%(?:25)*3d))[^&\\s"'<>;\\\\]+|` +
    `(sharedkey(?:lite)?\\s+[^:\\s"]{1,64}:)[a-z0-9+/=%]+|(bearer\\s+)[a-z0-9._~+/=-]+`,
  "gi",
);

export function safeUrl(url: string): string {
  if (!MAY_HOLD_SECRET.test(url)) return url;
  const mark = url.indexOf("?");
  if (mark < 0) return safePath(url);
  const parameters = url.slice(mark + 1).split("&");
  return `${safePath(url.slice(0, mark))}?${parameters.map(safeParameter).join("&")}`;
}

/** A signature may contain slashes, so the whole path from its segment on is masked. */
function safePath(path: string): string {
  if (!holdsSecret(path)) return path;
  const segments = path.split("/");
  const first = segments.findIndex((_, index) => holdsSecret(segments.slice(0, index + 1).join("/")));
  return [...segments.slice(0, first), MASK].join("/");
}

function safeParameter(parameter: string): string {
  if (!holdsSecret(parameter)) return parameter;
  const equals = parameter.indexOf("=");
  const name = equals < 0 ? "" : parameter.slice(0, equals);
  // Only a plain word is shown as the name: otherwise the secret may stand before the equals sign.
  return /^[A-Za-z0-9_-]{1,32}$/.test(name) ? `${name}=${MASK}` : MASK;
}

/** Whether the text holds a secret at any depth of encoding. Text that is encoded deeper counts as one. */
function holdsSecret(text: string): boolean {
  let decoded = text;
  for (let depth = 0; depth <= LIMITS.redactionDepthMax; depth++) {
    if (HOLDS_SECRET.test(decoded)) return true;
    const next = decoded.replace(/%([0-9a-f]{2})/gi, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
    if (next === decoded) return false;
    decoded = next;
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
    // Shows which account signed: an operator needs it when a client is refused.
    const signer = /^(SharedKey(?:Lite)? [A-Za-z0-9._-]{1,64}):[A-Za-z0-9+/=]*$/.exec(value);
    return signer === null ? MASK : `${signer[1]}:${MASK}`;
  }
  if (SECRET_HEADER.test(name)) return MASK;
  if (ADDRESS_HEADERS.has(name)) return safeUrl(value);
  return holdsSecret(value) ? MASK : value;
}

/** Masks every signature, key and token in running text: a message, a stack, a whole line. */
export function safeText(text: string): string {
  return text.replace(
    SECRET_IN_TEXT,
    (_, parameter?: string, signer?: string, bearer?: string) => `${parameter ?? signer ?? bearer}${MASK}`,
  );
}
