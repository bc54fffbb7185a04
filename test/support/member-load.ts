import { BlobServiceClient, type ContainerClient, RestError } from "@azure/storage-blob";
import { type QueueClient, QueueServiceClient } from "@azure/storage-queue";
import { collect } from "../../src/base/bytes.ts";
import { pause } from "../../src/base/clock.ts";
import { type Random, seededRandom } from "../../src/base/random.ts";

/**
 * Clients that write through several members at once and keep book of what was acknowledged, so that
 * afterwards every promise can be compared with what is there. A call that failed without an answer may have
 * happened or not.
 */
export interface MemberAddress {
  /** Changes when the member was started anew on other ports. */
  connectionString(): string;
}

export interface LoadStats {
  acknowledged: number;
  refused: number;
  unanswered: number;
  /** Answered with 503 ServerBusy, which says that nothing was made. */
  busy: number;
  /** The longest time without any acknowledged write, of all clients together. */
  longestGapMillis: number;
  /** The longest that a client waited for an answer to a write. */
  longestCallMillis: number;
}

const COUNTERS = 4;
const LARGE_BYTES = 150_000;
const CHECKS_AT_ONCE = 8;
/** How long a received message is nobody else's. */
const HIDDEN_SECONDS = 30;
const CONTAINER = "load";

interface Services {
  readonly container: ContainerClient;
  readonly queue: QueueClient;
}

function servicesAt(connectionString: string): Services {
  // No retries behind our back: an answer that did not come must be seen as such.
  const options = { retryOptions: { maxTries: 1, tryTimeoutInMs: 30_000 } };
  return {
    container: BlobServiceClient.fromConnectionString(connectionString, options).getContainerClient(
      CONTAINER,
    ),
    queue: QueueServiceClient.fromConnectionString(connectionString, options).getQueueClient(CONTAINER),
  };
}

export class MemberLoad {
  readonly stats: LoadStats = {
    acknowledged: 0,
    refused: 0,
    unanswered: 0,
    busy: 0,
    longestGapMillis: 0,
    longestCallMillis: 0,
  };
  readonly faults: string[] = [];
  readonly #members: readonly MemberAddress[];
  readonly #items = new Map<string, string>();
  /** Counter by counter: who was told that its write made this value. */
  readonly #counted = Array.from({ length: COUNTERS }, () => new Map<number, string>());
  readonly #unknownCounts = new Array<number>(COUNTERS).fill(0);
  /** Items whose clients were told that nothing was made. */
  readonly #neverMade: string[] = [];
  readonly #sent = new Set<string>();
  readonly #unsure = new Set<string>();
  readonly #received = new Map<string, number>();
  #holder: string | undefined;
  #isDone = false;
  #lastAcknowledged = Date.now();
  #running: Promise<void>[] = [];

  constructor(members: readonly MemberAddress[]) {
    this.#members = members;
  }

  async prepare(): Promise<void> {
    const { container, queue } = servicesAt(this.#members[0]!.connectionString());
    await container.create();
    await queue.create();
    for (let i = 0; i < COUNTERS; i++)
      await container.getBlockBlobClient(`counter-${i}`).upload("0:start", 7);
    await container.getBlockBlobClient("leased").upload("", 0);
  }

  /** `leases`: only where no member dies, since a lease whose holder was not told lasts its full time. */
  start({ clients, seed, leases }: { clients: number; seed: number; leases: boolean }): void {
    this.#lastAcknowledged = Date.now();
    for (let client = 0; client < clients; client++) {
      this.#running.push(this.#run(client, seededRandom(seed + client), leases));
    }
  }

  async stop(): Promise<void> {
    this.#isDone = true;
    await Promise.all(this.#running);
  }

  /** When the last write was acknowledged, by the wall clock. */
  get lastAcknowledged(): number {
    return this.#lastAcknowledged;
  }

  async #run(client: number, random: Random, leases: boolean): Promise<void> {
    for (let round = 0; !this.#isDone; round++) {
      const member = this.#members[Math.floor(random.fraction() * this.#members.length)]!;
      const token = `${client}-${round}`;
      const services = servicesAt(member.connectionString());
      const kind = random.fraction();
      if (kind < 0.35) await this.#count(services, Math.floor(random.fraction() * COUNTERS), token);
      else if (kind < 0.7) await this.#item(services, token, kind > 0.6 ? LARGE_BYTES : 100);
      else if (kind < 0.8) await this.#send(services, token);
      else if (kind < 0.92 || !leases) await this.#receive(services);
      else await this.#lease(services, token);
    }
  }

  /**
   * Runs one write. True when it was acknowledged, false when nothing was made, undefined when nobody knows.
   */
  async #attempt(write: () => Promise<unknown>): Promise<boolean | undefined> {
    const began = Date.now();
    try {
      await write();
    } catch (error) {
      const { statusCode, code } = error instanceof RestError ? error : {};
      const isBusy = statusCode === 503 && code === "ServerBusy";
      if (isBusy) this.stats.busy++;
      else if (statusCode !== undefined && statusCode < 500) this.stats.refused++;
      else this.stats.unanswered++;
      if (statusCode !== undefined && (isBusy || statusCode < 500)) return false;
      await pause(20);
      return undefined;
    } finally {
      this.stats.longestCallMillis = Math.max(this.stats.longestCallMillis, Date.now() - began);
    }
    const now = Date.now();
    this.stats.longestGapMillis = Math.max(this.stats.longestGapMillis, now - this.#lastAcknowledged);
    this.#lastAcknowledged = now;
    this.stats.acknowledged++;
    return true;
  }

  async #count({ container }: Services, counter: number, token: string): Promise<void> {
    const blob = container.getBlockBlobClient(`counter-${counter}`);
    let next = 0;
    let etag = "";
    try {
      const found = await blob.download();
      const body = await collect(found.readableStreamBody as AsyncIterable<Uint8Array>);
      next = Number(body.toString().split(":")[0]) + 1;
      etag = found.etag!;
    } catch {
      await pause(20);
      return;
    }
    const body = `${next}:${token}`;
    const outcome = await this.#attempt(() =>
      blob.upload(body, body.length, { conditions: { ifMatch: etag } }),
    );
    if (outcome === undefined) this.#unknownCounts[counter]!++;
    if (outcome !== true) return;
    const other = this.#counted[counter]!.get(next);
    if (other !== undefined) this.faults.push(`counter ${counter}: ${other} and ${token} both made ${next}`);
    this.#counted[counter]!.set(next, token);
  }

  async #item({ container }: Services, token: string, bytes: number): Promise<void> {
    const body = `${token}:`.repeat(Math.ceil(bytes / (token.length + 1)));
    const blob = container.getBlockBlobClient(`item-${token}`);
    const outcome = await this.#attempt(() => blob.upload(body, body.length));
    if (outcome === true) this.#items.set(token, body);
    if (outcome === false) this.#neverMade.push(token);
  }

  async #send({ queue }: Services, token: string): Promise<void> {
    const outcome = await this.#attempt(() => queue.sendMessage(token));
    if (outcome === true) this.#sent.add(token);
    else this.#unsure.add(token);
  }

  async #receive({ queue }: Services): Promise<void> {
    try {
      const { receivedMessageItems } = await queue.receiveMessages({
        numberOfMessages: 4,
        visibilityTimeout: HIDDEN_SECONDS,
      });
      for (const { messageId, popReceipt, messageText } of receivedMessageItems) {
        const isDeleted = await this.#attempt(() => queue.deleteMessage(messageId, popReceipt));
        if (isDeleted !== true) this.#unsure.add(messageText);
        this.#received.set(messageText, (this.#received.get(messageText) ?? 0) + 1);
      }
    } catch {
      await pause(20);
    }
  }

  async #lease({ container }: Services, token: string): Promise<void> {
    const lease = container.getBlobClient("leased").getBlobLeaseClient();
    if ((await this.#attempt(() => lease.acquireLease(60))) !== true) return;
    if (this.#holder !== undefined) this.faults.push(`${this.#holder} and ${token} held the lease together`);
    this.#holder = token;
    await pause(5);
    this.#holder = undefined;
    await this.#attempt(() => lease.releaseLease());
  }

  /** Compares what was told with what is there, through every member. */
  async check(): Promise<void> {
    const containers = this.#members.map((member) => servicesAt(member.connectionString()).container);
    for (const container of containers) {
      for (let counter = 0; counter < COUNTERS; counter++) await this.#checkCounter(container, counter);
    }
    const items = [...this.#items];
    const checkSome = async (from: number): Promise<void> => {
      for (let i = from; i < items.length; i += CHECKS_AT_ONCE) {
        await this.#checkItem(containers[i % containers.length]!, ...items[i]!);
      }
    };
    await Promise.all(Array.from({ length: CHECKS_AT_ONCE }, (_, from) => checkSome(from)));
    for (const token of this.#neverMade) {
      if (await containers[0]!.getBlobClient(`item-${token}`).exists())
        this.faults.push(`item ${token} was refused and is there all the same`);
    }
    await this.#checkMessages();
  }

  async #checkItem(container: ContainerClient, token: string, body: string): Promise<void> {
    const found = await container
      .getBlobClient(`item-${token}`)
      .downloadToBuffer()
      .catch((error: Error) => error);
    if (found instanceof Error)
      this.faults.push(`item ${token} was acknowledged and is lost: ${found.message}`);
    else if (found.toString() !== body) this.faults.push(`item ${token} has other bytes`);
  }

  async #checkCounter(container: ContainerClient, counter: number): Promise<void> {
    const text = (await container.getBlobClient(`counter-${counter}`).downloadToBuffer()).toString();
    const value = Number(text.split(":")[0]);
    const told = this.#counted[counter]!.size;
    const most = told + this.#unknownCounts[counter]!;
    if (value < told || value > most) {
      this.faults.push(
        `counter ${counter} is ${value}: ${told} were acknowledged, ${most} at most were made`,
      );
    }
  }

  async #checkMessages(): Promise<void> {
    const { queue } = servicesAt(this.#members[0]!.connectionString());
    // A member that died while it answered took the answer along: those messages stay hidden for their time.
    const deadline = Date.now() + (HIDDEN_SECONDS + 10) * 1_000;
    while (Date.now() < deadline && [...this.#sent].some((token) => !this.#received.has(token))) {
      const { receivedMessageItems } = await queue.receiveMessages({
        numberOfMessages: 32,
        visibilityTimeout: 600,
      });
      if (receivedMessageItems.length === 0) await pause(200);
      for (const { messageText } of receivedMessageItems) {
        this.#received.set(messageText, (this.#received.get(messageText) ?? 0) + 1);
      }
    }
    for (const token of this.#sent) {
      const times = this.#received.get(token) ?? 0;
      if (times === 1 || this.#unsure.has(token)) continue;
      this.faults.push(`message ${token} was received ${times} times`);
    }
  }
}
