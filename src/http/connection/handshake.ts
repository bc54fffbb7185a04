import type { Socket } from "node:net";
import { LIMITS } from "../../base/limits.ts";
import { REFUSALS } from "../../base/refusals.ts";
import { element, printXml, textElement } from "../wire/xml-print.ts";

/** What a TLS handshake needs of its listener. */
export interface HandshakeHost {
  readonly sweeps: number;
  /** The client speaks TLS: the socket has its first bytes again. */
  startTls(socket: Socket): void;
  closed(handshake: Handshake): void;
}

type State = "silent" | "handshaking" | "lingering";

/**
 * A connection to an HTTPS port from the moment it is accepted until its TLS handshake is done. It counts as
 * a connection from the start, and the whole handshake has to be done in time: node:tls measures only
 * silence, and leaves the socket of a handshake that failed open.
 *
 * A client that sends plain HTTP gets a refusal in plain HTTP: otherwise its library would only report a
 * closed connection.
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
    // The close that follows is enough.
    socket.on("error", () => {});
    socket.on("close", this.#closed);
    socket.on("end", this.#ended);
    socket.once("data", this.#receiveFirst);
  }

  /** The handshake is done: the socket belongs to the connection that follows. */
  finish(): void {
    this.socket.removeListener("close", this.#closed);
    this.socket.removeListener("end", this.#ended);
  }

  /** The listener no longer counts it when this returns. */
  evict(): void {
    this.destroy();
    this.#host.closed(this);
  }

  destroy(): void {
    this.socket.destroy();
  }

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

  readonly #receiveFirst = (chunk: Buffer): void => {
    if (isPlainHttp(chunk)) {
      this.#refusePlain(chunk);
      return;
    }
    this.#state = "handshaking";
    this.socket.pause();
    this.socket.unshift(chunk);
    this.#host.startTls(this.socket);
  };

  #refusePlain(chunk: Buffer): void {
    this.#state = "lingering";
    this.#since = this.#host.sweeps;
    // Discards what else the client sends: a reset could overtake the reply.
    this.socket.allowHalfOpen = true;
    this.socket.resume();
    this.socket.end(chunk.toString("latin1", 0, 5) === "HEAD " ? PLAIN_REFUSED.head : PLAIN_REFUSED.whole);
  }
}

const CAPITAL_A = 0x41;
const CAPITAL_Z = 0x5a;

/** Methods begin with a capital letter; a TLS record begins with its type, a number below 32. */
function isPlainHttp(chunk: Buffer): boolean {
  return chunk[0]! >= CAPITAL_A && chunk[0]! <= CAPITAL_Z;
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
