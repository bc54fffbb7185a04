import { TableClient, TableServiceClient } from "@azure/data-tables";
import { BlobServiceClient, type BlockBlobClient, type ContainerClient } from "@azure/storage-blob";
import { QueueServiceClient } from "@azure/storage-queue";
import { type Random, seededRandom } from "../../src/base/random.ts";

/**
 * Fills an account through the SDKs with objects of every kind that Azurite knows: each kind with all its
 * forms, `objects` of each kind.
 */
export interface FillAccount {
  readonly connectionString: string;
  /** Blobs, messages and entities, each. */
  readonly objects: number;
  readonly seed: number;
}

/** Hidden messages appear again, and leases of the shortest time have ended, after this time. */
export const FILL_HIDES_SECONDS = 20;

const CLIENTS = 12;
const PER_GROUP = 500;
const http = { allowInsecureConnection: true };
const blockId = (index: number): string =>
  Buffer.from(`block-${String(index).padStart(4, "0")}`).toString("base64");

export async function fillAccount({ connectionString, objects, seed }: FillAccount): Promise<void> {
  const random = seededRandom(seed);
  await setProperties(connectionString);
  const groups = Math.ceil(objects / PER_GROUP);
  for (let group = 0; group < groups; group++) {
    const count = Math.min(PER_GROUP, objects - group * PER_GROUP);
    await fillContainer(connectionString, group, count, random);
    await fillQueue(connectionString, group, count, random);
    await fillTable(connectionString, group, count, random);
  }
}

async function setProperties(connectionString: string): Promise<void> {
  const retentionPolicy = { enabled: true, days: 3 };
  const cors = [
    {
      allowedOrigins: "http://a.example,http://b.example",
      allowedMethods: "GET,PUT",
      allowedHeaders: "x-ms-meta-*,content-type",
      exposedHeaders: "etag",
      maxAgeInSeconds: 70,
    },
  ];
  const metrics = { version: "1.0", enabled: true, includeAPIs: true, retentionPolicy };
  const logging = { version: "1.0", deleteProperty: true, read: false, write: true, retentionPolicy };
  await BlobServiceClient.fromConnectionString(connectionString).setProperties({
    cors,
    hourMetrics: metrics,
    minuteMetrics: { ...metrics, enabled: false },
    blobAnalyticsLogging: logging,
    defaultServiceVersion: "2021-06-08",
  });
  await QueueServiceClient.fromConnectionString(connectionString).setProperties({
    cors,
    queueAnalyticsLogging: logging,
    hourMetrics: metrics,
  });
  await TableServiceClient.fromConnectionString(connectionString, http).setProperties({
    logging: { version: "1.0", delete: true, read: true, write: false, retentionPolicy },
  });
}

/** Runs `count` stories, several at a time. */
async function each(count: number, story: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < count) await story(next++);
  };
  await Promise.all(Array.from({ length: CLIENTS }, work));
}

const POLICIES = [
  { id: "both", accessPolicy: { startsOn: new Date(1.6e12), expiresOn: new Date(4e12), permissions: "r" } },
  { id: "other", accessPolicy: { expiresOn: new Date(3e12), permissions: "r" } },
];

async function fillContainer(
  connectionString: string,
  group: number,
  count: number,
  random: Random,
): Promise<void> {
  const service = BlobServiceClient.fromConnectionString(connectionString);
  const container = service.getContainerClient(`container-${group}`);
  await container.create({ metadata: { Group: String(group), note: "a b" } });
  const access = ([undefined, "blob", "container"] as const)[group % 3];
  if (group % 2 === 0) await container.setAccessPolicy(access, POLICIES as never);
  if (group % 4 === 1) await container.getBlobLeaseClient().acquireLease(-1);
  if (group % 4 === 2) await container.getBlobLeaseClient().acquireLease(15);
  await service.getContainerClient(`empty-${group}`).create();
  await each(count, (index) => fillBlob(container, index, random));
}

/** One form after the other: the number of a form says nothing else. */
async function fillBlob(container: ContainerClient, index: number, random: Random): Promise<void> {
  const name = `${["folder/", "ä ö/%/", "", "a+b=c&d/"][index % 4]}blob ${index}`;
  const blob = container.getBlockBlobClient(name);
  const text = random.bytes(1 + Math.floor(random.fraction() * 3_000));
  switch (index % 16) {
    case 0:
      return void (await blob.upload("", 0));
    case 1:
      return putWithEverything(blob, text);
    case 2:
      return putBlocks(blob, random);
    case 3:
      await putBlocks(blob, random);
      await blob.stageBlock(blockId(99), text, text.length);
      return;
    case 4:
      return void (await blob.stageBlock(blockId(1), text, text.length));
    case 5: {
      await blob.upload(text, text.length, { metadata: { state: "1" }, tags: { state: "1" } });
      await blob.createSnapshot();
      await blob.createSnapshot({ metadata: { own: "yes" } });
      await blob.upload("2", 1, { metadata: { state: "2" } });
      await blob.createSnapshot();
      return;
    }
    case 6:
      return fillAppendBlob(container, name, random);
    case 7:
      return fillPageBlob(container, name, random);
    case 8:
      await blob.upload(text, text.length);
      return void (await blob.getBlobLeaseClient().acquireLease(-1));
    case 9: {
      await blob.upload(text, text.length);
      const lease = blob.getBlobLeaseClient();
      await lease.acquireLease(index % 32 === 9 ? 15 : -1);
      if (index % 32 !== 9) await lease.breakLease(index % 64 === 25 ? 0 : 5);
      return;
    }
    case 10:
      await blob.upload(text, text.length, { tier: "Cool" });
      return void (await blob.setAccessTier(index % 32 === 10 ? "Archive" : "Hot"));
    case 11: {
      const large = random.bytes(20_000 + Math.floor(random.fraction() * 200_000));
      await blob.upload(large, large.length, { tags: { size: "large", index: String(index) } });
      return;
    }
    case 12:
      await blob.upload(text, text.length);
      await (await container.getBlobClient(`${name} copy`).beginCopyFromURL(blob.url)).pollUntilDone();
      return;
    default:
      return void (await blob.upload(text, text.length, { metadata: { index: String(index) } }));
  }
}

async function putWithEverything(blob: BlockBlobClient, text: Buffer): Promise<void> {
  await blob.upload(text, text.length, {
    metadata: { First: "1", second_Name: "two words" },
    tags: { project: "holdfast", "a b": "c/d=e" },
    tier: "Cool",
    blobHTTPHeaders: {
      blobContentType: "text/plain; charset=utf-8",
      blobContentEncoding: "identity",
      blobContentLanguage: "en",
      blobContentDisposition: 'attachment; filename="a b"',
      blobCacheControl: "max-age=60",
    },
  });
}

async function putBlocks(blob: BlockBlobClient, random: Random): Promise<void> {
  const ids: string[] = [];
  for (let index = 0; index < 3; index++) {
    const block = random.bytes([100, 5_000, 30_000][index]!);
    await blob.stageBlock(blockId(index), block, block.length);
    ids.push(blockId(index));
  }
  // The same block may stand twice in a list.
  await blob.commitBlockList([ids[1]!, ids[0]!, ids[2]!], { metadata: { blocks: "3" } });
}

async function fillAppendBlob(container: ContainerClient, name: string, random: Random): Promise<void> {
  const blob = container.getAppendBlobClient(name);
  await blob.create({ metadata: { kind: "append" } });
  for (const bytes of [10, 5_000]) await blob.appendBlock(random.bytes(bytes), bytes);
  await blob.createSnapshot();
  await blob.appendBlock("end", 3);
}

async function fillPageBlob(container: ContainerClient, name: string, random: Random): Promise<void> {
  const blob = container.getPageBlobClient(name);
  await blob.create(2 * 1024 * 1024, { blobSequenceNumber: 7 });
  await blob.uploadPages(random.bytes(4_096), 512, 4_096);
  await blob.uploadPages(random.bytes(1_024), 1_048_064, 1_024);
  await blob.createSnapshot();
  await blob.clearPages(1_024, 512);
  await blob.uploadPages(random.bytes(512), 2_048, 512);
}

async function fillQueue(
  connectionString: string,
  group: number,
  count: number,
  random: Random,
): Promise<void> {
  const service = QueueServiceClient.fromConnectionString(connectionString);
  const queue = service.getQueueClient(`queue-${group}`);
  await queue.create({ metadata: { Group: String(group), note: "a b" } });
  if (group % 2 === 0) await queue.setAccessPolicy(POLICIES as never);
  await service.getQueueClient(`empty-${group}`).create();
  // One after the other: their order is compared.
  for (let index = 0; index < count; index++) {
    const text =
      index % 50 === 0 ? random.bytes(15_000).toString("base64") : `message ${index} <&> ä \u{1f600}`;
    await queue.sendMessage(text, {
      messageTimeToLive: index % 3 === 0 ? -1 : 86_400 + index,
      visibilityTimeout: index % 10 === 9 ? FILL_HIDES_SECONDS : 0,
    });
  }
  // The first ones were received, and appear again.
  for (let round = 0; round < 2; round++) {
    await queue.receiveMessages({ numberOfMessages: 3, visibilityTimeout: FILL_HIDES_SECONDS });
  }
}

async function fillTable(
  connectionString: string,
  group: number,
  count: number,
  random: Random,
): Promise<void> {
  const name = `Table${group}`;
  const table = TableClient.fromConnectionString(connectionString, name, http);
  await table.createTable();
  if (group % 2 === 0)
    await table.setAccessPolicy([
      { id: "both", accessPolicy: { start: new Date(1.6e12), expiry: new Date(4e12), permission: "r" } },
    ]);
  await TableClient.fromConnectionString(connectionString, `Empty${group}`, http).createTable();
  await each(count, async (index) => {
    const partitionKey = ["one", "it's ä", "", "Three"][index % 4]!;
    const rowKey = `row ${String(index).padStart(6, "0")}`;
    const sparse = { partitionKey, rowKey, text: `text ${index}`, count: index };
    if (index % 3 !== 0) {
      await table.createEntity(sparse);
      if (index % 6 === 1) await table.updateEntity({ partitionKey, rowKey, merged: "yes" }, "Merge");
      return;
    }
    await table.createEntity({
      ...sparse,
      fraction: index + 0.5,
      whole: { type: "Double", value: "2" },
      isTrue: true,
      isFalse: false,
      large: 9_007_199_254_740_993n + BigInt(index),
      negative: -index,
      id: { type: "Guid", value: `a1b2c3d4-0000-4000-8000-${String(index).padStart(12, "0")}` },
      bytes: random.bytes(40),
      at: new Date(1.5e12 + index),
      precise: { type: "DateTime", value: "2020-01-01T00:00:00.1234567Z" },
      quoted: `"quoted" \\ \n ä \u{1f600}`,
      empty: "",
    });
  });
}
