import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Refusal, type RefusalCode } from "../../base/refusals.ts";
import type { CorsRule } from "../../services/account/service-properties.ts";
import { corsHeaders, type Preflight, preflightHeaders } from "./cors.ts";

const exact: CorsRule = {
  allowedOrigins: ["http://contoso.example", "http://fabrikam.example"],
  allowedMethods: ["PUT", "GET"],
  allowedHeaders: ["x-ms-meta-target*", "x-ms-meta-customheader"],
  exposedHeaders: ["x-ms-meta-*", "ETag"],
  maxAgeSeconds: 200,
};
const open: CorsRule = {
  allowedOrigins: ["*"],
  allowedMethods: ["PUT", "GET"],
  allowedHeaders: ["*"],
  exposedHeaders: [],
  maxAgeSeconds: 5,
};
const ask = (request: Partial<Preflight>): Preflight => ({
  origin: "http://contoso.example",
  method: "PUT",
  headers: undefined,
  ...request,
});

function refused(rules: readonly CorsRule[], request: Partial<Preflight>, code: RefusalCode): void {
  assert.throws(
    () => preflightHeaders(rules, ask(request)),
    (error: unknown) => error instanceof Refusal && error.code === code,
  );
}

test("a preflight that matches gets what it requested", () => {
  assert.deepEqual(preflightHeaders([exact], ask({ headers: "x-ms-meta-target, X-MS-META-CustomHeader" })), {
    "Access-Control-Allow-Origin": "http://contoso.example",
    "Access-Control-Allow-Methods": "PUT",
    "Access-Control-Max-Age": "200",
    "Access-Control-Allow-Headers": "x-ms-meta-target, X-MS-META-CustomHeader",
    "Access-Control-Allow-Credentials": "true",
  });
});

test("the first rule that matches decides, even if a later one is wider", () => {
  assert.equal(preflightHeaders([exact, open], ask({}))["Access-Control-Max-Age"], "200");
  const second = preflightHeaders([exact, open], ask({ headers: "x-other" }));
  assert.equal(second["Access-Control-Max-Age"], "5");
  assert.equal(second["Access-Control-Allow-Origin"], "*");
  assert.equal(second["Access-Control-Allow-Credentials"], undefined);
});

test("a star before a domain is any of its subdomains", () => {
  const rule = { ...exact, allowedOrigins: ["http://*.contoso.example", "https://*.b.example:8080"] };
  for (const origin of [
    "http://a.contoso.example",
    "http://a.b-1.contoso.example",
    "https://x.b.example:8080",
  ]) {
    assert.equal(preflightHeaders([rule], ask({ origin }))["Access-Control-Allow-Origin"], origin);
  }
  const others = [
    "http://contoso.example",
    "http://.contoso.example",
    "https://a.contoso.example",
    "http://acontoso.example",
    "http://a.contoso.example.evil.example",
    "http://evil.example/.contoso.example",
    "http://u@a.contoso.example",
    "https://x.b.example",
  ];
  for (const origin of others) refused([rule], { origin }, "CorsPreflightFailure");
});

test("a preflight without a match is refused", () => {
  refused([], {}, "CorsPreflightFailure");
  refused([exact], { origin: "http://CONTOSO.example" }, "CorsPreflightFailure");
  refused([exact], { method: "DELETE" }, "CorsPreflightFailure");
  refused([exact], { method: "put" }, "CorsPreflightFailure");
  refused([exact], { headers: "x-ms-meta-targe" }, "CorsPreflightFailure");
  refused([exact], { headers: "x-ms-meta-customheader2" }, "CorsPreflightFailure");
  refused([open], { origin: undefined }, "InvalidHeaderValue");
  refused([open], { method: undefined }, "InvalidHeaderValue");
});

// The table of the protocol's page "Understanding how the Vary header is set".
const get = (origin: string | undefined): { origin: string | undefined; method: string } => ({
  origin,
  method: "GET",
});
const reply = ["ETag", "x-ms-meta-a", "x-ms-version"];

test("without rules nothing is added", () => {
  assert.deepEqual(corsHeaders([], get(undefined), reply), {});
  assert.deepEqual(corsHeaders([], get("http://contoso.example"), reply), {});
});

test("with rules and no match, only Vary is added, and only to GET and HEAD", () => {
  assert.deepEqual(corsHeaders([exact], get(undefined), reply), { Vary: "Origin" });
  assert.deepEqual(corsHeaders([exact], get("http://other.example"), reply), { Vary: "Origin" });
  assert.deepEqual(corsHeaders([exact], { origin: "http://other.example", method: "PUT" }, reply), {});
});

test("an exact match is echoed, with credentials, Vary and the headers the rule exposes", () => {
  assert.deepEqual(corsHeaders([exact], get("http://fabrikam.example"), reply), {
    "Access-Control-Allow-Origin": "http://fabrikam.example",
    "Access-Control-Expose-Headers": "x-ms-meta-a,ETag",
    "Access-Control-Allow-Credentials": "true",
    Vary: "Origin",
  });
  assert.equal(
    corsHeaders([exact], { origin: "http://fabrikam.example", method: "PUT" }, reply).Vary,
    undefined,
  );
});

test("a rule for all origins answers * to everyone, without Vary", () => {
  const all = { ...open, exposedHeaders: ["*"] };
  const expected = { "Access-Control-Allow-Origin": "*", "Access-Control-Expose-Headers": reply.join(",") };
  assert.deepEqual(corsHeaders([all], get("http://any.example"), reply), expected);
  assert.deepEqual(corsHeaders([all], get(undefined), reply), expected);
  assert.deepEqual(corsHeaders([all], { origin: undefined, method: "PUT" }, reply), {});
});

test("any request gets headers or a refusal", () => {
  const text = fc.option(fc.string({ maxLength: 50 }), { nil: undefined });
  fc.assert(
    fc.property(text, text, text, (origin, method, headers) => {
      try {
        preflightHeaders([exact, open], { origin, method, headers });
      } catch (error) {
        assert(error instanceof Refusal);
      }
      corsHeaders([exact, open], { origin, method: method ?? "GET" }, reply);
    }),
  );
});
