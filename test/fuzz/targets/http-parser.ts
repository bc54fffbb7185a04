import { createServer, type IncomingMessage, type Server } from "node:http";
import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import { percentByte } from "../../../src/base/bytes.ts";
import { LIMITS } from "../../../src/base/limits.ts";
import { Connection, type Host, type Incoming } from "../../../src/http/connection/connection.ts";
import type { FuzzRun, FuzzTarget } from "../target.ts";

/**
 * Our HTTP parser against llhttp, the parser of Node.js: the same bytes go to a `Connection` and to a server
 * of node:http. Every request that both accept must have the same method, target, headers and body, and
 * llhttp must accept every request that we accept, except for the reasons listed here. Parsers that disagree
 * about where a request ends let a client smuggle requests past a proxy. We may refuse more than llhttp.
 */
interface ParsedRequest {
  readonly method: string;
  readonly url: string;
  /** Names and values alternate, as they were sent. */
  readonly headers: readonly string[];
  /** undefined when the parser refused the body. */
  readonly body: string | undefined;
}

interface Verdict {
  readonly requests: readonly ParsedRequest[];
  /** The error of llhttp: its code and its reason. */
  readonly error: string | undefined;
}

interface Leniency {
  /** The error of llhttp: its code and its reason. */
  readonly error: RegExp;
  /** Why accepting this is safe. */
  readonly why: string;
}

/** What llhttp refuses in a head, and we accept. */
const LENIENT_HEADS: readonly Leniency[] = [
  {
    error: /^HPE_INVALID_METHOD/,
    why: "llhttp knows a fixed list of methods; the operation tables refuse the others with 405",
  },
  {
    error: /^HPE_INVALID_URL/,
    why: "llhttp checks the form of a target; routing refuses what is not the path of a resource",
  },
];

/** What llhttp refuses in a chunked body, and we accept. */
const LENIENT_BODIES: readonly Leniency[] = [
  {
    error: /^HPE_STRICT: Invalid character in chunk extensions/,
    why: "we skip extensions up to the CR LF at which both parsers end them",
  },
  {
    error: /^HPE_INVALID_(HEADER_TOKEN|CONTENT_LENGTH|TRANSFER_ENCODING)/,
    why: "llhttp parses trailers as headers; we skip them up to the empty line at which both parsers end them",
  },
];

/** A socket without a handle, which the test feeds. */
class FedSocket extends Duplex {
  readonly remoteAddress = "127.0.0.1";
  readonly bytesRead = 0;
  override _read(): void {}
  override _write(_chunk: unknown, _encoding: string, done: () => void): void {
    done();
  }
  destroySoon(): void {
    this.destroy();
  }
  setTimeout(): this {
    return this;
  }
  setNoDelay(): this {
    return this;
  }
  setKeepAlive(): this {
    return this;
  }
}

const nextTick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** All reads and events of in-process streams are done after a few ticks. */
async function settle(isDone: () => boolean): Promise<void> {
  for (let tick = 0; tick < 3 || (tick < 12 && !isDone()); tick++) await nextTick();
}

async function parseWithOurs(input: Buffer): Promise<ParsedRequest[]> {
  const accepted: ParsedRequest[] = [];
  let open = 0;
  const host: Host = {
    sweeps: 0,
    isClosing: false,
    keepAliveMillis: LIMITS.keepAliveMillis,
    handle: (incoming, connection) => {
      open++;
      void readRequest(incoming).then(
        (request) => {
          open--;
          accepted.push(request);
          connection.finish(connection.keepsAlive);
        },
        () => {
          open--;
        },
      );
    },
    closed: () => {},
  };
  const socket = new FedSocket();
  // A body that stays incomplete ends with an error of the connection.
  socket.on("error", () => {});
  new Connection(socket as unknown as Socket, host);
  socket.push(Buffer.from(input));
  await settle(() => open === 0);
  socket.destroy();
  await nextTick();
  return accepted;
}

async function readRequest({ head, body }: Incoming): Promise<ParsedRequest> {
  const chunks: Buffer[] = [];
  for (let chunk = await body.next(); chunk !== undefined; chunk = await body.next()) chunks.push(chunk);
  const { method, url, rawHeaders } = head;
  return { method, url, headers: rawHeaders, body: Buffer.concat(chunks).latin1Slice() };
}

/** A server that never listens: `emit("connection")` gives it sockets. */
class Oracle {
  readonly #server: Server;
  #requests: { readonly request: IncomingMessage; readonly chunks: Buffer[] }[] = [];
  #error: string | undefined;

  constructor() {
    this.#server = createServer({ maxHeaderSize: 2 * LIMITS.headerBytesMax, requireHostHeader: true });
    this.#server.maxHeadersCount = 0;
    this.#server.timeout = 0;
    const collect = (request: IncomingMessage): void => {
      const chunks: Buffer[] = [];
      this.#requests.push({ request, chunks });
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("error", () => {});
    };
    this.#server.on("request", collect);
    this.#server.on("checkContinue", collect);
    this.#server.on("checkExpectation", collect);
    this.#server.on("clientError", (error: NodeJS.ErrnoException & { readonly reason?: string }) => {
      this.#error ??= `${error.code}: ${error.reason ?? error.message}`;
    });
  }

  async parse(input: Buffer): Promise<Verdict> {
    this.#requests = [];
    this.#error = undefined;
    const socket = new FedSocket();
    socket.on("error", () => {});
    this.#server.emit("connection", socket);
    socket.push(Buffer.from(input));
    await settle(() => this.#requests.every(({ request }) => request.complete));
    const requests = this.#requests.map(({ request, chunks }) => ({
      method: request.method!,
      url: request.url!.replaceAll(/[\x80-\xff]/g, percentByte),
      headers: request.rawHeaders,
      body: request.complete ? Buffer.concat(chunks).latin1Slice() : undefined,
    }));
    socket.destroy();
    await nextTick();
    return { requests, error: this.#error };
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
  }
}

function compare(ours: readonly ParsedRequest[], { requests, error }: Verdict): void {
  const isListed = (list: readonly Leniency[]): boolean => list.some((row) => row.error.test(error ?? ""));
  for (const [index, request] of ours.entries()) {
    // llhttp takes what follows for the bytes of a tunnel. No operation has this method, so we answer 405.
    if (request.method === "CONNECT") return;
    const { body, ...head } = request;
    const oracle = requests[index];
    if (oracle === undefined && isListed(LENIENT_HEADS)) return;
    if (oracle === undefined) throw new Error(`llhttp refuses a head (${error}): ${JSON.stringify(head)}`);
    const { body: oracleBody, ...oracleHead } = oracle;
    const [mine, theirs] = [JSON.stringify(head), JSON.stringify(oracleHead)];
    if (mine !== theirs) throw new Error(`the heads differ: ours ${mine}, llhttp ${theirs}`);
    if (oracleBody === undefined && isListed(LENIENT_BODIES)) return;
    if (oracleBody === undefined)
      throw new Error(`llhttp refuses a body (${error}): ${JSON.stringify(body)}`);
    if (body !== oracleBody)
      throw new Error(
        `the bodies differ: ours ${JSON.stringify(body)}, llhttp ${JSON.stringify(oracleBody)}`,
      );
  }
}

function open(): FuzzRun {
  const oracle = new Oracle();
  return {
    run: async (input) => {
      const [ours, verdict] = await Promise.all([parseWithOurs(input), oracle.parse(input)]);
      compare(ours, verdict);
    },
    close: () => oracle.close(),
  };
}

const chunked = (body: string): string =>
  `PUT /c HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n${body}`;

export const HTTP_PARSER: FuzzTarget = {
  name: "http-parser",
  seeds: [
    "GET / HTTP/1.1\r\nHost: h\r\n\r\n",
    "GET /a?b=c%20d HTTP/1.1\r\nHost: h\r\nx-ms-version: 2022-11-02\r\nAccept: a\r\nAccept: b\r\n\r\n",
    "PUT /a HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhelloGET /b HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n",
    "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\nabc",
    "GET /a HTTP/1.0\r\n\r\n",
    "GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\nGET /b HTTP/1.0\r\n\r\n",
    "\r\nHEAD http://h/a HTTP/1.1\r\nHost:h\r\nX: \t padded \t\r\nEmpty:\r\n\r\n",
    "MERGE /t(PartitionKey='p',RowKey='r') HTTP/1.1\r\nHost: h\r\nIf-Match: *\r\nContent-Length: 2\r\n\r\n{}",
    "GET /caf\xe9 HTTP/1.1\r\nHost: h\r\nx-ms-meta-a: \xe9\r\n\r\n",
    chunked("5\r\nhello\r\n0\r\n\r\n"),
    chunked(
      "A;name=value\r\n0123456789\r\n1\r\nx\r\n0\r\nTrailer: x\r\n\r\nGET /next HTTP/1.1\r\nHost: h\r\n\r\n",
    ),
  ],
  words: [
    "\r\n",
    "\n",
    "\r",
    "HTTP/1.1",
    "HTTP/1.0",
    "Content-Length: ",
    "Content-Length: 5\r\n",
    "Transfer-Encoding: chunked\r\n",
    "Transfer-Encoding: identity\r\n",
    "Connection: close\r\n",
    "Connection: keep-alive\r\n",
    "Connection: upgrade\r\nUpgrade: x\r\n",
    "Host: h\r\n",
    "Expect: 100-continue\r\n",
    " \t",
    "0\r\n\r\n",
    ";x=y",
    "\x00",
    "\x80",
    "CONNECT ",
  ],
  open,
};
