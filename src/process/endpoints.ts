/** An address at which a client on this machine reaches a listener: it cannot connect to a wildcard. */
export function reachableAddress(scheme: string, host: string, port: number): string {
  const reachable = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
  return `${scheme}://${bracketed(reachable)}:${port}`;
}

/** A host in an address: IPv6 needs brackets. */
export const bracketed = (host: string): string => (host.includes(":") ? `[${host}]` : host);
