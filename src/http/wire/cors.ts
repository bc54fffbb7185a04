import { badHeader, Refusal } from "../../base/refusals.ts";
import type { CorsRule } from "../../services/account/service-properties.ts";

/**
 * Cross-origin requests, as pure functions of the rules and the request. CORS grants nothing: a request must
 * still be authorized. The headers only let a browser decide whether the page may see the reply.
 *
 * The first matching rule decides. An exact origin is echoed and may send credentials; "*" is answered as
 * "*".
 */
export type CorsHeaders = Record<string, string>;

export interface Preflight {
  readonly origin: string | undefined;
  /** Access-Control-Request-Method. */
  readonly method: string | undefined;
  /** Access-Control-Request-Headers. */
  readonly headers: string | undefined;
}

/** The headers of the reply to OPTIONS; throws when no rule allows the request. */
export function preflightHeaders(rules: readonly CorsRule[], request: Preflight): CorsHeaders {
  const { origin, method } = request;
  if (origin === undefined || origin === "") throw badHeader("Origin", "");
  if (method === undefined || method === "") throw badHeader("Access-Control-Request-Method", "");
  const asked = namesOf(request.headers);
  for (const rule of rules) {
    if (!allowsOrigin(rule, origin) || !rule.allowedMethods.includes(method)) continue;
    if (!asked.every((name) => matchesAny(rule.allowedHeaders, name))) continue;
    const out: CorsHeaders = {
      "Access-Control-Allow-Origin": originAnswer(rule, origin),
      "Access-Control-Allow-Methods": method,
      "Access-Control-Max-Age": String(rule.maxAgeSeconds),
    };
    if (request.headers !== undefined && asked.length > 0)
      out["Access-Control-Allow-Headers"] = request.headers;
    if (!allowsAllOrigins(rule)) out["Access-Control-Allow-Credentials"] = "true";
    return out;
  }
  const elements = { MessageDetails: "No CORS rules matches this request" };
  throw new Refusal("CorsPreflightFailure", { elements });
}

export interface CorsRequest {
  readonly origin: string | undefined;
  readonly method: string;
}

const NO_HEADERS: CorsHeaders = Object.freeze({}) as CorsHeaders;

/**
 * The headers to add to the reply of an actual request. `replyHeaders` are the names of the headers already
 * in it: browsers accept no prefixes in Access-Control-Expose-Headers, so those of the rule are expanded.
 *
 * `Vary: Origin` is for caches between us and the browser: set on GET and HEAD as soon as there are rules,
 * unless the answer is the same for every origin.
 */
export function corsHeaders(
  rules: readonly CorsRule[],
  request: CorsRequest,
  replyHeaders: readonly string[],
): CorsHeaders {
  if (rules.length === 0) return NO_HEADERS;
  const isCached = request.method === "GET" || request.method === "HEAD";
  const rule = rules.find((candidate) => matchesActual(candidate, request, isCached));
  if (rule === undefined) return isCached ? { Vary: "Origin" } : NO_HEADERS;
  const out: CorsHeaders = { "Access-Control-Allow-Origin": originAnswer(rule, request.origin ?? "*") };
  const exposed = exposedNames(rule, replyHeaders);
  if (exposed !== "") out["Access-Control-Expose-Headers"] = exposed;
  if (!allowsAllOrigins(rule)) {
    out["Access-Control-Allow-Credentials"] = "true";
    if (isCached) out.Vary = "Origin";
  }
  return out;
}

function matchesActual(rule: CorsRule, { origin, method }: CorsRequest, isCached: boolean): boolean {
  if (!rule.allowedMethods.includes(method)) return false;
  // Without an Origin a cacheable answer still says "*": a cache may give it to a browser later.
  return origin === undefined ? isCached && allowsAllOrigins(rule) : allowsOrigin(rule, origin);
}

function exposedNames(rule: CorsRule, replyHeaders: readonly string[]): string {
  const names: string[] = [];
  for (const item of rule.exposedHeaders) {
    if (!item.endsWith("*")) names.push(item);
    else for (const name of replyHeaders) if (matchesItem(item, name)) names.push(name);
  }
  return [...new Set(names)].join(",");
}

function allowsAllOrigins(rule: CorsRule): boolean {
  return rule.allowedOrigins.includes("*");
}

/** Origins are compared as they are written, with regard to case. */
function allowsOrigin(rule: CorsRule, origin: string): boolean {
  return allowsAllOrigins(rule) || rule.allowedOrigins.some((allowed) => matchesOrigin(allowed, origin));
}

const SUBDOMAIN = /^[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*$/;

/** "http://*.contoso.com" is every subdomain of it, and not the domain itself. */
function matchesOrigin(allowed: string, origin: string): boolean {
  const star = allowed.indexOf("*.");
  if (star < 0) return allowed === origin;
  const [before, after] = [allowed.slice(0, star), allowed.slice(star + 1)];
  const end = origin.length - after.length;
  if (end <= star || !origin.startsWith(before) || !origin.endsWith(after)) return false;
  return SUBDOMAIN.test(origin.slice(star, end));
}

function originAnswer(rule: CorsRule, origin: string): string {
  return allowsAllOrigins(rule) ? "*" : origin;
}

function namesOf(list: string | undefined): string[] {
  if (list === undefined) return [];
  return list
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
}

function matchesAny(items: readonly string[], name: string): boolean {
  return items.some((item) => matchesItem(item, name));
}

/** A literal name, or a prefix that ends in "*"; header names have no case. */
function matchesItem(item: string, name: string): boolean {
  const lower = name.toLowerCase();
  const wanted = item.toLowerCase();
  return wanted.endsWith("*") ? lower.startsWith(wanted.slice(0, -1)) : lower === wanted;
}
