import { type IncomingHttpHeaders, Agent as PlainAgent, request as plainRequest } from "node:http";
import { Agent as SecureAgent, request as secureRequest } from "node:https";
import { connect } from "node:net";
import { type PlainRequest, signedHeaders, targetOf } from "../../bench/sign.ts";
import type { TestServer } from "./server.ts";

/** Requests as no SDK would send them, and replies as they came. */
export interface RawRequest extends PlainRequest {
  readonly service: "blob" | "queue" | "table" | "file";
  /** Left out: signed with the account key. */
  readonly isAnonymous?: boolean;
  /** In place of the target that follows from path and query. */
  readonly target?: string;
}

export interface RawReply {
  readonly status: number;
  /** The words beside the status. */
  readonly reason: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Of x-ms-error-code or the body, or undefined. */
  readonly code: string | undefined;
}

export async function send(server: Pick<TestServer, "endpoints">, request: RawRequest): Promise<RawReply> {
  const headers = request.isAnonymous === true ? { ...request.headers } : signedHeaders(request);
  if (request.body !== undefined) headers["Content-Length"] = String(request.body.length);
  const { bytes, ...reply } = await transmit(server.endpoints[request.service], {
    method: request.method,
    target: request.target ?? targetOf(request),
    headers,
    body: request.body,
  });
  return { ...reply, body: bytes.toString() };
}

/** Connections are reused: a new one for each request would take longer than the request. */
const PLAIN = new PlainAgent({ keepAlive: true });
const SECURE = new SecureAgent({ keepAlive: true, rejectUnauthorized: false });

/** One request, and its reply as it came. */
export function transmit(
  endpoint: string,
  { method, target, headers, body }: Transmission,
): Promise<Omit<RawReply, "body"> & { readonly bytes: Buffer }> {
  const { protocol, hostname, port } = new URL(endpoint);
  const isSecure = protocol === "https:";
  const start = isSecure ? secureRequest : plainRequest;
  return new Promise((resolve, reject) => {
    const message = start({
      host: hostname,
      port,
      method,
      path: target,
      headers,
      agent: isSecure ? SECURE : PLAIN,
    });
    message.on("error", reject);
    message.on("response", (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () =>
        resolve({
          status: response.statusCode ?? 0,
          reason: response.statusMessage ?? "",
          headers: response.headers,
          bytes: Buffer.concat(chunks),
          code: errorCodeOf(response.headers["x-ms-error-code"], Buffer.concat(chunks)),
        }),
      );
    });
    message.end(body);
  });
}

const ODATA_CODE = /^\{"odata\.error":\{"code":"(\w+)"/;

/** OData errors name their code in the body only. */
export function errorCodeOf(header: unknown, body: Buffer | string): string | undefined {
  return (header as string | undefined) ?? ODATA_CODE.exec(body.toString("latin1"))?.[1];
}

interface Transmission {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
}

/**
 * Bytes as they are, over one connection; everything that comes back until the server ends it or falls
 * silent.
 */
export function sendBytes(port: number, bytes: string | Buffer, silence = 300): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    let received = "";
    const done = (): void => {
      socket.destroy();
      resolve(received);
    };
    socket.setTimeout(silence, done);
    socket.on("data", (chunk) => {
      received += chunk.toString("latin1");
    });
    socket.on("end", done);
    socket.on("error", (error) => (received === "" ? reject(error) : done()));
    socket.write(bytes);
  });
}
