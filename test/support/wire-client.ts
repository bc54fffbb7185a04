import { connect, type Socket } from "node:net";
import { type PlainRequest, signed } from "../../bench/sign.ts";
import { errorCodeOf } from "../kit/send.ts";

/**
 * A client with one connection to each service and one request at a time, which never repeats anything by
 * itself: whoever records a history has to know of every request whether it was answered, was not, or was
 * never sent.
 */
export type WireService = "blob" | "queue" | "table" | "file";
export type WirePorts = Readonly<Record<WireService, number>>;

export interface WireReply {
  readonly status: number;
  /** By names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
  readonly code: string | undefined;
}

/** "not sent": there was no connection, so it was not done. "no reply": nobody knows. */
export type WireOutcome = WireReply | "not sent" | "no reply";

const PATIENCE_MILLIS = 20_000;

export class WireClient {
  /** Asked for each connection: a server that was started again may listen elsewhere. */
  readonly #ports: () => WirePorts;
  readonly #connections = new Map<WireService, Connection>();

  constructor(ports: () => WirePorts) {
    this.#ports = ports;
  }

  async send(service: WireService, request: PlainRequest): Promise<WireOutcome> {
    let connection = this.#connections.get(service);
    if (connection === undefined || connection.isOver) {
      const port = this.#ports()[service];
      const opened = await Connection.open(port);
      if (opened === undefined) return "not sent";
      connection = opened;
      this.#connections.set(service, connection);
    }
    return connection.send(signed({ ...request, service }, connection.port));
  }

  close(): void {
    for (const connection of this.#connections.values()) connection.end();
    this.#connections.clear();
  }
}

class Connection {
  readonly port: number;
  readonly #socket: Socket;
  #received: Buffer = Buffer.alloc(0);
  #waiting: ((reply: WireOutcome) => void) | undefined;
  isOver = false;

  static open(port: number): Promise<Connection | undefined> {
    return new Promise((resolve) => {
      const socket = connect({ port, host: "127.0.0.1", noDelay: true });
      socket.once("connect", () => {
        socket.off("error", fail);
        resolve(new Connection(socket, port));
      });
      const fail = (): void => resolve(undefined);
      socket.once("error", fail);
    });
  }

  constructor(socket: Socket, port: number) {
    this.#socket = socket;
    this.port = port;
    socket.on("data", (chunk) => this.#receive(chunk));
    socket.on("error", () => {});
    socket.on("close", () => {
      this.isOver = true;
      this.#answer("no reply");
    });
    socket.setTimeout(PATIENCE_MILLIS, () => socket.destroy());
  }

  send(bytes: Buffer): Promise<WireOutcome> {
    return new Promise((resolve) => {
      this.#waiting = resolve;
      this.#socket.write(bytes);
    });
  }

  end(): void {
    this.isOver = true;
    this.#socket.destroy();
  }

  #receive(chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    const reply = parseReply(this.#received);
    if (reply === undefined) return;
    this.#received = Buffer.alloc(0);
    if (reply.headers.get("connection") === "close") this.end();
    this.#answer(reply);
  }

  #answer(outcome: WireOutcome): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.(outcome);
  }
}

/** The whole reply, or undefined when more is to come. */
function parseReply(bytes: Buffer): WireReply | undefined {
  const headEnd = bytes.indexOf("\r\n\r\n");
  if (headEnd < 0) return undefined;
  const [first, ...lines] = bytes.latin1Slice(0, headEnd).split("\r\n");
  const status = Number(first!.slice(9, 12));
  if (status === 100) return parseReply(bytes.subarray(headEnd + 4));
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(":");
    headers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim());
  }
  const rest = bytes.subarray(headEnd + 4);
  const body =
    headers.get("transfer-encoding") === "chunked"
      ? unchunk(rest)
      : wholeBody(rest, isBodiless(status) ? 0 : Number(headers.get("content-length") ?? 0));
  if (body === undefined) return undefined;
  const code = errorCodeOf(headers.get("x-ms-error-code"), Buffer.from(body));
  return { status, headers, body: Buffer.from(body), code };
}

const isBodiless = (status: number): boolean => status === 204 || status === 304;

function wholeBody(bytes: Buffer, length: number): Buffer | undefined {
  return bytes.length < length ? undefined : bytes.subarray(0, length);
}

function unchunk(bytes: Buffer): Buffer | undefined {
  const chunks: Buffer[] = [];
  for (let at = 0; ; ) {
    const lineEnd = bytes.indexOf("\r\n", at);
    if (lineEnd < 0) return undefined;
    const length = Number.parseInt(bytes.latin1Slice(at, lineEnd), 16);
    const end = lineEnd + 2 + length + 2;
    if (bytes.length < end) return undefined;
    if (length === 0) return Buffer.concat(chunks);
    chunks.push(bytes.subarray(lineEnd + 2, end - 2));
    at = end;
  }
}
