import { type PlainRequest, signedHeaders, targetOf } from "../../bench/sign.ts";
import { HTTPS_FLAGS } from "../kit/certificates.ts";
import { startTestServer, type TestServer, type TestServerOptions } from "../kit/server.ts";
import { Ledger, type Sent, send } from "./ledger.ts";

/** What there is to steal: in each service something a caller was granted, and something beside it. */
export interface Fixture {
  readonly server: TestServer;
  readonly isSecure: boolean;
  port(service: Service): number;
  /** An honest request, signed with the account key. */
  signed(request: PlainRequest & { readonly service: Service }): Sent;
  /** Below the account, without a signature. */
  bare(service: Service, method: string, path: string, rest?: Partial<Sent>): Sent;
  close(): Promise<void>;
}

export type Service = "blob" | "queue" | "table" | "file";
export const SERVICES: readonly Service[] = ["blob", "queue", "table", "file"];

export async function openFixture(isSecure: boolean, options: TestServerOptions = {}): Promise<Fixture> {
  const flags = isSecure ? [...HTTPS_FLAGS, "--oauth", "basic"] : [];
  const server = await startTestServer({ ...options, flags: [...flags, ...(options.flags ?? [])] });
  const port = (service: Service): number => Number(new URL(server.endpoints[service]).port);
  const fixture: Fixture = {
    server,
    isSecure,
    port,
    signed: (request) => ({
      port: port(request.service),
      isSecure,
      method: request.method,
      target: targetOf(request),
      headers: signedHeaders(request),
      ...(request.body === undefined ? {} : { body: request.body.toString("latin1") }),
    }),
    bare: (service, method, path, rest = {}) => ({
      port: port(service),
      isSecure,
      method,
      target: `/${server.account}${path}`,
      ...rest,
    }),
    close: () => server.close(),
  };
  await furnish(fixture);
  return fixture;
}

async function furnish(fixture: Fixture): Promise<void> {
  const put = async (request: PlainRequest & { readonly service: Service }): Promise<void> => {
    const answer = await send(fixture.signed(request));
    if (answer.status >= 300)
      throw new Error(`${request.method} ${request.path}: ${answer.status} ${answer.body}`);
  };
  const secret = Buffer.from(Ledger.secret);
  const block = { "x-ms-blob-type": "BlockBlob" };
  for (const name of ["vault", "other"]) {
    await put({ service: "blob", method: "PUT", path: `/${name}`, query: { restype: "container" } });
    for (const blob of ["granted", "secret", "granted/below"]) {
      const body = blob === "granted" ? Buffer.from("granted") : secret;
      await put({ service: "blob", method: "PUT", path: `/${name}/${blob}`, headers: block, body });
    }
  }
  for (const name of ["queue-a", "queue-b"]) {
    await put({ service: "queue", method: "PUT", path: `/${name}` });
    const body = Buffer.from(`<QueueMessage><MessageText>${Ledger.secret}</MessageText></QueueMessage>`);
    await put({ service: "queue", method: "POST", path: `/${name}/messages`, body });
  }
  const json = { "Content-Type": "application/json" };
  for (const name of ["tablea", "tableb"]) {
    const body = Buffer.from(JSON.stringify({ TableName: name }));
    await put({ service: "table", method: "POST", path: "/Tables", headers: json, body });
    for (const key of ["a", "m", "z"]) {
      const text = key === "m" ? "granted" : Ledger.secret;
      const entity = Buffer.from(JSON.stringify({ PartitionKey: key, RowKey: key, text }));
      await put({ service: "table", method: "POST", path: `/${name}`, headers: json, body: entity });
    }
  }
  for (const name of ["share-a", "share-b"]) {
    await put({ service: "file", method: "PUT", path: `/${name}`, query: { restype: "share" } });
    for (const one of ["granted", "secret"]) {
      const size = { "x-ms-type": "file", "x-ms-content-length": String(secret.length) };
      await put({ service: "file", method: "PUT", path: `/${name}/${one}`, headers: size });
      const range = { "x-ms-range": `bytes=0-${secret.length - 1}`, "x-ms-write": "update" };
      const body = one === "secret" ? secret : Buffer.alloc(secret.length, "g");
      await put({
        service: "file",
        method: "PUT",
        path: `/${name}/${one}`,
        query: { comp: "range" },
        headers: range,
        body,
      });
    }
  }
}
