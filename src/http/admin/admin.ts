import { LIMITS } from "../../base/limits.ts";
import type { Log } from "../../observability/log.ts";
import { METRICS_CONTENT_TYPE } from "../../observability/metrics.ts";
import type { RequestHead } from "../connection/request-head.ts";
import type { Headers } from "../exchange.ts";
import type { Handler } from "../listener.ts";
import { keptAliveFor, ReplyWriter, writeWhole } from "../reply-writer.ts";
import { type BackupAnswer, BackupEndpoint, type BackupSource } from "./backup.ts";

/**
 * The admin listener: for the operator's tools, never for clients of the storage services.
 *
 *   GET /healthz   200 while the process answers at all
 *   GET /readyz    200 when requests will be served, else 503; the body names each part and its state
 *   GET /metrics   counters in the text format of Prometheus, all workers together
 *   POST /reset    removes all data, where the operator allowed it; never for a web page
 *   POST /backup   a snapshot of all data, for a caller with the token of the data directory (backup.ts)
 */
export interface AdminSources {
  /** Each part by name, with `isUp` and a word for its state: { store: { isUp: true, state: "open" } }. */
  readonly readiness: () => Readiness | Promise<Readiness>;
  readonly metrics: () => Promise<string>;
  /** undefined: the operator does not allow it. */
  readonly reset?: (() => Promise<void>) | undefined;
  /** Absent where a running server cannot be backed up. */
  readonly backup?: BackupSource | undefined;
  readonly log: Log;
}

export interface Readiness {
  readonly isStopping: boolean;
  readonly parts: Readonly<Record<string, { readonly isUp: boolean; readonly state: string }>>;
}

interface AdminReply {
  readonly status: number;
  readonly type: string;
  readonly body: string | AsyncIterable<Buffer>;
  readonly allow?: string;
}

const KEPT_ALIVE = keptAliveFor(LIMITS.keepAliveMillis);
const JSON_TYPE = "application/json; charset=utf-8";
const TEXT_TYPE = "text/plain; charset=utf-8";

export function createAdminHandler(sources: AdminSources): Handler {
  const backups = new BackupEndpoint(sources.backup);
  const writer = new ReplyWriter();
  return async (incoming, connection) => {
    const { method, url, isOld } = incoming.head;
    let reply: AdminReply;
    try {
      reply =
        url === "/backup"
          ? replyOfBackup(await backups.answer(incoming, connection))
          : await answer(sources, incoming.head);
    } catch (err) {
      sources.log.error({ err, url }, "the admin listener could not answer");
      reply = { status: 500, type: TEXT_TYPE, body: "failed; see the log\n" };
    }
    if (connection.isGone) return;
    const headers = {
      "Content-Type": reply.type,
      "Cache-Control": "no-store",
      "X-Content-Type-Options": "nosniff",
      Allow: reply.allow,
    };
    const outgoing = {
      reply: { status: reply.status, headers },
      isHead: method === "HEAD",
      isOld,
      requestId: undefined,
      version: undefined,
      clientRequestId: undefined,
    };
    if (typeof reply.body === "string") {
      writeWhole(connection, outgoing, Buffer.from(reply.body), KEPT_ALIVE);
      return;
    }
    const streamed = { ...outgoing, reply: { ...outgoing.reply, body: reply.body } };
    writer.send(connection, streamed, ({ error }) => {
      if (error !== undefined) sources.log.error({ err: error }, "a backup was broken off");
    });
  };
}

function replyOfBackup(answer: BackupAnswer): AdminReply {
  if ("stream" in answer) return { status: 200, type: "application/x-tar", body: answer.stream };
  const { status, text } = answer.refused;
  return { status, type: TEXT_TYPE, body: `${text}\n`, ...(status === 405 ? { allow: "POST" } : {}) };
}

const NOT_FOUND: AdminReply = {
  status: 404,
  type: TEXT_TYPE,
  body: "not found; this listener serves /healthz, /readyz, /metrics, /reset, /backup\n",
};

async function answer(sources: AdminSources, { method, url, headers }: RequestHead): Promise<AdminReply> {
  const path = url.split("?", 1)[0]!;
  const allow = path === "/reset" ? "POST" : "GET, HEAD";
  if (!["/healthz", "/readyz", "/metrics", "/reset"].includes(path)) return NOT_FOUND;
  if (!allow.split(", ").includes(method))
    return { status: 405, type: TEXT_TYPE, body: `only ${allow.replace(", ", " and ")}\n`, allow };
  switch (path) {
    case "/healthz":
      return { status: 200, type: JSON_TYPE, body: `${JSON.stringify({ status: "alive" })}\n` };
    case "/readyz":
      return printReadiness(await sources.readiness());
    case "/metrics":
      return { status: 200, type: METRICS_CONTENT_TYPE, body: await sources.metrics() };
    default:
      return resetAll(sources, headers);
  }
}

async function resetAll({ reset, log }: AdminSources, headers: Headers): Promise<AdminReply> {
  const refused = (body: string): AdminReply => ({ status: 403, type: TEXT_TYPE, body });
  // A browser sends it with every POST: no page may empty a server on the machine that shows the page.
  if (headers.origin !== undefined) return refused("not for web pages\n");
  if (reset === undefined) return refused("start the server with --allowReset to allow this\n");
  await reset();
  log.warn({}, "reset: all data of all accounts was removed");
  return { status: 200, type: JSON_TYPE, body: `${JSON.stringify({ status: "reset" })}\n` };
}

function printReadiness({ isStopping, parts }: Readiness): AdminReply {
  const states = Object.entries(parts);
  const isReady = !isStopping && states.length > 0 && states.every(([, part]) => part.isUp);
  const status = isStopping ? "stopping" : isReady ? "ready" : "not ready";
  const body = { status, ...Object.fromEntries(states.map(([name, part]) => [name, part.state])) };
  return { status: isReady ? 200 : 503, type: JSON_TYPE, body: `${JSON.stringify(body)}\n` };
}
