import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, suite, test } from "node:test";
import { signed, signedHeaders } from "../../bench/sign.ts";
import { LIMITS } from "../../src/base/limits.ts";
import { certificateFile, HTTPS_FLAGS } from "../kit/certificates.ts";
import { send, sendBytes } from "../kit/send.ts";
import { startTestServer, type TestServer } from "../kit/server.ts";

const properties = { path: "", query: { restype: "service", comp: "properties" } };

function hourMetrics(days: number): Buffer {
  return Buffer.from(
    `<StorageServiceProperties><HourMetrics><Version>1.0</Version><Enabled>true</Enabled><IncludeAPIs>true</IncludeAPIs><RetentionPolicy><Enabled>true</Enabled><Days>${days}</Days></RetentionPolicy></HourMetrics></StorageServiceProperties>`,
  );
}

suite("the HTTP front end", () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer();
  });
  after(() => server.close());

  const get = (headers: Record<string, string> = {}) =>
    send(server, { ...properties, service: "queue", method: "GET", headers });
  const set = (body: Buffer, headers: Record<string, string> = {}) =>
    send(server, { ...properties, service: "queue", method: "PUT", body, headers });
  const storedDays = async (): Promise<string | undefined> =>
    /<HourMetrics>.*<Days>(\d+)<\/Days>/.exec((await get()).body)?.[1];

  test("answers with ids, version, server and date", async () => {
    const reply = await get({ "x-ms-client-request-id": "mine", "x-ms-version": "2031-12-31" });
    assert.equal(reply.status, 200);
    assert.equal(reply.headers["x-ms-client-request-id"], "mine");
    assert.equal(reply.headers["x-ms-version"], "2031-12-31");
    assert.match(String(reply.headers["x-ms-request-id"]), /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    assert.match(String(reply.headers.date), / GMT$/);
  });

  test("does not echo a client request id that is too long or not visible", async () => {
    const long = await get({ "x-ms-client-request-id": "x".repeat(LIMITS.clientRequestIdCharsMax + 1) });
    assert.equal(long.headers["x-ms-client-request-id"], undefined);
  });

  test("refuses a version that is none", async () => {
    const reply = await get({ "x-ms-version": "latest" });
    assert.deepEqual([reply.status, reply.code], [400, "InvalidHeaderValue"]);
    assert.match(reply.body, /<HeaderName>x-ms-version<\/HeaderName>/);
  });

  test("says in the status line what a refusal is about, save for those of OData", async () => {
    const missing = { path: "/nowhere", query: { comp: "metadata" } };
    const queue = await send(server, { ...missing, service: "queue", method: "HEAD" });
    assert.deepEqual([queue.status, queue.reason], [404, "The specified queue does not exist."]);
    const container = await send(server, {
      service: "blob",
      method: "GET",
      path: "/nowhere",
      query: { restype: "container" },
    });
    assert.deepEqual([container.status, container.reason], [404, "The specified container does not exist."]);
    const table = await send(server, { service: "table", method: "GET", path: "/nowhere" });
    assert.deepEqual([table.status, table.reason], [404, "Not Found"]);
    const unknown = await send(server, {
      service: "table",
      method: "GET",
      path: "/nowhere",
      isAnonymous: true,
      headers: { "x-ms-version": "2025-01-05" },
    });
    assert.equal(unknown.status, 401);
    assert.match(unknown.reason, /^Server failed to authenticate the request\. Please refer to/);
    assert.equal((await get()).reason, "OK");
  });

  test("prints refusals as XML, with a mark in front, and as OData for tables", async () => {
    const unsigned = {
      ...properties,
      method: "GET",
      isAnonymous: true,
      headers: { "x-ms-version": "2025-01-05" },
    };
    const blob = await send(server, { ...unsigned, service: "blob" });
    assert.deepEqual([blob.status, blob.code], [401, "NoAuthenticationInformation"]);
    assert.match(blob.body, /^\ufeff<\?xml version="1.0" encoding="utf-8"\?><Error><Code>NoAuth/);
    const table = await send(server, {
      ...unsigned,
      service: "table",
      query: {},
      target: "/devstoreaccount1/Tables",
    });
    assert.match(table.body, /^\{"odata.error"/);
  });

  test("does not look at a small body of an operation that has none", async () => {
    const container = { service: "blob", path: "/bodies", query: { restype: "container" } } as const;
    const created = await send(server, { ...container, method: "PUT", body: Buffer.from("{}") });
    assert.deepEqual([created.status, created.code], [201, undefined]);
    const meta = { ...container, query: { restype: "container", comp: "metadata" } };
    const set = await send(server, {
      ...meta,
      method: "PUT",
      headers: { "x-ms-meta-a": "1" },
      body: Buffer.from("a=b"),
    });
    assert.equal(set.status, 200);
    const large = Buffer.alloc(LIMITS.ignoredBodyBytesMax + 1, " ");
    const kept = await send(server, { ...container, method: "DELETE", body: large });
    assert.deepEqual([kept.status, kept.code], [413, "RequestBodyTooLarge"]);
    const gone = await send(server, { ...container, method: "DELETE", body: large.subarray(1) });
    assert.equal(gone.status, 202);
    // What was not read is not taken for the next request on the same connection.
    const port = Number(new URL(server.endpoints.queue).port);
    const head = (body = Buffer.alloc(0)): Buffer => signed({ ...properties, method: "GET", body }, port);
    const both = await sendBytes(port, Buffer.concat([head(Buffer.from("{}")), head()]));
    assert.equal(String(both).split("HTTP/1.1 200 ").length, 3, String(both));
  });

  test("refuses a header that decides something and comes twice", async () => {
    const { port } = new URL(server.endpoints.queue);
    const request = signed({ ...properties, method: "GET" }, Number(port)).toString();
    const twice = request.replace(
      "x-ms-version: 2025-01-05",
      "x-ms-version: 2025-01-05\r\nx-ms-version: 2025-01-05",
    );
    assert.match(await sendBytes(Number(port), twice), /^HTTP\/1.1 400 .*InvalidHeaderValue/s);
  });

  test("refuses unknown operations and methods", async () => {
    const unknown = await send(server, {
      service: "queue",
      method: "GET",
      path: "",
      query: { comp: "nonsense" },
    });
    assert.deepEqual([unknown.status, unknown.code], [400, "InvalidQueryParameterValue"]);
    const nameless = { service: "blob", method: "PUT", path: "", query: { restype: "container" } } as const;
    const created = await send(server, nameless);
    assert.deepEqual([created.status, created.code], [400, "InvalidQueryParameterValue"]);
    const method = await send(server, {
      ...properties,
      service: "queue",
      method: "PATCH",
      body: Buffer.from("x"),
    });
    assert.deepEqual([method.status, method.code], [405, "UnsupportedHttpVerb"]);
    for (const account of ["HEAD", "DELETE"]) {
      const reply = await send(server, { service: "file", method: account, path: "/" });
      assert.deepEqual([reply.status, reply.code], [400, "InvalidQueryParameterValue"], account);
    }
    const post = await send(server, { service: "blob", method: "POST", path: "container/blob" });
    assert.deepEqual([post.status, post.code], [405, "UnsupportedHttpVerb"]);
  });

  test("checks the digest of a body before anything is stored", async () => {
    await set(hourMetrics(1));
    const right = createHash("md5").update(hourMetrics(2)).digest("base64");
    const wrong = createHash("md5").update("other").digest("base64");
    const mismatch = await set(hourMetrics(2), { "Content-MD5": wrong });
    assert.deepEqual([mismatch.status, mismatch.code], [400, "Md5Mismatch"]);
    const malformed = await set(hourMetrics(2), { "Content-MD5": "abc" });
    assert.deepEqual([malformed.status, malformed.code], [400, "InvalidMd5"]);
    assert.equal(await storedDays(), "1");
    assert.equal((await set(hourMetrics(2), { "Content-MD5": right })).status, 202);
    assert.equal(await storedDays(), "2");
  });

  test("refuses a body that is too large, by its declared length or while it comes", async () => {
    await set(hourMetrics(1));
    const large = Buffer.alloc(LIMITS.servicePropertiesBytesMax + 1, " ");
    const declared = await set(large);
    assert.deepEqual([declared.status, declared.code], [413, "RequestBodyTooLarge"]);
    const { port } = new URL(server.endpoints.queue);
    const head = signed({ ...properties, method: "PUT" }, Number(port)).toString();
    const chunked = head.replace("Content-Length: 0", "Transfer-Encoding: chunked");
    const chunks = `${(LIMITS.servicePropertiesBytesMax + 1).toString(16)}\r\n${large.toString()}\r\n0\r\n\r\n`;
    assert.match(await sendBytes(Number(port), chunked + chunks), /^HTTP\/1.1 413 /);
    assert.equal(await storedDays(), "1");
  });

  test("takes a chunked body", async () => {
    const { port } = new URL(server.endpoints.queue);
    const head = signed({ ...properties, method: "PUT" }, Number(port)).toString();
    const body = hourMetrics(4).toString();
    const chunks = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
    const reply = await sendBytes(
      Number(port),
      head.replace("Content-Length: 0", "Transfer-Encoding: chunked") + chunks,
    );
    assert.match(reply, /^HTTP\/1.1 202 /);
    assert.equal(await storedDays(), "4");
  });

  test("stores nothing of a body that breaks off", async () => {
    await set(hourMetrics(1));
    const { port } = new URL(server.endpoints.queue);
    const whole = signed({ ...properties, method: "PUT", body: hourMetrics(5) }, Number(port));
    assert.equal(await sendBytes(Number(port), whole.subarray(0, whole.length - 10)), "");
    assert.equal(await storedDays(), "1");
  });

  test("asks for a body with 100 Continue only when the headers are good", async () => {
    const { port } = new URL(server.endpoints.queue);
    const request = { ...properties, method: "PUT", body: hourMetrics(6) };
    const head = (headers: Record<string, string>): string =>
      `PUT /devstoreaccount1?restype=service&comp=properties HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: ${request.body.length}\r\n${Object.entries(
        headers,
      )
        .map(([name, value]) => `${name}: ${value}\r\n`)
        .join("")}\r\n`;
    const good = await sendBytes(Number(port), head(signedHeaders(request)));
    assert.match(good, /^HTTP\/1.1 100 Continue\r\n\r\n$/);
    const bad = await sendBytes(
      Number(port),
      head({ ...signedHeaders(request), "x-ms-version": "2019-02-02" }),
    );
    assert.match(bad, /^HTTP\/1.1 403 /);
  });

  test("refuses a request whose date is off by more than 15 minutes", async () => {
    server.clock.advance(LIMITS.clockSkewMillis + 60_000);
    try {
      const reply = await get();
      assert.deepEqual([reply.status, reply.code], [403, "AuthenticationFailed"]);
      assert.match(reply.body, /<AuthenticationErrorDetail>Request date header too old: '.* GMT'</);
    } finally {
      server.clock.advance(-LIMITS.clockSkewMillis - 60_000);
    }
  });

  test("answers what is no HTTP, or has too much of a header, and ends the connection", async () => {
    const port = Number(new URL(server.endpoints.blob).port);
    assert.match(await sendBytes(port, "nonsense\r\n\r\n"), /^HTTP\/1.1 400 /);
    const large = `GET / HTTP/1.1\r\nHost: x\r\nx-large: ${"x".repeat(LIMITS.headerBytesMax)}\r\n\r\n`;
    assert.match(await sendBytes(port, large), /^HTTP\/1.1 431 /);
    const smuggled =
      "PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n";
    assert.match(await sendBytes(port, smuggled), /^HTTP\/1.1 400 /);
  });

  test("reads the account from the host name", async () => {
    const { port } = new URL(server.endpoints.queue);
    const request = signed({ ...properties, method: "GET" }, Number(port))
      .toString()
      .replace(`Host: 127.0.0.1:${port}`, `Host: unknown.queue.localhost:${port}`);
    assert.match(await sendBytes(Number(port), request), /^HTTP\/1.1 (403|404|400) /);
  });

  test("takes letters of other alphabets in an address for what they are, encoded or not", async () => {
    const port = Number(new URL(server.endpoints.blob).port);
    const restype = { restype: "container" };
    await send(server, { service: "blob", method: "PUT", path: "/letters", query: restype });
    const headers = { "x-ms-blob-type": "BlockBlob" };
    const encoded = signed({ method: "PUT", path: "/letters/caf%C3%A9%20one", headers }, port).toString();
    assert.match(await sendBytes(port, encoded.replace("%C3%A9", "\u00e9")), /^HTTP\/1.1 201 /);
    const query = { ...restype, comp: "list" };
    const list = await send(server, { service: "blob", method: "GET", path: "/letters", query });
    assert.match(list.body, /<Name>caf\u00e9 one<\/Name>/);
  });

  test("the secondary is read and not written", async () => {
    const service = "queue" as const;
    const at = (method: string, path: string) =>
      send(server, {
        service,
        method,
        path,
        target: `/devstoreaccount1-secondary${path}`,
        ...(method === "PUT" ? { body: Buffer.alloc(0) } : {}),
      });
    const created = await send(server, { service, method: "PUT", path: "/twin", body: Buffer.alloc(0) });
    assert.equal(created.status, 201);
    for (const [method, path] of [
      ["PUT", "/other"],
      ["DELETE", "/twin"],
      ["GET", "/twin/messages"],
    ] as const) {
      const refused = await at(method, path);
      assert.deepEqual(
        [refused.status, refused.code],
        [403, "InsufficientAccountPermissions"],
        method + path,
      );
    }
    const list = await send(server, { service, method: "GET", path: "/", query: { comp: "list" } });
    assert.match(list.body, /twin/);
    assert.doesNotMatch(list.body, /other/);
  });

  test("answers a browser's preflight by the rules, without a signature", async () => {
    const ask = (origin: string) =>
      send(server, {
        service: "queue",
        method: "OPTIONS",
        path: "/anything/at/all",
        isAnonymous: true,
        headers: { Origin: origin, "Access-Control-Request-Method": "GET" },
      });
    assert.deepEqual(
      [(await ask("https://a.example")).status, (await ask("https://a.example")).code],
      [403, "CorsPreflightFailure"],
    );
    assert.match(
      (await ask("https://a.example")).body,
      /<MessageDetails>No CORS rules matches this request</,
    );
    const rules = Buffer.from(
      "<StorageServiceProperties><Cors><CorsRule><AllowedOrigins>https://a.example</AllowedOrigins><AllowedMethods>GET</AllowedMethods><AllowedHeaders>*</AllowedHeaders><ExposedHeaders>x-ms-*</ExposedHeaders><MaxAgeInSeconds>5</MaxAgeInSeconds></CorsRule></Cors></StorageServiceProperties>",
    );
    assert.equal((await set(rules)).status, 202);
    const allowed = await ask("https://a.example");
    assert.equal(allowed.status, 200);
    assert.equal(allowed.headers["access-control-allow-origin"], "https://a.example");
    assert.equal((await ask("https://b.example")).status, 403);
    const actual = await get({ Origin: "https://a.example" });
    assert.equal(actual.headers["access-control-allow-origin"], "https://a.example");
    // What every reply carries is exposed like the rest, or the SDK in the page has no id for support.
    const exposed = String(actual.headers["access-control-expose-headers"]).split(",");
    assert.deepEqual(exposed, ["x-ms-request-id", "x-ms-version", "x-ms-client-request-id"]);
    // What a cache may keep says that it is not good for every origin, also when the request has none.
    assert.equal((await get({})).headers.vary, "Origin");
    // A page reads why it was refused only when the refusal says that it may.
    const path = "/missing/messages";
    const headers = { Origin: "https://a.example" };
    for (const isAnonymous of [true, false]) {
      const refused = await send(server, { service: "queue", method: "GET", path, headers, isAnonymous });
      assert.ok(refused.status >= 400);
      assert.equal(refused.headers["access-control-allow-origin"], "https://a.example");
      assert.match(String(refused.headers["access-control-expose-headers"]), /x-ms-error-code/);
      assert.equal(refused.headers.vary, "Origin");
    }
  });
});

suite("HTTPS", () => {
  for (const [kind, flags] of [
    ["PEM", HTTPS_FLAGS],
    ["PFX", ["--cert", certificateFile("cert.pfx"), "--pwd", "holdfast"]],
  ] as const) {
    test(`is served with a ${kind} certificate`, async () => {
      const server = await startTestServer({ flags });
      try {
        const reply = await send(server, { ...properties, service: "blob", method: "GET" });
        assert.equal(reply.status, 200);
      } finally {
        await server.close();
      }
    });
  }
});

suite("stopping", () => {
  test("finishes a request whose body is still coming", async () => {
    const server = await startTestServer();
    const { port } = new URL(server.endpoints.queue);
    const whole = signed({ ...properties, method: "PUT", body: hourMetrics(8) }, Number(port));
    const { connect } = await import("node:net");
    const socket = connect(Number(port), "127.0.0.1");
    let received = "";
    socket.on("data", (chunk) => {
      received += chunk.toString();
    });
    const ended = new Promise((resolve) => socket.on("close", resolve));
    await new Promise<void>((resolve) => socket.write(whole.subarray(0, whole.length - 10), () => resolve()));
    await new Promise((resolve) => setTimeout(resolve, 50));
    const closing = server.close();
    socket.write(whole.subarray(whole.length - 10));
    await Promise.all([closing, ended]);
    assert.match(received, /^HTTP\/1.1 202 /);
  });
});
