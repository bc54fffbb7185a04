import { networkInterfaces } from "node:os";
import { type IpAddress, isLoopbackAddress, isUnspecified, parseIp } from "./ip-networks.ts";

/** Where this server listens, by IP address and port, since a client can send any Host header. */
export type OwnListener = "blob" | "queue" | "table" | "file" | "smb" | "admin";
export type ListenerPlaces = Readonly<
  Partial<Record<OwnListener, { readonly host: string; readonly port: number }>>
>;

export class OwnListeners {
  readonly #places = new Map<OwnListener, { readonly host: string; readonly port: number }>();

  /** With several workers the supervisor knows the ports and passes them on. */
  add(places: ListenerPlaces): void {
    for (const [name, place] of Object.entries(places)) this.#places.set(name as OwnListener, place);
  }

  /** Which of our listeners answers at this address and port. */
  find(address: IpAddress, port: number): OwnListener | undefined {
    for (const [name, place] of this.#places) {
      if (place.port === port && answersAt(place.host, address)) return name;
    }
    return undefined;
  }
}

function answersAt(host: string, address: IpAddress): boolean {
  const bound = parseIp(host);
  // A listener bound to a name or to every address may answer at any address of this machine.
  if (bound === undefined || isUnspecified(bound)) return isOfThisMachine(address);
  if (isSame(bound, address)) return true;
  return isUnspecified(address) && isLoopbackAddress(bound);
}

function isOfThisMachine(address: IpAddress): boolean {
  if (isLoopbackAddress(address) || isUnspecified(address)) return true;
  for (const all of Object.values(networkInterfaces())) {
    for (const { address: text } of all ?? []) {
      const own = parseIp(text);
      if (own !== undefined && isSame(own, address)) return true;
    }
  }
  return false;
}

function isSame(a: IpAddress, b: IpAddress): boolean {
  return a.family === b.family && a.bits === b.bits;
}
