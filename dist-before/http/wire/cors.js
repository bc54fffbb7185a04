import { badHeader, Refusal } from "../../base/refusals.js";
/** The answer to OPTIONS; throws when the browser must not go on. */
export function preflightHeaders(rules, request) {
    const { origin, method } = request;
    if (origin === undefined || origin === "")
        throw badHeader("Origin", "");
    if (method === undefined || method === "")
        throw badHeader("Access-Control-Request-Method", "");
    const asked = namesOf(request.headers);
    for (const rule of rules) {
        if (!allowsOrigin(rule, origin) || !rule.allowedMethods.includes(method))
            continue;
        if (!asked.every((name) => matchesAny(rule.allowedHeaders, name)))
            continue;
        const out = {
            "Access-Control-Allow-Origin": originAnswer(rule, origin),
            "Access-Control-Allow-Methods": method,
            "Access-Control-Max-Age": String(rule.maxAgeSeconds),
        };
        if (request.headers !== undefined && asked.length > 0)
            out["Access-Control-Allow-Headers"] = request.headers;
        if (!allowsAllOrigins(rule))
            out["Access-Control-Allow-Credentials"] = "true";
        return out;
    }
    throw new Refusal("CorsPreflightFailure");
}
const NO_HEADERS = Object.freeze({});
/**
 * What to add to the answer of a real request. `replyHeaders` are the names of the headers already in it: a
 * browser takes no prefixes in Access-Control-Expose-Headers, so those of the rule are spelled out.
 *
 * `Vary: Origin` is for caches between us and the browser: set on GET and HEAD as soon as there are rules,
 * unless the answer is the same for every origin.
 */
export function corsHeaders(rules, request, replyHeaders) {
    if (rules.length === 0)
        return NO_HEADERS;
    const isCached = request.method === "GET" || request.method === "HEAD";
    const rule = rules.find((candidate) => matchesActual(candidate, request, isCached));
    if (rule === undefined)
        return isCached ? { Vary: "Origin" } : NO_HEADERS;
    const out = { "Access-Control-Allow-Origin": originAnswer(rule, request.origin ?? "*") };
    const exposed = exposedNames(rule, replyHeaders);
    if (exposed !== "")
        out["Access-Control-Expose-Headers"] = exposed;
    if (!allowsAllOrigins(rule)) {
        out["Access-Control-Allow-Credentials"] = "true";
        if (isCached)
            out.Vary = "Origin";
    }
    return out;
}
function matchesActual(rule, { origin, method }, isCached) {
    if (!rule.allowedMethods.includes(method))
        return false;
    // Without an Origin a cacheable answer still says "*": a cache may give it to a browser later.
    return origin === undefined ? isCached && allowsAllOrigins(rule) : allowsOrigin(rule, origin);
}
function exposedNames(rule, replyHeaders) {
    const names = [];
    for (const item of rule.exposedHeaders) {
        if (!item.endsWith("*"))
            names.push(item);
        else
            for (const name of replyHeaders)
                if (matchesItem(item, name))
                    names.push(name);
    }
    return [...new Set(names)].join(",");
}
function allowsAllOrigins(rule) {
    return rule.allowedOrigins.includes("*");
}
/** Origins are compared as they are written, with regard to case. */
function allowsOrigin(rule, origin) {
    return allowsAllOrigins(rule) || rule.allowedOrigins.includes(origin);
}
function originAnswer(rule, origin) {
    return allowsAllOrigins(rule) ? "*" : origin;
}
function namesOf(list) {
    if (list === undefined)
        return [];
    return list
        .split(",")
        .map((name) => name.trim())
        .filter((name) => name !== "");
}
function matchesAny(items, name) {
    return items.some((item) => matchesItem(item, name));
}
/** A literal name, or a prefix that ends in "*"; header names have no case. */
function matchesItem(item, name) {
    const lower = name.toLowerCase();
    const wanted = item.toLowerCase();
    return wanted.endsWith("*") ? lower.startsWith(wanted.slice(0, -1)) : lower === wanted;
}
