import { LIMITS } from "../../base/limits.ts";
import type { Log } from "../../observability/log.ts";
import { METRICS_CONTENT_TYPE } from "../../observability/metrics.ts";
import type { Handler } from "../listener.ts";
import { keptAliveFor, writeWhole } from "../reply-writer.ts";

/**
 * The admin listener: for the operator's tools, never for clients of the storage services.
 *
 *   GET /healthz   200 while the process answers at all
 *   GET /readyz    200 when requests will be served, else 503; the body names each part and its state
 *   GET /metrics   counters in the text format of Prometheus, all workers together
 */
export interface AdminSources {
  /** Each part by name, with `isUp` and a word for its state: { store: { isUp: true, state: "open" } }. */
  readonly readiness: () => Readiness | Promise<Readiness>;
  readonly metrics: () => Promise<string>;
  readonly log: Log;
}

export interface Readiness {
  readonly isStopping: boolean;
  readonly parts: Readonly<Record<string, { readonly isUp: boolean; readonly state: string }>>;
}

interface AdminReply {
  readonly status: number;
  readonly type: string;
  readonly body: string;
  readonly allow?: string;
}

const KEPT_ALIVE = keptAliveFor(LIMITS.keepAliveMillis);
const JSON_TYPE = "application/json; charset=utf-8";
const TEXT_TYPE = "text/plain; charset=utf-8";

export function createAdminHandler(sources: AdminSources): Handler {
  return async ({ head }, connection) => {
    const { method, url, isOld } = head;
    let reply: AdminReply;
    try {
      reply = await answer(sources, method, url);
    } catch (err) {
      sources.log.error({ err, url }, "the admin listener could not answer");
      reply = { status: 500, type: TEXT_TYPE, body: "metrics are not available; see the log\n" };
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
    writeWhole(connection, outgoing, Buffer.from(reply.body), KEPT_ALIVE);
  };
}

async function answer(sources: AdminSources, method: string, url: string): Promise<AdminReply> {
  const path = url.split("?", 1)[0];
  if (path !== "/healthz" && path !== "/readyz" && path !== "/metrics")
    return {
      status: 404,
      type: TEXT_TYPE,
      body: "not found; this listener serves /healthz, /readyz, /metrics\n",
    };
  if (method !== "GET" && method !== "HEAD")
    return { status: 405, type: TEXT_TYPE, body: "only GET and HEAD\n", allow: "GET, HEAD" };
  switch (path) {
    case "/healthz":
      return { status: 200, type: JSON_TYPE, body: `${JSON.stringify({ status: "alive" })}\n` };
    case "/readyz":
      return printReadiness(await sources.readiness());
    case "/metrics":
      return { status: 200, type: METRICS_CONTENT_TYPE, body: await sources.metrics() };
  }
}

function printReadiness({ isStopping, parts }: Readiness): AdminReply {
  const states = Object.entries(parts);
  const isReady = !isStopping && states.length > 0 && states.every(([, part]) => part.isUp);
  const status = isStopping ? "stopping" : isReady ? "ready" : "not ready";
  const body = { status, ...Object.fromEntries(states.map(([name, part]) => [name, part.state])) };
  return { status: isReady ? 200 : 503, type: JSON_TYPE, body: `${JSON.stringify(body)}\n` };
}
