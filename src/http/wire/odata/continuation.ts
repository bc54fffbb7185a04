import { Refusal } from "../../../base/refusals.ts";
import { TABLE_LIMITS } from "../../../services/table/limits.ts";

/**
 * Continuation tokens in headers and query parameters: `1!` + length + `!` + Base64, with the three
 * characters replaced that an address cannot have. Opaque to clients; an empty key is valid too.
 */
const TO_WIRE: Readonly<Record<string, string>> = { "+": "*", "/": "_", "=": "-" };
const FROM_WIRE: Readonly<Record<string, string>> = { "*": "+", _: "/", "-": "=" };

export function printToken(key: string): string {
  const base64 = Buffer.from(key, "utf8")
    .toString("base64")
    .replaceAll(/[+/=]/g, (sign) => TO_WIRE[sign]!);
  return `1!${base64.length}!${base64}`;
}

const TOKEN = /^1!(\d{1,5})!([A-Za-z0-9*_-]*)$/;

export function parseToken(text: string): string {
  const found = text.length > TABLE_LIMITS.tokenCharsMax ? null : TOKEN.exec(text);
  const base64 = found?.[2]?.replaceAll(/[*_-]/g, (sign) => FROM_WIRE[sign]!);
  if (base64 === undefined || Number(found![1]) !== base64.length) throw badToken();
  const bytes = Buffer.from(base64, "base64");
  const key = bytes.toString("utf8");
  if (bytes.toString("base64") !== base64 || !Buffer.from(key, "utf8").equals(bytes)) throw badToken();
  return key;
}

function badToken(): Refusal {
  return new Refusal("InvalidInput", { text: "The continuation token is not valid." });
}
