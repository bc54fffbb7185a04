import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { type Clock, systemClock, type Timer, type Timers } from "../base/clock.ts";
import { LIMITS } from "../base/limits.ts";

/**
 * The connections of one listener, and what they may do to each other. Nobody has to prove anything to open one, so
 * when there are too many, those that have never asked for anything give way, the oldest first. A client that sends
 * a body so slowly that it can only mean to stay is ended, too; one that we keep waiting is not.
 */
export class ConnectionWatch {
  readonly #sockets = new Set<Socket>();
  readonly #silent = new Set<Socket>();
  readonly #progress = new WeakMap<Socket, { bytes: number; at: number }>();
  readonly #clock: Clock;
  readonly #sweep: Timer;
  readonly #connectionsMax: number;

  constructor(timers: Timers, options: { readonly clock?: Clock; readonly connectionsMax?: number } = {}) {
    this.#clock = options.clock ?? systemClock;
    this.#connectionsMax = options.connectionsMax ?? LIMITS.connectionsMax;
    this.#sweep = timers.every(LIMITS.slowBodySweepMillis, () => this.endSlow());
  }

  get sockets(): ReadonlySet<Socket> {
    return this.#sockets;
  }

  opened(socket: Socket): void {
    if (this.#sockets.size >= this.#connectionsMax) {
      const [oldest] = this.#silent;
      (oldest ?? socket).destroy();
      if (oldest === undefined) return;
    }
    this.#sockets.add(socket);
    this.#silent.add(socket);
    socket.on("close", () => {
      this.#sockets.delete(socket);
      this.#silent.delete(socket);
    });
  }

  /** A request has come: its head is whole. */
  asked({ socket }: IncomingMessage): void {
    this.#silent.delete(socket);
  }

  endSlow(): void {
    const now = this.#clock.now();
    for (const socket of this.#sockets) {
      const progress = this.#progress.get(socket);
      if (!isAwaited(socket)) {
        if (progress !== undefined) this.#progress.delete(socket);
      } else if (progress === undefined || socket.bytesRead - progress.bytes >= LIMITS.slowBodyBytesMin) {
        this.#progress.set(socket, { bytes: socket.bytesRead, at: now });
      } else if (now - progress.at >= LIMITS.slowBodyMillis) socket.destroy();
    }
  }

  close(): void {
    this.#sweep.cancel();
  }
}

/** Whether we wait for more of a body: what came of it has been read, and there must be more. */
function isAwaited(socket: Socket): boolean {
  // Node keeps the reply under way in this field; there is no other way from a connection to its request.
  const reply = (socket as Socket & { _httpMessage?: { readonly req?: IncomingMessage } | null })
    ._httpMessage;
  const message = reply?.req;
  return message !== undefined && !message.complete && message.readableLength === 0;
}
