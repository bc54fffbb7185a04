import { type IpAddress, type IpNetwork, isIn, isPublic, parseNetwork } from "./ip-networks.ts";

/**
 * `--copySources`: the hosts that this server fetches the sources of copies from, beside its own services. A
 * copy makes the server send a request for a client, so without limits a client could read what only the
 * server can reach.
 */
export interface CopySources {
  readonly allowsAny: boolean;
  readonly allowsPublic: boolean;
  readonly networks: readonly IpNetwork[];
}

export const ANY_SOURCE: CopySources = { allowsAny: true, allowsPublic: true, networks: [] };
export const PUBLIC_SOURCES: CopySources = { allowsAny: false, allowsPublic: true, networks: [] };

/**
 * The union of a list of `own`, `public`, `any` and networks, or the first item that is none of them.
 */
export function parseCopySources(text: string): CopySources | { readonly unknown: string } {
  const networks: IpNetwork[] = [];
  const words = new Set<string>();
  for (const part of text.split(",").map((item) => item.trim())) {
    const network = parseNetwork(part);
    if (network !== undefined) networks.push(network);
    else if (part === "own" || part === "public" || part === "any") words.add(part);
    else return { unknown: part };
  }
  return { allowsAny: words.has("any"), allowsPublic: words.has("public"), networks };
}

export function isAllowedSource(sources: CopySources, address: IpAddress): boolean {
  if (sources.allowsAny || (sources.allowsPublic && isPublic(address))) return true;
  return sources.networks.some((network) => isIn(network, address));
}
