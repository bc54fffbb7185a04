import assert from "node:assert/strict";
import { after, before, beforeEach, suite } from "node:test";
import {
  AnonymousCredential,
  type BlobClient,
  BlobSASPermissions,
  BlobServiceClient,
  type ContainerClient,
  type RestError,
  StorageSharedKeyCredential,
} from "@azure/storage-blob";
import { type RawReply, type RawRequest, raw } from "./raw.ts";
import { ENGINES, type Engine, startTestServer, type TestServer } from "./server.ts";

/** A Blob service on each engine, shared by the tests of a suite; each test takes containers of its own. */
export interface BlobKit {
  readonly engine: Engine;
  readonly server: TestServer;
  readonly service: BlobServiceClient;
  readonly credential: StorageSharedKeyCredential;
  readonly anonymous: BlobServiceClient;
  /** A name no other test uses. */
  name(): string;
  container(): Promise<ContainerClient>;
  raw(request: RawRequest): Promise<RawReply>;
}

const NO_RETRIES = { retryOptions: { maxTries: 1 } };
let names = 0;

export function onEachEngine(
  title: string,
  define: (kit: BlobKit) => void,
  flags: readonly string[] = [],
): void {
  for (const engine of ENGINES) {
    suite(`${title} on ${engine}`, () => {
      let kit: BlobKit | undefined;
      before(async () => {
        kit = kitOf(await startTestServer({ engine, flags }));
      });
      // SDKs sign with the real time: what the test before has moved is moved back.
      beforeEach(() => kit?.server.clock.set(Date.now()));
      after(() => kit?.server.close());
      // The server exists when the first test runs; the suite is described before.
      define(new Proxy({} as BlobKit, {
        get: (_, key) => kit![key as keyof BlobKit],
      }));
    });
  }
}

export function kitOf(server: TestServer): BlobKit {
  const url = `${server.endpoints.blob}/${server.account}`;
  const credential = new StorageSharedKeyCredential(server.account, server.key);
  const service = new BlobServiceClient(url, credential, NO_RETRIES);
  const name = (): string => `c-${(++names).toString(36)}-test`;
  return {
    engine: server.engine,
    server,
    service,
    credential,
    anonymous: new BlobServiceClient(url, new AnonymousCredential(), NO_RETRIES),
    name,
    container: async () => {
      const container = service.getContainerClient(name());
      await container.create();
      return container;
    },
    raw: (request) => raw(server, request),
  };
}

/** The address of a blob with the right to read it, as whoever copies it needs it. */
export function readableUrl({ server }: BlobKit, blob: BlobClient, letters = "rt"): Promise<string> {
  const expiresOn = new Date(server.clock.now() + 3_600_000);
  return blob.generateSasUrl({ permissions: BlobSASPermissions.parse(letters), expiresOn });
}

/** For assert.rejects: the status and the protocol's code. */
export function refused(status: number, code?: string): (error: RestError) => true {
  return (error) => {
    const found = error.code ?? error.response?.headers.get("x-ms-error-code");
    assert.equal(
      `${error.statusCode} ${code === undefined ? "" : found}`,
      `${status} ${code === undefined ? "" : code}`,
      String(error),
    );
    return true;
  };
}

export async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}
