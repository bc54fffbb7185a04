import { BlobServiceClient } from "@azure/storage-blob";
import { ShareServiceClient } from "@azure/storage-file-share";
import { queuesClient } from "../kit/queues.ts";
import type { TestServer } from "../kit/server.ts";
import { createdTable } from "../kit/table.ts";

const bytesOf = (length: number, seed: number): Buffer =>
  Buffer.from(Array.from({ length }, (_, at) => (at * 31 + seed * 17) & 0xff));

/** One of everything a client can store, through the clients of Azure; `seed` names it and fills it. */
export async function fillStore(server: TestServer, seed = 1): Promise<void> {
  await fillBlobs(server, seed);
  await fillFiles(server, seed);
  const queue = queuesClient(server).getQueueClient(`queue-${seed}`);
  await queue.create();
  for (let i = 0; i < 3; i++) await queue.sendMessage(`message ${i}`);
  const table = await createdTable(server, `table${seed}`);
  for (let i = 0; i < 3; i++) await table.createEntity({ partitionKey: "p", rowKey: `r${i}`, value: i });
}

async function fillBlobs(server: TestServer, seed: number): Promise<void> {
  const service = BlobServiceClient.fromConnectionString(server.connectionString);
  const container = service.getContainerClient(`container-${seed}`);
  await container.create();
  await container.getBlockBlobClient("small").upload("small", 5, { tags: { color: "red", size: "s" } });
  const large = container.getBlockBlobClient("large");
  await large.upload(bytesOf(200_000, seed), 200_000, { tags: { color: "blue" } });
  await large.createSnapshot();
  const blocks = container.getBlockBlobClient("blocks");
  const ids = ["a", "b", "c"].map((id) => Buffer.from(id).toString("base64"));
  for (const id of ids) await blocks.stageBlock(id, bytesOf(20_000, seed), 20_000);
  await blocks.commitBlockList(ids);
  await blocks.createSnapshot();
  for (const id of ids.slice(0, 2)) await blocks.stageBlock(id, bytesOf(30_000, seed), 30_000);
  const append = container.getAppendBlobClient("append");
  await append.create();
  for (let i = 0; i < 3; i++) await append.appendBlock(bytesOf(9_000, i), 9_000);
  const pages = container.getPageBlobClient("pages");
  await pages.create(1 << 20);
  await pages.uploadPages(bytesOf(65_536, seed), 0, 65_536);
  await pages.createSnapshot();
  await pages.uploadPages(bytesOf(512, seed), 131_072, 512);
}

async function fillFiles(server: TestServer, seed: number): Promise<void> {
  const service = ShareServiceClient.fromConnectionString(server.connectionString);
  const share = service.getShareClient(`share-${seed}`);
  await share.create();
  const directory = share.getDirectoryClient("directory");
  await directory.create();
  const file = directory.getFileClient("file");
  await file.create(100_000);
  await file.uploadRange(bytesOf(50_000, seed), 0, 50_000);
  await file.uploadRange(bytesOf(100, seed), 60_000, 100);
  await share.createSnapshot();
  await file.uploadRange(bytesOf(50_000, seed + 1), 0, 50_000);
  await share.getDirectoryClient("").getFileClient("other").create(10);
}
