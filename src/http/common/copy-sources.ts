import { type IpAddress, type IpNetwork, isIn, isPublic, parseNetwork } from "./ip-networks.ts";

/**
 * Where this server fetches the sources of copies from, beside its own services: `--copySources`. A copy
 * makes the server send a request on behalf of a client, so a client could otherwise reach through it what
 * only the server reaches.
 */
export interface CopySources {
  readonly allowsAny: boolean;
  readonly allowsPublic: boolean;
  readonly networks: readonly IpNetwork[];
}

export const ANY_SOURCE: CopySources = { allowsAny: true, allowsPublic: true, networks: [] };
export const PUBLIC_SOURCES: CopySources = { allowsAny: false, allowsPublic: true, networks: [] };

/**
 * A list of `own`, `public`, `any` and networks, which adds up; the text that is none of them when there is
 * one.
 */
export function parseCopySources(text: string): CopySources | { readonly unknown: string } {
  const networks: IpNetwork[] = [];
  const words = new Set<string>();
  for (const part of text.split(",").map((one) => one.trim())) {
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
