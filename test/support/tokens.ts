import { NOW } from "./auth.ts";

/** Bearer tokens as Entra ID would print them, signed by nobody. A claim that is undefined is left out. */
export const GOOD_CLAIMS = {
  iss: "https://sts.windows.net/00000000-0000-0000-0000-000000000001/",
  aud: "https://storage.azure.com",
  nbf: NOW / 1_000 - 60,
  exp: NOW / 1_000 + 3_600,
  oid: "oid-1",
  tid: "tid-1",
};

export function tokenOf(
  claims: Readonly<Record<string, unknown>> = {},
  header: Readonly<Record<string, unknown>> = { alg: "RS256", typ: "JWT" },
): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  return `${part(header)}.${part({ ...GOOD_CLAIMS, ...claims })}.${part("signature")}`;
}
