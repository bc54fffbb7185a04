import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { badHeader, Refusal } from "../../base/refusals.ts";
import { errorCodeOf, errorFormatOf, printError, reasonOf } from "./error-body.ts";
import { parseXml } from "./xml.ts";

const context = { requestId: "01234567-0000", version: "", time: Date.UTC(2022, 0, 2, 3, 4, 5, 678) };
const TRAILER = "\nRequestId:01234567-0000\nTime:2022-01-02T03:04:05.6780000Z";

test("Blob, Queue and File print an Error document with a byte order mark", () => {
  const { contentType, body } = printError(badHeader("x-ms-range", "<bad>"), "xml", context);
  assert.equal(contentType, "application/xml");
  assert.equal(
    body,
    '\ufeff<?xml version="1.0" encoding="utf-8"?><Error><Code>InvalidHeaderValue</Code>' +
      `<Message>The value for one of the HTTP headers is not in the correct format.${TRAILER}</Message>` +
      "<HeaderName>x-ms-range</HeaderName><HeaderValue>&lt;bad&gt;</HeaderValue></Error>",
  );
});

test("the Table service prints OData's JSON", () => {
  const { contentType, body } = printError(new Refusal("ResourceNotFound"), "odataJson", context);
  assert.equal(contentType, "application/json;odata=minimalmetadata;streaming=true;charset=utf-8");
  assert.deepEqual(JSON.parse(body), {
    "odata.error": {
      code: "ResourceNotFound",
      message: { lang: "en-US", value: `The specified resource does not exist.${TRAILER}` },
    },
  });
});

test("or OData's XML", () => {
  const { body } = printError(new Refusal("ResourceNotFound"), "odataXml", context);
  assert.equal(
    body,
    '<?xml version="1.0" encoding="utf-8"?>' +
      '<m:error xmlns:m="http://schemas.microsoft.com/ado/2007/08/dataservices/metadata">' +
      `<m:code>ResourceNotFound</m:code><m:message xml:lang="en-US">The specified resource does not exist.${TRAILER}` +
      "</m:message></m:error>",
  );
});

test("the format follows the service, the operation and what the client accepts", () => {
  const table = { service: "table", isXmlOperation: false } as const;
  assert.equal(errorFormatOf({ ...table, accept: undefined }), "odataJson");
  assert.equal(errorFormatOf({ ...table, accept: "application/json;odata=nometadata" }), "odataJson");
  assert.equal(errorFormatOf({ ...table, accept: "application/atom+xml,application/json" }), "odataJson");
  assert.equal(errorFormatOf({ ...table, accept: "application/atom+xml,application/xml" }), "odataXml");
  assert.equal(errorFormatOf({ ...table, accept: "*/*", isXmlOperation: true }), "odataXml");
  assert.equal(errorFormatOf({ service: "blob", accept: "application/json", isXmlOperation: false }), "xml");
});

test("the status line has the text in one visible line, but the Table service leaves it to HTTP", () => {
  assert.equal(reasonOf(new Refusal("ConditionNotMet"), false), new Refusal("ConditionNotMet").row.text);
  assert.equal(reasonOf(new Refusal("ResourceNotFound"), true), undefined);
  assert.equal(reasonOf(new Refusal("AuthorizationFailure"), true)?.slice(0, 12), "This request");
  const hostile = new Refusal("InvalidInput", {
    text: `a\r\nSet-Cookie: b\u2028\ud83d\ude00${"x".repeat(9_000)}`,
  });
  assert.match(reasonOf(hostile, false)!, /^a {2}Set-Cookie: b {3}x{230,240}$/);
});

test("a row may share its code on the wire, and a refusal may bring its own text", () => {
  const refusal = new Refusal("InvalidBearerToken", { text: "Expired." });
  assert.equal(errorCodeOf(refusal), "InvalidAuthenticationInfo");
  const root = parseXml(Buffer.from(printError(refusal, "xml", context).body));
  assert.equal(root.textOf("Code"), "InvalidAuthenticationInfo");
  assert.equal(root.textOf("Message"), `Expired.${TRAILER}`);
});

test("whatever a refusal quotes, the body stays readable", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (value) => {
      const refusal = badHeader("x-ms-date", value);
      for (const format of ["xml", "odataXml"] as const)
        parseXml(Buffer.from(printError(refusal, format, context).body));
      JSON.parse(printError(refusal, "odataJson", context).body);
    }),
  );
});
