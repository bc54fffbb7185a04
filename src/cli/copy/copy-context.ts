import { Semaphore } from "../../base/semaphore.ts";
import type { CopiedService } from "./connection-string.ts";
import { COPY_LIMITS } from "./limits.ts";
import { RequestFailed, type StorageClient, type StorageRequest } from "./storage-client.ts";

export type MessagesMode = "none" | "peek" | "receive";

/** What the copiers of all services have in common. */
export class CopyContext {
  readonly source: StorageClient;
  readonly target: StorageClient;
  readonly objects: number;
  readonly messages: MessagesMode;
  /** Bounds the parts of blobs and files in memory. */
  readonly parts = new Semaphore(COPY_LIMITS.partsMax);
  readonly report: CopyReport;

  constructor(options: {
    readonly source: StorageClient;
    readonly target: StorageClient;
    readonly objects: number;
    readonly messages: MessagesMode;
    readonly report: CopyReport;
  }) {
    this.source = options.source;
    this.target = options.target;
    this.objects = options.objects;
    this.messages = options.messages;
    this.report = options.report;
  }

  /** Copies the items, several at a time. One that fails is reported, and the others go on. */
  async each<T>(
    items: AsyncIterable<T>,
    nameOf: (item: T) => string,
    work: (item: T) => Promise<void>,
  ): Promise<void> {
    const iterator = items[Symbol.asyncIterator]();
    let isOver = false;
    const worker = async (): Promise<void> => {
      while (!isOver) {
        const step = await iterator.next();
        if (step.done === true) isOver = true;
        else await this.attempt(nameOf(step.value), () => work(step.value));
      }
    };
    await Promise.all(Array.from({ length: this.objects }, worker));
  }

  async attempt(name: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.report.fail(name, error);
    }
  }

  /** Creates it, or leaves the one there is. Returns whether it is new. */
  async create(request: StorageRequest): Promise<boolean> {
    const reply = await this.target.send({ ...request, accepts: [409] });
    if (reply.status === 409 && /BeingDeleted/.test(reply.headers["x-ms-error-code"] ?? ""))
      throw new RequestFailed(request, reply);
    return reply.status === 201;
  }

  /** The body of an ACL says the same to all servers. */
  async copyAcl(service: CopiedService, path: string, restype?: string): Promise<void> {
    const query = { restype, comp: "acl" };
    const { body, headers } = await this.source.send({ method: "GET", service, path, query });
    const access = headers["x-ms-blob-public-access"];
    if (access === undefined && !body.includes("<SignedIdentifier>")) return;
    await this.target.send({
      method: "PUT",
      service,
      path,
      query,
      headers: { "content-type": "application/xml", "x-ms-blob-public-access": access },
      body,
    });
  }
}

/** Counts, and what could not be copied. */
export class CopyReport {
  readonly #show: (report: CopyReport) => void;
  copied = 0;
  bytes = 0;
  present = 0;
  readonly failures: string[] = [];
  failed = 0;
  readonly notes: string[] = [];

  constructor(show: (report: CopyReport) => void) {
    this.#show = show;
  }

  add(bytes: number): void {
    this.copied++;
    this.bytes += bytes;
    this.#show(this);
  }

  skip(): void {
    this.present++;
    this.#show(this);
  }

  fail(name: string, error: unknown): void {
    this.failed++;
    if (this.failures.length < COPY_LIMITS.failuresShownMax)
      this.failures.push(`${name}: ${(error as Error).message}`);
    this.#show(this);
  }

  note(text: string): void {
    this.notes.push(text);
  }
}
