import { Agent, request as plainRequest } from "node:http";
import { Agent as SecureAgent, request as secureRequest } from "node:https";
import { connect } from "node:net";
import { connect as connectSecurely } from "node:tls";
import { errorCodeOf } from "../kit/send.ts";

/** Attempts to get in, each next to the honest request it was made from: that one must be accepted first. */
export interface Sent {
  readonly port: number;
  readonly isSecure?: boolean;
  /** The address the client has; 127.0.0.1 without it. */
  readonly localAddress?: string;
  readonly method: string;
  /** As it goes into the request line. */
  readonly target: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Answer {
  readonly status: number;
  readonly code: string;
  readonly body: string;
}

/**
 * What a stranger may be told. Anything else, a "not found" of the resource among it, means that the request
 * was let through to it.
 */
const REFUSED = new Set([
  "AuthenticationFailed",
  "AuthorizationFailure",
  "AuthorizationPermissionMismatch",
  "AuthorizationProtocolMismatch",
  "AuthorizationResourceTypeMismatch",
  "AuthorizationServiceMismatch",
  "AuthorizationSourceIPMismatch",
  "InsufficientAccountPermissions",
  "InvalidAuthenticationInfo",
  "InvalidBearerToken",
  "NoAuthenticationInformation",
  "PublicAccessNotPermitted",
  // To callers without a name, a private resource does not exist.
  "ResourceNotFound",
  // To a SAS that may create and not write.
  "UnauthorizedBlobOverwrite",
  // Refused before anybody asked who is calling.
  "InvalidUri",
  "InvalidInput",
  "InvalidHeaderValue",
  "InvalidQueryParameterValue",
  "InvalidResourceName",
  "MissingRequiredHeader",
  "MissingRequiredQueryParameter",
  "OutOfRangeInput",
  "MethodNotAllowed",
  "UnsupportedHttpVerb",
  "UnsupportedQueryParameter",
  "InvalidFileOrDirectoryPathName",
  "RequestHeadersTooLarge",
  "CorsPreflightFailure",
]);

export function isRefused({ status, code }: Answer): boolean {
  if (status < 400) return false;
  // The parser's own refusals carry no code of the protocol.
  return code === "" ? status === 400 || status === 403 || status === 401 : REFUSED.has(code);
}

const agents = {
  plain: new Agent({ keepAlive: true, maxSockets: 8 }),
  secure: new SecureAgent({ keepAlive: true, maxSockets: 8, rejectUnauthorized: false }),
};

export function send(sent: Sent): Promise<Answer> {
  // Node's client will not send what is not an address; a socket will.
  const isAddress = /^[\x21-\x7e]+$/.test(sent.target);
  return isAddress ? sendByClient(sent) : sendBySocket(sent);
}

function sendByClient(sent: Sent): Promise<Answer> {
  const { port, isSecure = false, localAddress, method, target, headers, body = "" } = sent;
  const options = {
    ...(localAddress === undefined ? {} : { localAddress }),
    host: "127.0.0.1",
    port,
    method,
    path: target,
    headers: { ...headers } as Record<string, string>,
  };
  if (body !== "" || method === "PUT" || method === "POST") {
    options.headers["Content-Length"] ??= String(Buffer.byteLength(body));
  }
  return new Promise((resolve, reject) => {
    const outgoing = isSecure
      ? secureRequest({ ...options, agent: agents.secure, rejectUnauthorized: false })
      : plainRequest({ ...options, agent: agents.plain });
    outgoing.on("error", reject);
    outgoing.on("response", (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
      incoming.on("error", reject);
      incoming.on("end", () =>
        resolve({
          status: incoming.statusCode ?? 0,
          code: errorCodeOf(incoming.headers["x-ms-error-code"], Buffer.concat(chunks)) ?? "",
          body: Buffer.concat(chunks).toString("latin1"),
        }),
      );
    });
    outgoing.end(body);
  });
}

function sendBySocket({
  port,
  isSecure = false,
  method,
  target,
  headers = {},
  body = "",
}: Sent): Promise<Answer> {
  const lines = [`${method} ${target} HTTP/1.1`, "Host: 127.0.0.1", "Connection: close"];
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
  if (body !== "" || method === "PUT") lines.push(`Content-Length: ${Buffer.byteLength(body)}`);
  return new Promise((resolve, reject) => {
    const place = { port, host: "127.0.0.1" };
    const socket = isSecure ? connectSecurely({ ...place, rejectUnauthorized: false }) : connect(place);
    let received = "";
    socket.setEncoding("latin1");
    socket.on("data", (chunk: string) => {
      received += chunk;
    });
    socket.on("error", reject);
    socket.on("close", () => {
      const status = Number(/^HTTP\/1\.1 (\d+)/.exec(received)?.[1] ?? 400);
      const content = received.slice(received.indexOf("\r\n\r\n") + 4);
      const code = errorCodeOf(/^x-ms-error-code: (.*)\r$/im.exec(received)?.[1], content) ?? "";
      resolve({ status, code, body: content });
    });
    socket.write(`${lines.join("\r\n")}\r\n\r\n${body}`, "latin1");
  });
}

const SECRET = "the other one's secret";

export class Ledger {
  attempts = 0;
  live = 0;
  readonly accepted: string[] = [];
  readonly kinds = new Map<string, number>();

  static readonly secret = SECRET;

  count(kind: string, isAccepted: boolean, what: string): void {
    this.attempts++;
    this.kinds.set(kind, (this.kinds.get(kind) ?? 0) + 1);
    if (isAccepted) this.accepted.push(`${kind}: ${what}`);
  }

  /** The honest request; what is made from it means nothing unless this one gets in. */
  async good(name: string, sent: Sent): Promise<void> {
    const answer = await send(sent);
    if (answer.status >= 300)
      throw new Error(`${name}: the honest request got ${answer.status} ${answer.code}: ${answer.body}`);
    this.live++;
  }

  async attempt(kind: string, sent: Sent): Promise<void> {
    const answer = await send(sent);
    const isIn = !isRefused(answer) || answer.body.includes(SECRET);
    this.count(
      kind,
      isIn,
      `${answer.status} ${answer.code} for ${sent.method} ${sent.target} ${JSON.stringify(sent.headers ?? {})}`,
    );
  }

  async tryAll(kind: string, all: Iterable<Sent>): Promise<void> {
    const list = [...all];
    const width = 8;
    for (let at = 0; at < list.length; at += width)
      await Promise.all(list.slice(at, at + width).map((sent) => this.attempt(kind, sent)));
  }
}

/** Every text that differs from this one in one character. */
export function* oneOff(text: string): Generator<string> {
  for (let at = 0; at < text.length; at++) {
    const now = text[at]!;
    for (const other of [now === "A" ? "B" : "A", now === "0" ? "1" : "0"])
      if (other !== now) yield text.slice(0, at) + other + text.slice(at + 1);
  }
}
