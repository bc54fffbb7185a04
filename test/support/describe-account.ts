import { createHash } from "node:crypto";
import { TableClient, TableServiceClient } from "@azure/data-tables";
import { type BlobItem, BlobServiceClient, type ContainerClient } from "@azure/storage-blob";
import { QueueServiceClient } from "@azure/storage-queue";

/**
 * Everything that the SDKs show of an account, as one text for each object, so that two accounts can be
 * compared. It dequeues all messages, because nothing else shows them in their order.
 */
export type Description = ReadonlyMap<string, string>;

export interface DescribeOptions {
  /** Names that no copy keeps: see the callers. */
  readonly ignored?: ReadonlySet<string>;
  /** Without it, messages are only peeked at: the first 32. */
  readonly dequeues?: boolean;
}

const http = { allowInsecureConnection: true };
const CLIENTS = 12;

export async function describeAccount(
  connectionString: string,
  { ignored = new Set(), dequeues = true }: DescribeOptions = {},
): Promise<Description> {
  const found = new Map<string, string>();
  const add = (name: string, value: unknown): void => {
    found.set(name, print(value, ignored));
  };
  await describeBlobs(connectionString, add);
  await describeQueues(connectionString, dequeues, add);
  await describeTables(connectionString, add);
  return found;
}

/** The names of objects that only one side has, or that differ, with both texts. */
export function differences(one: Description, other: Description): string[] {
  const names = new Set([...one.keys(), ...other.keys()]);
  return [...names]
    .filter((name) => one.get(name) !== other.get(name))
    .map((name) => `${name}\n  ${one.get(name)}\n  ${other.get(name)}`);
}

type Add = (name: string, value: unknown) => void;

/** Sorted by name, without empty values: servers leave them out or print them. */
function print(value: unknown, ignored: ReadonlySet<string>): string {
  return JSON.stringify(value, (_, part: unknown) => {
    if (typeof part === "bigint") return `${part}n`;
    if (typeof part === "string") return part.replace(ZEROS, "$1Z");
    if (typeof part !== "object" || part === null || Array.isArray(part)) return part;
    const entries = Object.entries(part).filter(
      ([name, field]) => !ignored.has(name) && field !== undefined && field !== "" && !isEmpty(field),
    );
    return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

/** At the end of a fraction of a second; Azure leaves them out, and other servers print them. */
const ZEROS = /(T\d\d(?::|%3A)\d\d(?::|%3A)\d\d(?:\.\d*[1-9])?)\.?0+Z/g;

function isEmpty(value: unknown): boolean {
  if (typeof value !== "object" || value === null || value instanceof Date) return false;
  return Object.keys(value).length === 0;
}

const hashOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

async function inParallel<T>(items: AsyncIterable<T>, work: (item: T) => Promise<void>): Promise<void> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < all.length) await work(all[next++]!);
  };
  await Promise.all(Array.from({ length: CLIENTS }, worker));
}

async function describeBlobs(connectionString: string, add: Add): Promise<void> {
  const service = BlobServiceClient.fromConnectionString(connectionString);
  const { blobAnalyticsLogging, hourMetrics, minuteMetrics, cors, defaultServiceVersion } =
    await service.getProperties();
  add("blob service", { blobAnalyticsLogging, hourMetrics, minuteMetrics, cors, defaultServiceVersion });
  for await (const { name, properties, metadata } of service.listContainers({ includeMetadata: true })) {
    const { etag: _, leaseState, leaseStatus, leaseDuration, lastModified } = properties;
    const container = service.getContainerClient(name);
    const { signedIdentifiers, blobPublicAccess } = await container.getAccessPolicy();
    const leaseAndTime = { leaseState, leaseStatus, leaseDuration, lastModified };
    add(`container ${name}`, { leaseAndTime, metadata, signedIdentifiers, blobPublicAccess });
    const blobs = container.listBlobsFlat({
      includeSnapshots: true,
      includeMetadata: true,
      includeTags: true,
      includeUncommitedBlobs: true,
      includeCopy: true,
    });
    await inParallel(blobs, async (item) => {
      const at = item.snapshot === undefined ? "" : ` at ${item.snapshot}`;
      add(`blob ${name}/${item.name}${at}`, await describeBlob(container, item));
    });
  }
}

async function describeBlob(container: ContainerClient, item: BlobItem): Promise<unknown> {
  const { name, snapshot = "", metadata, tags } = item;
  const blob = container.getBlobClient(name).withSnapshot(snapshot);
  const { blobType, contentLength, accessTier } = item.properties;
  const blocks =
    blobType === "BlockBlob" && snapshot === ""
      ? await container.getBlockBlobClient(name).getBlockList("all")
      : undefined;
  const lists = { committed: blocks?.committedBlocks, uncommitted: blocks?.uncommittedBlocks };
  // A blob of uncommitted blocks only: servers list more or less of it.
  if (contentLength === 0 && lists.uncommitted !== undefined) return { blobType, contentLength, lists };
  const listed = { properties: propertiesOf(item), metadata, tags };
  // An archived blob returns no body.
  if (accessTier === "Archive") return { listed, lists };
  const body = await blob.downloadToBuffer();
  const pages =
    blobType === "PageBlob"
      ? await container.getPageBlobClient(name).withSnapshot(snapshot).getPageRanges()
      : undefined;
  return { listed, lists, body: hashOf(body), pages: pages && joined(pages.pageRange ?? []) };
}

/** Without what servers list of their own accord, and what says nothing about the blob. */
function propertiesOf({ properties, snapshot }: BlobItem): object {
  const {
    etag: _e,
    serverEncrypted: _s,
    incrementalCopy: _i,
    isSealed,
    accessTierChangedOn,
    ...listed
  } = properties;
  const rest = { ...listed, isSealed: isSealed || undefined };
  // A tier that the server chose itself has no time in Azure, and a snapshot no lease.
  const changedOn = properties.accessTierInferred === true ? undefined : accessTierChangedOn;
  if (snapshot === undefined) return { ...rest, changedOn };
  const { leaseState: _state, leaseStatus: _status, ...ofSnapshot } = rest;
  return { ...ofSnapshot, changedOn };
}

/** Adjacent ranges as one, as Azure lists them. */
function joined(ranges: readonly { readonly offset: number; readonly count?: number }[]): number[][] {
  const spans: number[][] = [];
  for (const { offset, count = 0 } of ranges) {
    const last = spans.at(-1);
    if (last !== undefined && last[1]! + 1 === offset) last[1] = offset + count;
    else spans.push([offset, offset + count]);
  }
  return spans;
}

async function describeQueues(connectionString: string, dequeues: boolean, add: Add): Promise<void> {
  const service = QueueServiceClient.fromConnectionString(connectionString);
  const { queueAnalyticsLogging, hourMetrics, minuteMetrics, cors } = await service.getProperties();
  add("queue service", { queueAnalyticsLogging, hourMetrics, minuteMetrics, cors });
  for await (const { name, metadata } of service.listQueues({ includeMetadata: true })) {
    const queue = service.getQueueClient(name);
    const { approximateMessagesCount } = await queue.getProperties();
    const { signedIdentifiers } = await queue.getAccessPolicy();
    add(`queue ${name}`, { metadata, approximateMessagesCount, signedIdentifiers });
    for (let count = 0; ; ) {
      const numberOfMessages = 32;
      const messages = dequeues
        ? (await queue.receiveMessages({ numberOfMessages, visibilityTimeout: 3_600 })).receivedMessageItems
        : (await queue.peekMessages({ numberOfMessages })).peekedMessageItems;
      for (const { messageText, insertedOn, expiresOn, dequeueCount } of messages)
        add(`message ${count++} of ${name}`, { messageText, insertedOn, expiresOn, dequeueCount });
      if (messages.length === 0 || !dequeues) break;
    }
  }
}

async function describeTables(connectionString: string, add: Add): Promise<void> {
  const service = TableServiceClient.fromConnectionString(connectionString, http);
  const { logging } = await service.getProperties();
  add("table service", { logging });
  for await (const { name } of service.listTables()) {
    const table = TableClient.fromConnectionString(connectionString, name!, http);
    add(`table ${name}`, await table.getAccessPolicy());
    for await (const entity of table.listEntities({ disableTypeConversion: true }))
      add(`entity ${entity.partitionKey} ${entity.rowKey} of ${name}`, entity);
  }
}
