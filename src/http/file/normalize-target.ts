import type { Headers, Query, Target } from "../exchange.ts";

/**
 * With a path-style endpoint, the JavaScript SDK omits the account from the address that it renames to, and
 * from those of the client that it returns: it requests `/share/new` instead of `/account/share/new`. The
 * header with the address it renames from has the account, and so has the Authorization header of a shared
 * key. The signature covers the path as the client sent it, which is the path of a host-style address.
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

/**
 * The account of the source of a rename, if the address of the target begins with the share of the source.
 */
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
