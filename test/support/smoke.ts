import assert from "node:assert/strict";
import { type RestError, TableClient } from "@azure/data-tables";
import { BlobServiceClient } from "@azure/storage-blob";
import { ShareServiceClient } from "@azure/storage-file-share";
import { QueueServiceClient } from "@azure/storage-queue";

/** Writes through each service and reads it back, through the SDKs: what any installation must pass. */
export async function smoke(connectionString: string): Promise<void> {
  const container = BlobServiceClient.fromConnectionString(connectionString).getContainerClient("smoke");
  await container.createIfNotExists();
  const blob = container.getBlockBlobClient("folder/blob");
  await blob.upload("blob", 4, { metadata: { colour: "blue" } });
  assert.equal((await blob.downloadToBuffer()).toString(), "blob");
  assert.deepEqual((await blob.getProperties()).metadata, { colour: "blue" });

  const queue = QueueServiceClient.fromConnectionString(connectionString).getQueueClient("smoke");
  await queue.createIfNotExists();
  await queue.sendMessage("message");
  const [message] = (await queue.receiveMessages()).receivedMessageItems;
  assert.equal(message?.messageText, "message");
  await queue.deleteMessage(message.messageId, message.popReceipt);

  const table = TableClient.fromConnectionString(connectionString, "smoke", {
    allowInsecureConnection: true,
  });
  await table.createTable();
  await table.upsertEntity({ partitionKey: "p", rowKey: "r", count: 7 });
  assert.equal((await table.getEntity("p", "r")).count, 7);
  await assert.rejects(table.getEntity("p", "missing"), (error) => (error as RestError).statusCode === 404);

  const share = ShareServiceClient.fromConnectionString(connectionString).getShareClient("smoke");
  await share.createIfNotExists();
  const file = share.rootDirectoryClient.getFileClient("file");
  await file.create(4);
  await file.uploadRange("file", 0, 4);
  assert.equal((await file.downloadToBuffer()).toString(), "file");
}
