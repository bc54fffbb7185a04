import assert from "node:assert/strict";
import { after, before } from "node:test";
import {
  AccountSASPermissions,
  AccountSASResourceTypes,
  AccountSASServices,
  generateAccountSASQueryParameters,
  RestError,
  type ShareClient,
  ShareServiceClient,
  StorageSharedKeyCredential,
} from "@azure/storage-file-share";
import { Refusal, type RefusalCode } from "../../../src/base/refusals.ts";
import { FileService } from "../../../src/services/file/file-service.ts";
import { type RawReply, send } from "../../kit/send.ts";
import { type Engine, startTestServer, type TestServer } from "../../kit/server.ts";

/** A server, the SDK's client of it, and the service behind it. */
export interface FileKit {
  readonly server: TestServer;
  readonly client: ShareServiceClient;
  /** The same service over the same store: what it opens, the server meets. */
  readonly files: FileService;
  newShare(): Promise<ShareClient>;
  raw(request: {
    readonly method: string;
    readonly path: string;
    readonly query?: Record<string, string>;
    readonly headers?: Record<string, string>;
    readonly body?: Buffer;
  }): Promise<RawReply>;
}

let counter = 0;

export function useFiles(engine: Engine, flags: readonly string[] = []): FileKit {
  let server: TestServer;
  let client: ShareServiceClient;
  let files: FileService;
  before(async () => {
    server = await startTestServer({ engine, flags });
    // One try: a refusal with 500 would be asked for again, 16 seconds long, and a fault must not be hidden
    // so.
    const retryOptions = { maxTries: 1 };
    client = ShareServiceClient.fromConnectionString(server.connectionString, { retryOptions });
    files = new FileService(server.runtime.parts);
  });
  after(() => server.close());
  return {
    get server() {
      return server;
    },
    get client() {
      return client;
    },
    get files() {
      return files;
    },
    async newShare() {
      const share = client.getShareClient(`share-${++counter}`);
      await share.create();
      return share;
    },
    raw: (request) => send(server, { service: "file", ...request }),
  };
}

/** A SAS of the account for files, good for an hour, and the SDK's client that comes with nothing else. */
export function withAccountSas({ server }: FileKit, letters: string): [sas: string, ShareServiceClient] {
  const { account, key, endpoints } = server;
  const sas = generateAccountSASQueryParameters(
    {
      expiresOn: new Date(Date.now() + 3_600_000),
      permissions: AccountSASPermissions.parse(letters),
      services: AccountSASServices.parse("f").toString(),
      resourceTypes: AccountSASResourceTypes.parse("sco").toString(),
    },
    new StorageSharedKeyCredential(account, key),
  ).toString();
  return [sas, new ShareServiceClient(`${endpoints.file}/${account}?${sas}`)];
}

/** The call must be refused with this status and code. */
export async function refused(call: Promise<unknown>, status: number, code: string): Promise<void> {
  await assert.rejects(call, (error: unknown) => {
    if (error instanceof Refusal) {
      assert.equal(error.row.code ?? error.code, code);
      assert.equal(error.row.http, status);
      return true;
    }
    assert(error instanceof RestError, String(error));
    assert.equal(error.statusCode, status, error.message);
    const details = error.details as { errorCode?: string } | undefined;
    assert.equal(error.code ?? details?.errorCode, code);
    return true;
  });
}

export function refusal(code: RefusalCode): (error: unknown) => boolean {
  return (error) => {
    assert(error instanceof Refusal, String(error));
    assert.equal(error.code, code);
    return true;
  };
}

export async function collectAll<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** The same bytes for the same seed, different ones for another. */
export function sample(length: number, seed = 1): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  for (let i = 0; i < length; i++) bytes[i] = (i * 31 + seed * 17 + (i >>> 8)) & 0xff;
  return bytes;
}
