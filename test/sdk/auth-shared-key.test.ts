import assert from "node:assert/strict";
import { test } from "node:test";
import { AzureNamedKeyCredential, TableClient, TableServiceClient } from "@azure/data-tables";
import { BlobServiceClient, newPipeline, StorageSharedKeyCredential } from "@azure/storage-blob";
import {
  StorageSharedKeyCredential as FileCredential,
  newPipeline as newFilePipeline,
  ShareServiceClient,
} from "@azure/storage-file-share";
import {
  newPipeline as newQueuePipeline,
  StorageSharedKeyCredential as QueueCredential,
  QueueServiceClient,
} from "@azure/storage-queue";
import { systemClock } from "../../src/base/clock.ts";
import { seededRandom } from "../../src/base/random.ts";
import { authenticate } from "../../src/http/auth/authenticate.ts";
import type { ServiceName } from "../../src/http/exchange.ts";
import { contextOf, KEY, NAME } from "../support/auth.ts";
import { CapturingClient } from "../support/sdk-capture.ts";

/** Requests that the current SDKs sign with the account key, and never send. */
const OWNER = { kind: "owner", account: NAME };
const ADDRESSES = {
  "path-style": (_service: string) => `http://127.0.0.1:10000/${NAME}`,
  "host-style": (service: string) => `http://${NAME}.${service}.localhost:10000`,
};
const httpClient = new CapturingClient();
// The SDKs read the wall clock when they sign, so the server must, too.
const context = contextOf({ clock: systemClock });
const once = { retryOptions: { maxTries: 1 } };
// biome-ignore lint/suspicious/noExplicitAny: it replaces the client of the SDK, whose types are not exported
const transport = { httpClient: httpClient as any };

async function accepts(service: ServiceName, call: () => Promise<unknown>): Promise<void> {
  const request = await httpClient.requestOf(service, call);
  assert.deepEqual(
    await authenticate(request, context),
    OWNER,
    `${request.method} ${request.target.rawPath}`,
  );
}

for (const [style, addressOf] of Object.entries(ADDRESSES)) {
  test(`blob, ${style}`, async () => {
    const pipeline = newPipeline(new StorageSharedKeyCredential(NAME, KEY), { ...transport, ...once });
    const service = new BlobServiceClient(addressOf("blob"), pipeline);
    const container = service.getContainerClient("container");
    const blob = container.getBlockBlobClient("dir/ä b+c%20#?&=.txt");
    await accepts("blob", () => service.getProperties());
    await accepts("blob", () => service.listContainers({ prefix: "a b", includeMetadata: true }).next());
    await accepts("blob", () => container.create({ metadata: { a: "1", B: "2" }, access: "blob" }));
    await accepts("blob", () => container.listBlobsFlat({ includeSnapshots: true, prefix: "ü&=" }).next());
    await accepts("blob", () => container.setAccessPolicy(undefined, []));
    await accepts("blob", () =>
      blob.upload("hello", 5, { tags: { a: "b c" }, conditions: { ifNoneMatch: "*" } }),
    );
    await accepts("blob", () => blob.upload("", 0));
    await accepts("blob", () => blob.stageBlock("QUFB", "hellö", 6, { conditions: { leaseId: "x" } }));
    await accepts("blob", () =>
      blob.commitBlockList(["QUFB", "QkJC"], { blobHTTPHeaders: { blobContentType: "x" } }),
    );
    await accepts("blob", () =>
      blob.download(1, 2, { conditions: { ifMatch: '"0x1"', ifModifiedSince: new Date(0) } }),
    );
    await accepts("blob", () => blob.delete({ deleteSnapshots: "include" }));
    await accepts("blob", () => blob.syncCopyFromURL("http://127.0.0.1:1/b?sv=1&sig=x%2By"));
    await accepts("blob", () => blob.withSnapshot("2025-01-01T00:00:00.0000000Z").getProperties());
    await accepts("blob", () => service.findBlobsByTags("\"a\"='b'").next());
  });

  test(`queue, ${style}`, async () => {
    const pipeline = newQueuePipeline(new QueueCredential(NAME, KEY), { ...transport, ...once });
    const queue = new QueueServiceClient(addressOf("queue"), pipeline).getQueueClient("queue");
    await accepts("queue", () => queue.create({ metadata: { a: "1" } }));
    await accepts("queue", () => queue.sendMessage("<ü>", { visibilityTimeout: 5 }));
    await accepts("queue", () => queue.receiveMessages({ numberOfMessages: 32 }));
    await accepts("queue", () => queue.peekMessages());
    await accepts("queue", () => queue.deleteMessage("id", "AgAAAAMAAAAAAAAA+/8="));
    await accepts("queue", () => queue.getAccessPolicy());
  });

  test(`file, ${style}`, async () => {
    const pipeline = newFilePipeline(new FileCredential(NAME, KEY), { ...transport, ...once });
    const share = new ShareServiceClient(addressOf("file"), pipeline).getShareClient("share");
    const file = share.getDirectoryClient("dir/sub dir").getFileClient("ä+.txt");
    await accepts("file", () => share.create({ quota: 5 }));
    await accepts("file", () => file.create(1_024));
    await accepts("file", () => file.uploadRange("hello", 0, 5));
    await accepts("file", () => file.download(0, 5));
    await accepts("file", () => share.rootDirectoryClient.listFilesAndDirectories({ prefix: "p" }).next());
  });

  test(`table, ${style}`, async () => {
    const options = { ...transport, allowInsecureConnection: true, retryOptions: { maxRetries: 0 } };
    const credential = new AzureNamedKeyCredential(NAME, KEY);
    const address = addressOf("table");
    const service = new TableServiceClient(address, credential, options);
    const table = new TableClient(address, "mytable", credential, options);
    await accepts("table", () => service.createTable("mytable"));
    await accepts("table", () => service.getProperties());
    await accepts("table", () => service.listTables({ queryOptions: { filter: "TableName eq 'x'" } }).next());
    await accepts("table", () => table.createEntity({ partitionKey: "p", rowKey: "r", a: "ü" }));
    await accepts("table", () => table.getEntity("p 'q", "r/s+"));
    await accepts("table", () => table.upsertEntity({ partitionKey: "p", rowKey: "r" }, "Replace"));
    await accepts("table", () =>
      table.listEntities({ queryOptions: { filter: "a eq 1", select: ["a"] } }).next(),
    );
    await accepts("table", () => table.getAccessPolicy());
    await accepts("table", () => table.submitTransaction([["create", { partitionKey: "p", rowKey: "r" }]]));
  });
}

test("metadata of any names and values is signed in the order the SDK sorts it", async () => {
  const pipeline = newPipeline(new StorageSharedKeyCredential(NAME, KEY), { ...transport, ...once });
  const container = new BlobServiceClient(ADDRESSES["path-style"]("blob"), pipeline).getContainerClient("c");
  const random = seededRandom(7);
  const letters = "abz_019-";
  const pick = (from: string): string => from[Math.floor(random.fraction() * from.length)]!;
  for (let round = 0; round < 200; round++) {
    const metadata: Record<string, string> = {};
    for (let count = 0; count < 2 + random.fraction() * 6; count++) {
      const name = Array.from({ length: 1 + Math.floor(random.fraction() * 4) }, () => pick(letters)).join(
        "",
      );
      metadata[`a${name}`] = `x${pick(letters)}  y`;
    }
    await accepts("blob", () => container.setMetadata(metadata));
  }
});
