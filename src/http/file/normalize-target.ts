import type { Headers, Query, Target } from "../exchange.ts";

/**
 * The JavaScript SDK, given a path-style endpoint, leaves the account out of the address it renames to, and out of
 * those of the client it returns: it asks for `/share/new` where it should ask for `/account/share/new`. The address
 * it renames from has the account, in a header; and a client that signs with a key names the account beside the signature.
 * The signature covers the path as the client sent it, which is the path of a host-style address.
 */
export function normalizeTarget(target: Target, query: Query, headers: Headers): Target {
  if (!target.isPathStyle || target.isSecondary) return target;
  const account = sourceAccount(target, query, headers) ?? signingAccount(headers.authorization);
  if (account === undefined || account === target.account) return target;
  return {
    ...target,
    account,
    path: target.path === "" ? target.account : `${target.account}/${target.path}`,
  };
}

/** Of a rename: the first name of the address is the share of the source, and not its account. */
function sourceAccount(target: Target, query: Query, headers: Headers): string | undefined {
  const source = headers["x-ms-file-rename-source"];
  if (source === undefined || query.get("comp")?.toLowerCase() !== "rename") return undefined;
  if (!URL.canParse(source)) return undefined;
  const [, account, share] = new URL(source).pathname.split("/");
  return share === target.account ? account : undefined;
}

const SCHEMES = ["SharedKey ", "SharedKeyLite "];

function signingAccount(authorization: string | undefined): string | undefined {
  if (authorization === undefined) return undefined;
  const scheme = SCHEMES.find((name) => authorization.startsWith(name));
  const colon = authorization.indexOf(":");
  return scheme === undefined || colon < 0 ? undefined : authorization.slice(scheme.length, colon);
}
