import type { MaybePromise } from "../base/maybe-promise.ts";
import type { CorsRule } from "../services/account/service-properties.ts";
import type { HttpReply } from "./exchange.ts";
import type { Outgoing } from "./reply-writer.ts";
import { type CorsRequest, corsHeaders } from "./wire/cors.ts";

/**
 * Adds cross-origin headers to replies. A request with an Origin is judged by the rules in the store. A read
 * without one gets headers too, because a cache may give its reply to a browser later; for those the rules of
 * a moment ago are enough. Nearly no account has rules, and reading them for each read would cost more than
 * the headers are worth.
 */
export class CorsReplies {
  readonly #readRules: (account: string) => Promise<readonly CorsRule[]>;
  /** Only accounts that exist get here: the accounts file limits their number. */
  readonly #cache = new Map<string, { rules: readonly CorsRule[]; readAt: number }>();

  constructor(readRules: (account: string) => Promise<readonly CorsRule[]>) {
    this.#readRules = readRules;
  }

  /** A page may see a refusal as it may see a success: without these headers its browser shows neither. */
  async addForOrigin(
    outgoing: Outgoing,
    request: CorsRequest & { readonly account: string },
  ): Promise<Outgoing> {
    return withHeaders(outgoing, await this.#readRules(request.account), request);
  }

  /** `now` is monotonic. */
  addForCaches(
    outgoing: Outgoing,
    { account, method, now }: { readonly account: string; readonly method: string; readonly now: number },
  ): Outgoing {
    if ((method !== "GET" && method !== "HEAD") || outgoing.reply.status >= 400) return outgoing;
    const rules = this.#cachedRules(account, now);
    return rules.length === 0 ? outgoing : withHeaders(outgoing, rules, { origin: undefined, method });
  }

  /** Cached rules; when they are old, reads them again for the requests to come. */
  #cachedRules(account: string, now: number): readonly CorsRule[] {
    const cached = this.#cache.get(account);
    if (cached !== undefined && now - cached.readAt < CACHE_MILLIS) return cached.rules;
    if (cached !== undefined) cached.readAt = now;
    // A store that fails here also fails the requests that need it, and those report it.
    this.#refresh(account, now).catch(() => undefined);
    return cached?.rules ?? [];
  }

  async #refresh(account: string, now: number): Promise<void> {
    this.#cache.set(account, { rules: await this.#readRules(account), readAt: now });
  }

  /** After a reply that has set the rules, so that the next read already goes by the new ones. */
  async refreshAfter(reply: MaybePromise<HttpReply>, account: string, now: number): Promise<HttpReply> {
    const done = await reply;
    await this.#refresh(account, now);
    return done;
  }
}

const CACHE_MILLIS = 1_000;

function withHeaders(outgoing: Outgoing, rules: readonly CorsRule[], request: CorsRequest): Outgoing {
  const { reply } = outgoing;
  const headers = { ...reply.headers, ...corsHeaders(rules, request, headerNames(outgoing)) };
  return { ...outgoing, reply: { ...reply, headers } };
}

/** The headers that a page may be shown: those of the reply, and those that every reply carries. */
function headerNames({ version, clientRequestId, reply: { headers } }: Outgoing): readonly string[] {
  const names = ["x-ms-request-id", "Server"];
  if (version !== undefined) names.push("x-ms-version");
  if (clientRequestId !== undefined) names.push("x-ms-client-request-id");
  for (const name in headers) if (headers[name] !== undefined) names.push(name);
  names.push("Content-Length", "Date");
  return names;
}
