import type { Socket } from "node:net";
import { LIMITS } from "../../base/limits.ts";
import { REFUSALS } from "../../base/refusals.ts";
import { element, printXml, textElement } from "../wire/xml-print.ts";

/** What a connection to an HTTPS port needs of its listener before it is one of HTTP. */
export interface HandshakeHost {
  readonly sweeps: number;
  /** The client speaks TLS: the first bytes of it are in the socket again. */
  startTls(socket: Socket): void;
  closed(handshake: Handshake): void;
}

type State = "silent" | "shaking" | "lingering";

/**
 * A connection to an HTTPS port from the moment it is accepted until its TLS handshake is done. It counts as
 * a connection from the start, and the whole handshake has to be done in time: node:tls measures only
 * silence, and leaves the socket of a handshake that failed open.
 *
 * A client that sends plain HTTP is told so in plain HTTP, because its library would show it nothing but a
 * closed connection otherwise.
 */
export class Handshake {
  readonly socket: Socket;
  readonly #host: HandshakeHost;
  #state: State = "silent";
  /** The sweep in which the state began. */
  #since: number;

  constructor(socket: Socket, host: HandshakeHost) {
    this.socket = socket;
    this.#host = host;
    this.#since = host.sweeps;
    // The close that follows an error tells it all.
    socket.on("error", ignore);
    socket.on("close", this.#closed);
    socket.on("end", this.#ended);
    socket.once("data", this.#receiveFirst);
  }

  /** The handshake is done: the socket belongs to the connection that follows. */
  finish(): void {
    this.socket.removeListener("close", this.#closed);
    this.socket.removeListener("end", this.#ended);
  }

  /** The listener counts it until it hears of it, not until the socket says so. */
  evict(): void {
    this.destroy();
    this.#host.closed(this);
  }

  destroy(): void {
    this.socket.destroy();
  }

  /** Nothing was asked for yet. */
  close(): void {
    this.destroy();
  }

  sweep(sweepMillis: number): void {
    const millis = (this.#host.sweeps - this.#since - 1) * sweepMillis;
    if (millis >= (this.#state === "lingering" ? LIMITS.lingerMillis : LIMITS.handshakeMillis))
      this.destroy();
  }

  readonly #closed = (): void => this.#host.closed(this);

  readonly #ended = (): void => this.socket.destroySoon();

  readonly #receiveFirst = (piece: Buffer): void => {
    if (isPlainHttp(piece)) {
      this.#refusePlain(piece);
      return;
    }
    this.#state = "shaking";
    this.socket.pause();
    this.socket.unshift(piece);
    this.#host.startTls(this.socket);
  };

  #refusePlain(piece: Buffer): void {
    this.#state = "lingering";
    this.#since = this.#host.sweeps;
    // What else the client sends is read away: a reset could overtake the reply.
    this.socket.allowHalfOpen = true;
    this.socket.resume();
    this.socket.end(piece.toString("latin1", 0, 5) === "HEAD " ? PLAIN_REFUSED.head : PLAIN_REFUSED.whole);
  }
}

const ignore = (): void => {};

const CAPITAL_A = 0x41;
const CAPITAL_Z = 0x5a;

/** Methods begin with a capital letter; a TLS record begins with its type, a number below 32. */
function isPlainHttp(piece: Buffer): boolean {
  return piece[0]! >= CAPITAL_A && piece[0]! <= CAPITAL_Z;
}

const PLAIN_REFUSED = printPlainRefused();

function printPlainRefused(): { readonly head: string; readonly whole: string } {
  const { http, text } = REFUSALS.AccountRequiresHttps;
  const code = "AccountRequiresHttps";
  const body = printXml(element("Error", textElement("Code", code) + textElement("Message", text)));
  const head =
    `HTTP/1.1 ${http} Bad Request\r\nx-ms-error-code: ${code}\r\nContent-Type: application/xml\r\n` +
    `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n`;
  return { head, whole: head + body };
}
