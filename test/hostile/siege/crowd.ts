import { connect, type Socket } from "node:net";
import { connect as connectSecurely } from "node:tls";
import { pause } from "../../../src/base/clock.ts";

/** What hostile clients need: where the server is, how to reach it, and when to stop. */
export interface Siege {
  readonly ports: Readonly<Record<(typeof SERVICES)[number], number>>;
  /** Where the program has a listener for SMB. */
  readonly smbPort: number | undefined;
  /** The program speaks HTTPS. SMB has no TLS. */
  readonly isSecure: boolean;
  readonly isOver: () => boolean;
  /** How many connections the large attacks open. */
  readonly connections: number;
}

const SERVICES = ["blob", "queue", "table", "file"] as const;

/** Connections opened together, every 20 ms. */
const BURST = 40;
/**
 * A TLS handshake takes a server about 1 ms of its processor: 200 a second are slow clients, 2,000 a flood of
 * handshakes.
 */
const SECURE_BURST = 4;

/**
 * A connection as the server's clients make it: with a handshake where it speaks TLS, which what is written
 * waits for.
 */
export function dial({ isSecure, smbPort }: Siege, port: number): Socket {
  if (!isSecure || port === smbPort) return connect(port, "127.0.0.1");
  return connectSecurely({ port, host: "127.0.0.1", rejectUnauthorized: false });
}

/** A connection that never says anything of TLS unless it is written to it. */
export function dialPlainly(port: number): Socket {
  return connect(port, "127.0.0.1");
}

/** Connections that stay open until the attack is over. One that the server has closed is opened again. */
export class Crowd {
  readonly #siege: Siege;
  readonly #sockets = new Set<Socket>();

  constructor(siege: Siege) {
    this.#siege = siege;
  }

  open(port: number, first?: Buffer | string): Socket {
    return this.add(dial(this.#siege, port), first);
  }

  add(socket: Socket, first?: Buffer | string): Socket {
    this.#sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => this.#sockets.delete(socket));
    if (first !== undefined) socket.write(first);
    return socket;
  }

  get size(): number {
    return this.#sockets.size;
  }

  each(act: (socket: Socket) => void): void {
    for (const socket of this.#sockets) act(socket);
  }

  destroy(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}

/** Opens up to so many, a few at a time, and then does something with each of them every second. */
export async function hold(
  siege: Siege,
  open: (crowd: Crowd, index: number) => void,
  tick?: (socket: Socket) => void,
  burst = BURST,
) {
  const crowd = new Crowd(siege);
  const together = siege.isSecure ? Math.min(burst, SECURE_BURST) : burst;
  try {
    let index = 0;
    while (!siege.isOver()) {
      for (let left = together; left > 0 && crowd.size < siege.connections; left--) open(crowd, index++);
      if (crowd.size < siege.connections) {
        await pause(20);
        continue;
      }
      if (tick !== undefined) crowd.each(tick);
      await pause(1_000);
    }
  } finally {
    crowd.destroy();
  }
}

export const portAt = ({ ports }: Siege, index: number): number => ports[SERVICES[index % SERVICES.length]!];

interface Shot {
  readonly port: number;
  readonly bytes: Buffer | string;
}

/** One request on a connection of its own; the reply is thrown away. */
export function shoot(siege: Siege, { port, bytes }: Shot, patience = 5_000): Promise<void> {
  return new Promise((resolve) => {
    const socket = dial(siege, port);
    socket.setTimeout(patience, () => socket.destroy());
    socket.on("data", (chunk) => {
      if (chunk.includes("\r\n\r\n")) socket.destroy();
    });
    socket.on("error", () => {});
    socket.on("close", () => resolve());
    socket.write(bytes);
  });
}

/** One after the other, with a pause so that the attacker's own work is not what the honest wait for. */
export async function volley(siege: Siege, shots: readonly Shot[], gap: number) {
  for (let turn = 0; !siege.isOver(); turn++) {
    await shoot(siege, shots[turn % shots.length]!);
    await pause(gap);
  }
}
