import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { type RawReply, type RawRequest, sendRaw } from "../kit/raw-request.ts";
import { startTestServer, type TestServer } from "../kit/server.ts";

/**
 * Every status and every code of the protocol's Queue service, and the request that reaches it. What an
 * operation says when all is well is here too, so that this file can be read beside the protocol's own table.
 */
interface Case {
  readonly status: number;
  /** Undefined for success. */
  readonly code?: string;
  readonly elements?: Readonly<Record<string, string>>;
  readonly when: string;
  readonly request: (at: Scene) => RawRequest | Promise<RawRequest>;
}

interface Scene {
  /** A queue that is there, with a message, its id and its receipt. */
  readonly queue: string;
  readonly id: string;
  readonly receipt: string;
  readonly otherReceipt: string;
  readonly account: string;
  send(request: RawRequest): Promise<RawReply>;
}

const text = (content: string): string =>
  `<QueueMessage><MessageText>${content}</MessageText></QueueMessage>`;
const messages = ({ queue }: Scene): string => `/${queue}/messages`;
const message = (at: Scene): string => `${messages(at)}/${at.id}`;
const range = (name: string, value: string, min: number, max: number): Record<string, string> => ({
  QueryParameterName: name,
  QueryParameterValue: value,
  MinimumAllowed: String(min),
  MaximumAllowed: String(max),
});
const put =
  (query: Record<string, string>) =>
  (at: Scene): RawRequest => ({
    method: "POST",
    path: messages(at),
    query,
    body: text("x"),
  });
const get =
  (query: Record<string, string>) =>
  (at: Scene): RawRequest => ({
    method: "GET",
    path: messages(at),
    query,
  });

const CASES: readonly Case[] = [
  {
    when: "List Queues",
    status: 200,
    request: () => ({ method: "GET", path: "/", query: { comp: "list" } }),
  },
  {
    when: "Get Service Properties",
    status: 200,
    request: () => ({ method: "GET", path: "/", query: { restype: "service", comp: "properties" } }),
  },
  {
    when: "Set Service Properties",
    status: 202,
    request: () => ({
      method: "PUT",
      path: "/",
      query: { restype: "service", comp: "properties" },
      body: "<StorageServiceProperties><Cors /></StorageServiceProperties>",
    }),
  },
  { when: "Create Queue", status: 201, request: () => ({ method: "PUT", path: "/a-new-one" }) },
  {
    when: "Create Queue, there with the same metadata",
    status: 204,
    request: ({ queue }) => ({ method: "PUT", path: `/${queue}` }),
  },
  {
    when: "Delete Queue",
    status: 204,
    request: async ({ send }) => {
      await send({ method: "PUT", path: "/to-be-deleted" });
      return { method: "DELETE", path: "/to-be-deleted" };
    },
  },
  {
    when: "Get Queue Metadata",
    status: 200,
    request: ({ queue }) => ({ method: "GET", path: `/${queue}`, query: { comp: "metadata" } }),
  },
  {
    when: "Get Queue Metadata by HEAD",
    status: 200,
    request: ({ queue }) => ({ method: "HEAD", path: `/${queue}`, query: { comp: "metadata" } }),
  },
  {
    when: "Set Queue Metadata",
    status: 204,
    request: async ({ queue, send }) => {
      await send({ method: "PUT", path: `/${queue}-2` });
      return {
        method: "PUT",
        path: `/${queue}-2`,
        query: { comp: "metadata" },
        headers: { "x-ms-meta-a": "1" },
      };
    },
  },
  {
    when: "Get Queue ACL",
    status: 200,
    request: ({ queue }) => ({ method: "GET", path: `/${queue}`, query: { comp: "acl" } }),
  },
  {
    when: "Set Queue ACL",
    status: 204,
    request: ({ queue }) => ({ method: "PUT", path: `/${queue}`, query: { comp: "acl" } }),
  },
  { when: "Put Message", status: 201, request: put({}) },
  { when: "Get Messages", status: 200, request: get({ visibilitytimeout: "1" }) },
  { when: "Peek Messages", status: 200, request: get({ peekonly: "true" }) },
  {
    when: "Update Message",
    status: 204,
    request: (at) => ({
      method: "PUT",
      path: message(at),
      query: { popreceipt: at.receipt, visibilitytimeout: "0" },
    }),
  },
  {
    when: "Delete Message",
    status: 204,
    request: (at) => ({ method: "DELETE", path: message(at), query: { popreceipt: at.receipt } }),
  },
  { when: "Clear Messages", status: 204, request: (at) => ({ method: "DELETE", path: messages(at) }) },

  {
    code: "OutOfRangeInput",
    status: 400,
    when: "the marker is not one a listing gave",
    request: () => ({ method: "GET", path: "/", query: { comp: "list", marker: "nonsense" } }),
  },
  {
    code: "OutOfRangeInput",
    status: 400,
    when: "the marker is another account's",
    request: () => ({ method: "GET", path: "/", query: { comp: "list", marker: "/other/queue" } }),
  },
  {
    code: "MessageNotFound",
    status: 404,
    when: "no such message was ever there",
    request: (at) => ({
      method: "DELETE",
      path: `${messages(at)}/no-such-message`,
      query: { popreceipt: at.receipt },
    }),
  },
  {
    code: "MessageNotFound",
    status: 404,
    when: "the message is deleted already",
    request: async (at) => {
      const request = { method: "DELETE", path: message(at), query: { popreceipt: at.receipt } };
      await at.send(request);
      return request;
    },
  },
  {
    code: "MessageNotFound",
    status: 404,
    when: "the receipt is stale, because another client updated the message",
    request: async (at) => {
      const query = { popreceipt: at.receipt, visibilitytimeout: "0" };
      await at.send({ method: "PUT", path: message(at), query });
      return { method: "PUT", path: message(at), query };
    },
  },
  ...(["PUT", "DELETE"] as const).map((method) => ({
    code: "QueueNotFound",
    status: 404,
    when: `${method} of a message: there is no queue, whatever the receipt looks like`,
    request: () => ({
      method,
      path: "/no-such-queue/messages/x",
      query: { popreceipt: "garbage", visibilitytimeout: "0" },
    }),
  })),
  ...[
    ["a permission that queues have not", "<Id>a</Id>", "rwd"],
    ["an identifier of 65 characters", `<Id>${"a".repeat(65)}</Id>`, "r"],
  ].map(([when, id, letters]) => ({
    code: "InvalidXmlDocument",
    status: 400,
    when: `Set Queue ACL: ${when}`,
    request: ({ queue }: Scene) => ({
      method: "PUT",
      path: `/${queue}`,
      query: { comp: "acl" },
      body: `<SignedIdentifiers><SignedIdentifier>${id}<AccessPolicy><Permission>${letters}</Permission></AccessPolicy></SignedIdentifier></SignedIdentifiers>`,
    }),
  })),
  {
    code: "ResourceNotFound",
    status: 404,
    when: "a queue, without what is wanted of it",
    request: ({ queue }) => ({ method: "GET", path: `/${queue}` }),
  },
  {
    code: "PopReceiptMismatch",
    status: 400,
    when: "the receipt is that of another message",
    request: (at) => ({ method: "DELETE", path: message(at), query: { popreceipt: at.otherReceipt } }),
  },
  {
    code: "QueueAlreadyExists",
    status: 409,
    when: "it is there with other metadata",
    request: ({ queue }) => ({ method: "PUT", path: `/${queue}`, headers: { "x-ms-meta-a": "1" } }),
  },
  {
    code: "QueueNotFound",
    status: 404,
    when: "there is no such queue",
    request: () => ({ method: "POST", path: "/no-such-queue/messages", body: text("x") }),
  },
  {
    code: "RequestBodyTooLarge",
    status: 413,
    elements: { MaxLimit: "65536" },
    when: "the text is longer than 64 KiB",
    request: (at) => ({ method: "POST", path: messages(at), body: text("x".repeat(65_537)) }),
  },
  {
    code: "RequestBodyTooLarge",
    status: 413,
    when: "the body is longer than any text of 64 KiB needs",
    request: (at) => ({ method: "POST", path: messages(at), body: text("x".repeat(600_000)) }),
  },
  {
    code: "OutOfRangeQueryParameterValue",
    status: 400,
    elements: range("visibilitytimeout", "604801", 0, 604_800),
    when: "put: the delay is above its maximum",
    request: put({ visibilitytimeout: "604801", messagettl: "-1" }),
  },
  {
    code: "OutOfRangeQueryParameterValue",
    status: 400,
    elements: range("visibilitytimeout", "-1", 0, 604_800),
    when: "put: the delay is negative",
    request: put({ visibilitytimeout: "-1" }),
  },
  {
    code: "OutOfRangeQueryParameterValue",
    status: 400,
    elements: range("visibilitytimeout", "0", 1, 604_800),
    when: "get: hidden for no time",
    request: get({ visibilitytimeout: "0" }),
  },
  {
    code: "OutOfRangeQueryParameterValue",
    status: 400,
    elements: range("visibilitytimeout", "604801", 0, 604_800),
    when: "update: hidden for more than seven days",
    request: (at) => ({
      method: "PUT",
      path: message(at),
      query: { popreceipt: at.receipt, visibilitytimeout: "604801" },
    }),
  },
  {
    code: "OutOfRangeQueryParameterValue",
    status: 400,
    elements: range("numofmessages", "33", 1, 32),
    when: "get: 33 messages",
    request: get({ numofmessages: "33" }),
  },
  {
    code: "OutOfRangeQueryParameterValue",
    status: 400,
    elements: range("numofmessages", "0", 1, 32),
    when: "peek: 0 messages",
    request: get({ numofmessages: "0", peekonly: "true" }),
  },
  {
    code: "OutOfRangeQueryParameterValue",
    status: 400,
    elements: range("messagettl", "604801", 1, 604_800),
    when: "put in a version before 2017-07-29: more than seven days to live",
    request: (at) => ({ ...put({ messagettl: "604801" })(at), headers: { "x-ms-version": "2016-05-31" } }),
  },
  {
    code: "OutOfRangeQueryParameterValue",
    status: 400,
    elements: range("maxresults", "0", 1, 5_000),
    when: "list: no results",
    request: () => ({ method: "GET", path: "/", query: { comp: "list", maxresults: "0" } }),
  },
  {
    code: "InvalidQueryParameterValue",
    status: 400,
    elements: { QueryParameterName: "messagettl", QueryParameterValue: "0" },
    when: "put: no time to live",
    request: put({ messagettl: "0" }),
  },
  {
    code: "InvalidQueryParameterValue",
    status: 400,
    elements: { QueryParameterName: "messagettl", QueryParameterValue: "-2" },
    when: "put: a negative time to live that does not mean never",
    request: put({ messagettl: "-2" }),
  },
  {
    code: "InvalidQueryParameterValue",
    status: 400,
    elements: { QueryParameterName: "visibilitytimeout", QueryParameterValue: "10" },
    when: "put: never visible, the delay is as long as the life",
    request: put({ messagettl: "10", visibilitytimeout: "10" }),
  },
  {
    code: "InvalidQueryParameterValue",
    status: 400,
    elements: { QueryParameterName: "visibilitytimeout", QueryParameterValue: "604800" },
    when: "put: never visible, by the default time to live",
    request: put({ visibilitytimeout: "604800" }),
  },
  {
    code: "InvalidQueryParameterValue",
    status: 400,
    elements: { QueryParameterName: "numofmessages", QueryParameterValue: "many" },
    when: "get: not a number",
    request: get({ numofmessages: "many" }),
  },
  {
    code: "InvalidQueryParameterValue",
    status: 400,
    elements: { QueryParameterName: "visibilitytimeout", QueryParameterValue: "1e3" },
    when: "get: not a whole number",
    request: get({ visibilitytimeout: "1e3" }),
  },
  {
    code: "InvalidQueryParameterValue",
    status: 400,
    elements: { QueryParameterName: "popreceipt", QueryParameterValue: "garbage" },
    when: "delete: the receipt is malformed",
    request: (at) => ({ method: "DELETE", path: message(at), query: { popreceipt: "garbage" } }),
  },
  {
    code: "InvalidQueryParameterValue",
    status: 400,
    elements: { Reason: "Invalid pop receipt format" },
    when: "delete: the receipt is Base64 but of another length, and the message may exist",
    request: (at) => ({ method: "DELETE", path: message(at), query: { popreceipt: "mesbvexorrjhouuwibaj" } }),
  },
  {
    code: "MessageNotFound",
    status: 404,
    when: "delete: the receipt is Base64 but of another length, and there is no such message",
    request: (at) => ({
      method: "DELETE",
      path: `${messages(at)}/test-message`,
      query: { popreceipt: "mesbvexorrjhouuwibaj" },
    }),
  },
  {
    code: "InvalidQueryParameterValue",
    status: 400,
    elements: { QueryParameterName: "comp" },
    when: "there is no such operation",
    request: ({ queue }) => ({ method: "PUT", path: `/${queue}`, query: { comp: "lease" } }),
  },
  {
    code: "MissingRequiredQueryParameter",
    status: 400,
    elements: { QueryParameterName: "visibilitytimeout" },
    when: "update: how long to hide is not said",
    request: (at) => ({ method: "PUT", path: message(at), query: { popreceipt: at.receipt } }),
  },
  {
    code: "MissingRequiredQueryParameter",
    status: 400,
    elements: { QueryParameterName: "popreceipt" },
    when: "delete: without a receipt",
    request: (at) => ({ method: "DELETE", path: message(at) }),
  },
  {
    code: "InvalidXmlDocument",
    status: 400,
    when: "the body is not XML",
    request: (at) => ({ method: "POST", path: messages(at), body: "hello" }),
  },
  {
    code: "InvalidXmlDocument",
    status: 400,
    when: "MessageText is missing",
    request: (at) => ({ method: "POST", path: messages(at), body: "<QueueMessage></QueueMessage>" }),
  },
  {
    code: "InvalidXmlDocument",
    status: 400,
    when: "there is no body at all",
    request: (at) => ({ method: "POST", path: messages(at) }),
  },
  {
    code: "UnsupportedHttpVerb",
    status: 405,
    when: "the resource knows no such method",
    request: ({ queue }) => ({ method: "PATCH", path: `/${queue}` }),
  },
  {
    code: "UnsupportedHttpVerb",
    status: 405,
    when: "a message cannot be read by its id",
    request: (at) => ({ method: "GET", path: message(at) }),
  },
  {
    code: "InvalidResourceName",
    status: 400,
    when: "the name has characters a name may not have",
    request: () => ({ method: "PUT", path: "/Bad_Name" }),
  },
  {
    code: "OutOfRangeInput",
    status: 400,
    when: "the name is too short",
    request: () => ({ method: "PUT", path: "/ab" }),
  },
  {
    code: "InvalidXmlNodeValue",
    status: 400,
    when: "service properties: a value is not one",
    request: () => ({
      method: "PUT",
      path: "/",
      query: { restype: "service", comp: "properties" },
      body: "<StorageServiceProperties><HourMetrics><Version>1.0</Version><Enabled>maybe</Enabled></HourMetrics></StorageServiceProperties>",
    }),
  },
  {
    code: "InvalidMetadata",
    status: 400,
    when: "metadata: the name is no identifier",
    request: () => ({ method: "PUT", path: "/with-metadata", headers: { "x-ms-meta-1a": "x" } }),
  },
  {
    code: "CorsPreflightFailure",
    status: 403,
    when: "a preflight that no rule allows",
    request: ({ queue }) => ({
      method: "OPTIONS",
      path: `/${queue}`,
      headers: { origin: "https://example.org", "access-control-request-method": "GET" },
      isAnonymous: true,
    }),
  },
  {
    code: "ResourceNotFound",
    status: 404,
    when: "the address names nothing the service has",
    request: ({ queue }) => ({ method: "GET", path: `/${queue}/letters` }),
  },
];

/** Codes the protocol lists that Holdfast has no occasion to send. */
const NOT_SENT: Readonly<Record<string, string>> = {
  MessageTooLarge: "the service itself answers 413 RequestBodyTooLarge",
  QueueBeingDeleted: "a deleted queue's name is free at once",
  QueueDisabled: "there is no administrator who disables a queue",
  QueueNotEmpty: "a queue is deleted with what it holds",
  OperationTimedOut: "clearing is one write, however many messages there are",
};

/** Section 8 of the reference, and the codes its other sections name. */
const CODES_OF_THE_PROTOCOL = [
  "MessageNotFound",
  "MessageTooLarge",
  "PopReceiptMismatch",
  "QueueAlreadyExists",
  "QueueBeingDeleted",
  "QueueDisabled",
  "QueueNotEmpty",
  "QueueNotFound",
  "RequestBodyTooLarge",
  "OutOfRangeQueryParameterValue",
  "InvalidQueryParameterValue",
  "InvalidXmlDocument",
  "InvalidXmlNodeValue",
  "MissingRequiredQueryParameter",
  "UnsupportedHttpVerb",
  "InvalidResourceName",
  "OutOfRangeInput",
  "CorsPreflightFailure",
  "OperationTimedOut",
];

test("every code of the protocol is reached by a request below, or said why not", () => {
  const reached = new Set(CASES.map(({ code }) => code));
  for (const code of CODES_OF_THE_PROTOCOL) {
    assert.ok(reached.has(code) !== code in NOT_SENT, `${code} is reached, or explained, and not both`);
  }
});

suite("statuses and codes of the Queue service", () => {
  let server: TestServer;
  let queues = 0;
  before(async () => {
    server = await startTestServer();
  });
  after(() => server.close());

  async function scene(): Promise<Scene> {
    const queue = `scene-${++queues}`;
    const send = (request: RawRequest): Promise<RawReply> => sendRaw(server, "queue", request);
    await send({ method: "PUT", path: `/${queue}` });
    const one = await send({ method: "POST", path: `/${queue}/messages`, body: text("one") });
    const other = await send({ method: "POST", path: `/${queue}/messages`, body: text("other") });
    return {
      queue,
      id: one.element("MessageId")!,
      receipt: one.element("PopReceipt")!,
      otherReceipt: other.element("PopReceipt")!,
      account: server.account,
      send,
    };
  }

  for (const { status, code, elements, when, request } of CASES) {
    test(`${status} ${code ?? "success"}: ${when}`, async () => {
      const at = await scene();
      const reply = await at.send(await request(at));
      assert.equal(reply.status, status, reply.body);
      assert.equal(reply.headers["x-ms-error-code"], code);
      assert.ok(reply.headers["x-ms-request-id"]);
      if (code === undefined) return;
      assert.equal(reply.element("Code"), code);
      assert.equal(reply.headers["content-type"], "application/xml");
      for (const name in elements) assert.equal(reply.element(name), elements[name], name);
    });
  }
});
