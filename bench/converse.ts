import { connect } from "node:net";
import { type Measured, wholeReply } from "./load.ts";

/**
 * Drives a server with requests that depend on the replies before them: an ETag to name, a continuation to
 * follow. One request at a time on each connection.
 */
export interface Conversation {
  readonly port: number;
  readonly connections: number;
  readonly seconds: number;
  /** The next request of a connection, given its last reply; undefined ends the connection. */
  readonly request: (connection: number, reply: string | undefined) => Buffer | undefined;
  /** Whether a reply completes a unit of work; without it each one does. */
  readonly isCounted?: (reply: string, connection: number) => boolean;
  /** Each request is timed, not each unit of work: for work whose number of tries is chance. */
  readonly timesRequests?: boolean;
  /** Refusals that belong to the work. */
  readonly isExpected?: (reply: string) => boolean;
}

export async function converse(conversation: Conversation): Promise<Measured> {
  const { connections, seconds } = conversation;
  const start = performance.now();
  const latencies: number[] = [];
  const work = { count: 0, latencies };
  const end = start + seconds * 1_000;
  const errors = await Promise.all(
    Array.from({ length: connections }, (_, connection) => talk(conversation, connection, end, work)),
  );
  const elapsed = (performance.now() - start) / 1_000;
  latencies.sort((a, b) => a - b);
  const quantile = (share: number): number => latencies[Math.floor(latencies.length * share)] ?? Number.NaN;
  return {
    perSecond: work.count / elapsed,
    errors: errors.reduce((sum, count) => sum + count, 0),
    p50Millis: quantile(0.5),
    p99Millis: quantile(0.99),
  };
}

function talk(
  { port, request, isCounted, isExpected, timesRequests = false }: Conversation,
  connection: number,
  end: number,
  work: { count: number; readonly latencies: number[] },
): Promise<number> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true });
    let pieces: Buffer[] = [];
    let errors = 0;
    let startedAt = performance.now();
    const next = (reply: string | undefined): void => {
      const message = performance.now() >= end ? undefined : request(connection, reply);
      if (message === undefined) socket.destroy();
      else socket.write(message);
    };
    socket.on("connect", () => next(undefined));
    socket.on("data", (piece) => {
      pieces.push(piece);
      const bytes = pieces.length === 1 ? piece : Buffer.concat(pieces);
      const status = wholeReply(bytes);
      if (status === undefined) {
        pieces = [bytes];
        return;
      }
      pieces = [];
      const reply = bytes.latin1Slice();
      if (status >= 400 && isExpected?.(reply) !== true) errors++;
      const isUnit = isCounted?.(reply, connection) ?? true;
      if (isUnit) work.count++;
      if (isUnit || timesRequests) {
        work.latencies.push(performance.now() - startedAt);
        startedAt = performance.now();
      }
      next(reply);
    });
    socket.on("error", () => errors++);
    socket.on("close", () => resolve(errors));
  });
}
