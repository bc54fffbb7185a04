import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { generateTableSas } from "@azure/data-tables";
import { TABLE_REFUSALS } from "../../src/base/refusals/table.ts";
import { sendBytes } from "../kit/send.ts";
import { ENGINES, startTestServer, type TestServer } from "../kit/server.ts";
import {
  type BatchPart,
  batchOf,
  changeSet,
  createdTable,
  credential,
  entityPath,
  partsOf,
  type RawReply,
  type RawRequest,
  send,
} from "../kit/table.ts";

/**
 * Every status and code of the Table service, each with a request that reaches it. `entity` is inserted
 * before, and is the same afterwards: a refused request leaves nothing behind.
 */
interface Case {
  readonly code: string;
  readonly status: number;
  readonly why: string;
  readonly request: RawRequest | ((server: TestServer) => RawRequest);
  /** The refusal stands in the one part of the answer to a batch, whose own status is 202. */
  readonly inPart?: boolean;
  readonly message?: RegExp;
}

const there = entityPath("codes", "p", "there");
const absent = entityPath("codes", "p", "absent");
const insert = (body: string, table = "codes"): RawRequest => ({ method: "POST", path: `/${table}`, body });
const put = (body: string): RawRequest => ({ method: "PUT", path: absent, body });
const property = (json: string): RawRequest => put(`{${json}}`);
const create = (json: string): RawRequest => ({ method: "POST", path: "/Tables", body: json });
const query = (text: string): RawRequest => ({ path: "/codes()", query: text });
const many = (count: number, name = "n"): string =>
  Array.from({ length: count }, (_, i) => `"${name}${i}":${i}`).join(",");
const change = (json: string, table = "codes"): BatchPart => ({
  method: "POST",
  path: `/${table}`,
  body: json,
});
const batch =
  (...parts: BatchPart[]) =>
  (server: TestServer) =>
    changeSet(server, parts);
const newRow = (row: string, partition = "p"): string => `{"PartitionKey":"${partition}","RowKey":"${row}"}`;
const stale = `W/"datetime'2001-01-01T00%3A00%3A00Z'"`;

const CASES: readonly Case[] = [
  // Section 2: operations
  {
    code: "TableAlreadyExists",
    status: 409,
    why: "created before",
    request: create('{"TableName":"CODES"}'),
  },
  { code: "TableNotFound", status: 404, why: "query of no table", request: { path: "/nosuch()" } },
  { code: "TableNotFound", status: 404, why: "insert into no table", request: insert(newRow("x"), "nosuch") },
  {
    code: "TableNotFound",
    status: 404,
    why: "upsert into no table",
    request: { method: "PUT", path: entityPath("nosuch", "p", "r"), body: "{}" },
  },
  { code: "ResourceNotFound", status: 404, why: "get of no table", request: { path: "/Tables('nosuch')" } },
  {
    code: "ResourceNotFound",
    status: 404,
    why: "delete of no table",
    request: { method: "DELETE", path: "/Tables('nosuch')" },
  },
  {
    code: "ResourceNotFound",
    status: 404,
    why: "policies of no table, as XML",
    request: { path: "/nosuch", query: "comp=acl" },
  },
  {
    code: "InvalidXmlDocument",
    status: 400,
    why: "six policies",
    request: {
      method: "PUT",
      path: "/codes",
      query: "comp=acl",
      body: `<SignedIdentifiers>${"<SignedIdentifier><Id>a</Id></SignedIdentifier>".repeat(6)}</SignedIdentifiers>`,
    },
  },
  {
    code: "InvalidXmlDocument",
    status: 400,
    why: "a policy with a permission that tables have not",
    request: {
      method: "PUT",
      path: "/codes",
      query: "comp=acl",
      body: "<SignedIdentifiers><SignedIdentifier><Id>a</Id><AccessPolicy><Permission>rw</Permission></AccessPolicy></SignedIdentifier></SignedIdentifiers>",
    },
  },
  {
    code: "InvalidXmlDocument",
    status: 400,
    why: "service properties that are not XML",
    request: { method: "PUT", path: "/", query: "restype=service&comp=properties", body: "<Storage" },
  },
  { code: "ResourceNotFound", status: 404, why: "get of no entity", request: { path: absent } },
  { code: "EntityAlreadyExists", status: 409, why: "insert twice", request: insert(newRow("there")) },
  {
    code: "ResourceNotFound",
    status: 404,
    why: "update of no entity",
    request: { method: "PUT", path: absent, body: "{}", headers: { "If-Match": "*" } },
  },
  {
    code: "UpdateConditionNotSatisfied",
    status: 412,
    why: "update with an old ETag",
    request: { method: "PUT", path: there, body: "{}", headers: { "If-Match": stale } },
  },
  {
    code: "UpdateConditionNotSatisfied",
    status: 412,
    why: "merge with the ETag of another client",
    request: { method: "MERGE", path: there, body: "{}", headers: { "If-Match": 'W/"0x8D1"' } },
  },
  {
    code: "UpdateConditionNotSatisfied",
    status: 412,
    why: "delete with an old ETag",
    request: { method: "DELETE", path: there, headers: { "If-Match": stale } },
  },
  {
    code: "MissingRequiredHeader",
    status: 400,
    why: "delete without If-Match",
    request: { method: "DELETE", path: there },
  },
  // An endpoint that ends with the name of a table, as the SDKs explain it to their users
  {
    code: "TableNotFound",
    status: 404,
    why: "a table created below one that is not there",
    request: { method: "POST", path: "/nosuch/Tables", body: '{"TableName":"below"}' },
  },
  {
    code: "PropertiesNeedValue",
    status: 400,
    why: "a table created below another",
    request: { method: "POST", path: "/codes/Tables", body: '{"TableName":"below"}' },
  },
  ...[
    ["DELETE", "/codes/Tables('codes')"],
    ["GET", "/codes/Tables"],
    ["PATCH", "/codes/codes(PartitionKey='p',RowKey='there')"],
    ["POST", "/codes/codes"],
  ].map(
    ([method, path]): Case => ({
      code: "InvalidInput",
      status: 400,
      why: `${method} of what lies below a table`,
      request: { method: method!, path: path!, ...(method === "GET" ? {} : { body: newRow("below") }) },
      message:
        /^The number of keys specified in the URI does not match number of key properties for the resource 'codes'\./,
    }),
  ),
  {
    code: "InvalidQueryParameterValue",
    status: 400,
    why: "service properties of a table",
    request: { path: "/codes/", query: "restype=service&comp=properties" },
  },
  // Section 1: names, keys, properties, sizes
  {
    code: "OutOfRangeInput",
    status: 400,
    why: "a time before 1601, as .NET sends one that was never set",
    request: insert(
      '{"PartitionKey":"p","RowKey":"d","d@odata.type":"Edm.DateTime","d":"0001-01-01T00:00:00Z"}',
    ),
    message: /^One of the request inputs is out of range\./,
  },
  {
    code: "InvalidResourceName",
    status: 400,
    why: "a dash in a table name",
    request: create('{"TableName":"no-good"}'),
    message: /^The specifed resource name contains invalid characters\./,
  },
  {
    code: "OutOfRangeInput",
    status: 400,
    why: "a table name with a character that keys cannot have",
    request: create('{"TableName":"a//"}'),
  },
  {
    code: "InvalidResourceName",
    status: 400,
    why: "a reserved name",
    request: create('{"TableName":"tables"}'),
  },
  {
    code: "OutOfRangeInput",
    status: 400,
    why: "a name of two characters",
    request: create('{"TableName":"ab"}'),
    message: /^The specified resource name length is not within the permissible limits\./,
  },
  {
    code: "OutOfRangeInput",
    status: 400,
    why: "64 characters",
    request: create(`{"TableName":"${"a".repeat(64)}"}`),
  },
  { code: "PropertiesNeedValue", status: 400, why: "a table without a name", request: create("{}") },
  { code: "OutOfRangeInput", status: 400, why: "a slash in a key", request: insert(newRow("a/b")) },
  { code: "OutOfRangeInput", status: 400, why: "a control character", request: insert(newRow("\\u0085")) },
  { code: "KeyValueTooLarge", status: 400, why: "a key of 513", request: insert(newRow("k".repeat(513))) },
  {
    code: "PropertiesNeedValue",
    status: 400,
    why: "insert without RowKey",
    request: insert('{"PartitionKey":"p"}'),
    message: /^The values are not specified for all properties in the entity\./,
  },
  { code: "TooManyProperties", status: 400, why: "253 properties", request: property(many(253)) },
  {
    code: "PropertyNameTooLong",
    status: 400,
    why: "a name of 256",
    request: property(`"${"n".repeat(256)}":1`),
    message: /\(255\)\./,
  },
  { code: "PropertyNameInvalid", status: 400, why: "a dash in a name", request: property('"a-b":1') },
  { code: "PropertyNameInvalid", status: 400, why: "an empty name", request: property('"":1') },
  {
    code: "DuplicatePropertiesSpecified",
    status: 400,
    why: "one name twice",
    request: property('"a":1,"a":1'),
  },
  {
    code: "PropertyValueTooLarge",
    status: 400,
    why: "32 Ki and one characters",
    request: property(`"a":"${"x".repeat(32_769)}"`),
  },
  {
    code: "PropertyValueTooLarge",
    status: 400,
    why: "64 KiB and one bytes",
    request: property(`"a@odata.type":"Edm.Binary","a":"${Buffer.alloc(65_537).toString("base64")}"`),
  },
  {
    code: "EntityTooLarge",
    status: 400,
    why: "more than 1 MiB",
    request: property(Array.from({ length: 17 }, (_, i) => `"s${i}":"${"x".repeat(32_768)}"`).join(",")),
  },
  {
    code: "RequestBodyTooLarge",
    status: 413,
    why: "a body above 4 MiB",
    request: property(`"a":"${"x".repeat(4 * 1_024 * 1_024)}"`),
  },
  {
    code: "InvalidInput",
    status: 400,
    why: "a value that is an object",
    request: property('"a":{}'),
    message: /^An error occurred while processing this request\./,
  },
  {
    code: "InvalidValueType",
    status: 400,
    why: "no such type",
    request: property('"a@odata.type":"Edm.X","a":1'),
  },
  {
    code: "InvalidInput",
    status: 400,
    why: "a key that is a number",
    request: insert('{"PartitionKey":1}'),
    message: /^An error occurred while processing this request\./,
  },
  {
    code: "InvalidInput",
    status: 400,
    why: "a literal that is not of its type",
    request: property('"a@odata.type":"Edm.Int64","a":"x"'),
    message: /^An error occurred while processing this request\./,
  },
  { code: "InvalidInput", status: 400, why: "keys that disagree", request: property('"RowKey":"other"') },
  {
    code: "InvalidInput",
    status: 400,
    why: "one key in the address",
    request: { path: "/codes(PartitionKey='p')" },
    message:
      /^The number of keys specified in the URI does not match number of key properties for the resource 'codes'\./,
  },
  {
    code: "InvalidInput",
    status: 400,
    why: "If-None-Match on a PUT",
    request: { method: "PUT", path: absent, body: "{}", headers: { "If-None-Match": "*" } },
  },
  {
    code: "InvalidInput",
    status: 400,
    why: "If-None-Match on a DELETE",
    request: { method: "DELETE", path: there, headers: { "If-None-Match": "*" } },
  },
  {
    code: "InvalidInput",
    status: 400,
    why: "both match headers",
    request: { method: "PUT", path: there, body: "{}", headers: { "If-Match": "*", "If-None-Match": "*" } },
  },
  {
    code: "InvalidInput",
    status: 400,
    why: "a malformed ETag",
    request: { method: "PUT", path: there, body: "{}", headers: { "If-Match": "abc" } },
    message: /^The etag value 'abc' /,
  },
  {
    code: "InvalidInput",
    status: 400,
    why: "an ETag that is not a weak one, as those of this service are",
    request: { method: "MERGE", path: there, body: "{}", headers: { "If-Match": '"0x8D1"' } },
    message: /^The etag value '"0x8D1"' /,
  },
  // Verbs and formats
  {
    code: "MethodNotAllowed",
    status: 405,
    why: "PUT of the list of tables",
    request: { method: "PUT", path: "/Tables", body: "{}" },
  },
  {
    code: "XMethodNotUsingPost",
    status: 400,
    why: "X-HTTP-Method with PUT",
    request: { method: "PUT", path: absent, body: "{}", headers: { "X-HTTP-Method": "MERGE" } },
  },
  {
    code: "XMethodIncorrectValue",
    status: 400,
    why: "X-HTTP-Method that names a GET",
    request: { method: "POST", path: absent, body: "{}", headers: { "X-HTTP-Method": "GET" } },
  },
  {
    code: "XMethodIncorrectCount",
    status: 400,
    why: "X-HTTP-Method twice",
    request: { method: "POST", path: absent, body: "{}", headers: { "X-HTTP-Method": ["PUT", "MERGE"] } },
  },
  {
    code: "AtomFormatNotSupported",
    status: 415,
    why: "Atom asked for",
    request: { path: "/codes()", headers: { Accept: "application/json;odata=x, application/atom+xml" } },
  },
  {
    code: "AtomFormatNotSupported",
    status: 415,
    why: "Atom sent",
    request: { ...insert("<entry/>"), headers: { "Content-Type": "application/atom+xml" } },
  },
  {
    code: "JsonFormatNotSupported",
    status: 415,
    why: "a version that had no JSON",
    request: { path: there, headers: { "x-ms-version": "2012-02-12" } },
  },
  {
    code: "JsonVerboseFormatNotSupported",
    status: 415,
    why: "verbose JSON",
    request: { path: there, headers: { Accept: "application/json;odata=verbose" } },
  },
  {
    code: "MediaTypeNotSupported",
    status: 415,
    why: "plain text sent",
    request: { ...insert("{}"), headers: { "Content-Type": "text/plain" } },
  },
  // Section 5: queries
  { code: "InvalidInput", status: 400, why: "a malformed filter", request: query("$filter=a%20eq") },
  { code: "InvalidInput", status: 400, why: "$top above 1,000", request: query("$top=1001") },
  {
    code: "InvalidInput",
    status: 400,
    why: "a made-up continuation",
    request: query("NextPartitionKey=abc"),
  },
  { code: "NotImplemented", status: 501, why: "$orderby", request: query("$orderby=RowKey") },
  {
    code: "NotImplemented",
    status: 501,
    why: "a function",
    request: query("$filter=startswith(RowKey,'a')"),
  },
  // Section 6: transactions
  {
    code: "EntityAlreadyExists",
    status: 409,
    why: "a part inserts twice",
    inPart: true,
    request: batch(change(newRow("x")), change(newRow("there"))),
    message: /^1:The specified entity already exists\./,
  },
  {
    code: "UpdateConditionNotSatisfied",
    status: 412,
    why: "a part with an old ETag",
    inPart: true,
    request: batch(change(newRow("x")), { method: "DELETE", path: there, headers: { "If-Match": stale } }),
    message: /^1:/,
  },
  {
    code: "ResourceNotFound",
    status: 404,
    why: "a part without its entity",
    inPart: true,
    request: batch({ method: "DELETE", path: absent, headers: { "If-Match": "*" } }),
    message: /^The specified resource does not exist\./,
  },
  {
    code: "TableNotFound",
    status: 404,
    why: "a part without its table",
    inPart: true,
    request: batch(change(newRow("x"), "nosuch")),
    message: /^0:The table specified does not exist\./,
  },
  {
    code: "InvalidDuplicateRow",
    status: 400,
    why: "one row in two parts",
    inPart: true,
    request: batch(change(newRow("x")), change(newRow("x"))),
    message: /^1:The batch request contains multiple changes with same row key\./,
  },
  {
    code: "InvalidInput",
    status: 400,
    why: "101 parts",
    inPart: true,
    request: batch(...Array.from({ length: 101 }, (_, i) => change(newRow(`x${i}`)))),
    message: /^99:The batch request operation exceeds the maximum 100 changes per change set\./,
  },
  {
    code: "CommandsInBatchActOnDifferentPartitions",
    status: 400,
    why: "two partitions",
    inPart: true,
    request: batch(change(newRow("x")), change(newRow("x", "q"))),
    message: /^1:All commands in a batch must operate on same entity group\./,
  },
  {
    code: "CommandsInBatchActOnDifferentPartitions",
    status: 400,
    why: "two tables",
    inPart: true,
    request: batch(change(newRow("x")), change(newRow("y"), "other")),
  },
  {
    code: "InvalidResourceName",
    status: 400,
    why: "a part with a bad table name",
    inPart: true,
    request: batch(change(newRow("x"), "no-good")),
    message: /^0:/,
  },
  {
    code: "OutOfRangeInput",
    status: 400,
    why: "a part with a short table name",
    inPart: true,
    request: batch(change(newRow("x"), "ab")),
    message: /^0:/,
  },
  {
    code: "InvalidInput",
    status: 400,
    why: "a query among changes",
    inPart: true,
    request: batch(change(newRow("x")), { method: "GET", path: there }),
  },
  { code: "InvalidInput", status: 400, why: "no multipart at all", request: batchOf("hello") },
  {
    code: "RequestBodyTooLarge",
    status: 413,
    why: "a batch above 4 MiB",
    request: batchOf(`--batch_b\r\n${"x".repeat(4 * 1_024 * 1_024)}`),
  },
  {
    code: "AuthenticationFailed",
    status: 403,
    why: "a batch with a wrong signature",
    request: {
      ...batchOf("x"),
      headers: { Authorization: "SharedKey devstoreaccount1:AAAA" },
      isUnsigned: true,
    },
  },
  // Section 7: SAS
  {
    code: "AuthorizationFailure",
    status: 403,
    why: "a write outside the bounds of a SAS",
    request: (server) => ({ ...put("{}"), isUnsigned: true, query: boundedSas(server) }),
    message: /^This request is not authorized to perform this operation\./,
  },
  {
    code: "AuthorizationPermissionMismatch",
    status: 403,
    why: "a letter the SAS does not have",
    request: (server) => ({
      method: "DELETE",
      path: there,
      headers: { "If-Match": "*" },
      isUnsigned: true,
      query: boundedSas(server),
    }),
  },
];

function boundedSas(server: TestServer): string {
  return generateTableSas("codes", credential(server), {
    permissions: { add: true, update: true },
    expiresOn: new Date(server.clock.now() + 3_600_000),
    startPartitionKey: "q",
  });
}

/** Codes of the reference that nothing reaches, and why. */
const NEVER_GIVEN: Readonly<Record<string, string>> = {
  TableBeingDeleted: "a table of the same name can be created at once",
  EntityNotFound: "the service says ResourceNotFound in practice, and so do we",
};

/** Section 8 of the reference, and the codes its other sections name. */
const REFERENCE = [
  "AtomFormatNotSupported",
  "CommandsInBatchActOnDifferentPartitions",
  "DuplicatePropertiesSpecified",
  "EntityAlreadyExists",
  "EntityNotFound",
  "EntityTooLarge",
  "HostInformationNotPresent",
  "InvalidDuplicateRow",
  "InvalidInput",
  "InvalidResourceName",
  "InvalidValueType",
  "InvalidXmlDocument",
  "JsonFormatNotSupported",
  "MethodNotAllowed",
  "NotImplemented",
  "OutOfRangeInput",
  "PropertiesNeedValue",
  "PropertyNameInvalid",
  "PropertyNameTooLong",
  "PropertyValueTooLarge",
  "RequestBodyTooLarge",
  "ResourceNotFound",
  "TableAlreadyExists",
  "TableBeingDeleted",
  "TableNotFound",
  "TooManyProperties",
  "UpdateConditionNotSatisfied",
  "XMethodIncorrectCount",
  "XMethodIncorrectValue",
  "XMethodNotUsingPost",
  "AuthenticationFailed",
  "AuthorizationFailure",
];

test("every code of the reference and of our catalogue is reached, or has a reason not to be", () => {
  const reached = new Set([...CASES.map(({ code }) => code), "HostInformationNotPresent"]);
  for (const code of [...REFERENCE, ...Object.keys(TABLE_REFUSALS)]) {
    assert.notEqual(reached.has(code), code in NEVER_GIVEN, code);
  }
});

for (const engine of ENGINES) {
  describe(`codes of the Table service, over ${engine}`, () => {
    let server: TestServer;
    let before_: string;
    before(async () => {
      server = await startTestServer({ engine });
      const client = await createdTable(server, "codes");
      await createdTable(server, "other");
      await client.createEntity({ partitionKey: "p", rowKey: "there", v: 1 });
      before_ = await state();
    });
    after(() => server.close());

    /** Everything a refused request could have changed. */
    const state = async (): Promise<string> => {
      const replies = [{ path: "/Tables" }, { path: "/codes()" }, { path: "/other()" }];
      const bodies = await Promise.all(replies.map((request) => send(server, request)));
      const acl = await send(server, { path: "/codes", query: "comp=acl" });
      return JSON.stringify([...bodies.map(({ body }) => body), acl.body]);
    };

    for (const { code, status, why, request, inPart = false, message } of CASES) {
      test(`${status} ${code}: ${why}`, async () => {
        const reply = await send(server, typeof request === "function" ? request(server) : request);
        const found = inPart ? onlyPart(reply) : reply;
        assert.deepEqual([found.status, found.code], [status, code], reply.body.slice(0, 500));
        if (message !== undefined) assert.match(found.message!, message);
        assert.match(found.message!, /\nRequestId:[0-9a-f-]{36}\nTime:\d{4}-/);
        assert.equal(await state(), before_);
      });
    }

    test("400 HostInformationNotPresent: an empty Host header", async () => {
      const { signedHeaders, targetOf } = await import("../../bench/sign.ts");
      const request = { method: "GET", path: "/Tables", service: "table" } as const;
      const headers = Object.entries(signedHeaders(request)).map(([name, value]) => `${name}: ${value}\r\n`);
      const reply = await sendBytes(
        server.server.ports.table,
        `GET ${targetOf(request)} HTTP/1.1\r\nHost: \r\nConnection: close\r\n${headers.join("")}\r\n`,
      );
      assert.match(reply, /^HTTP\/1\.1 400 /);
      assert.match(reply, /"code":"HostInformationNotPresent"/);
    });
  });
}

function onlyPart(reply: RawReply) {
  assert.equal(reply.status, 202);
  const parts = partsOf(reply);
  assert.equal(parts.length, 1);
  assert.match(parts[0]!.text, /DataServiceVersion: 3\.0;/);
  return parts[0]!;
}
