import { RestError, type ShareFileClient, ShareServiceClient } from "@azure/storage-file-share";
import { monotonic, pause } from "../../src/base/clock.ts";
import { type Random, seededRandom } from "../../src/base/random.ts";
import { WELL_KNOWN_ACCOUNT, WELL_KNOWN_KEY } from "../../src/services/account/account-list.ts";
import { STATUS } from "../../src/smb/wire/status.ts";
import { type ClientFile, SmbStatus, SmbTestClient } from "../kit/smb-test-client.ts";

/**
 * Many SMB clients and some REST clients on a few files. Each file is a row of cells; a cell holds a number,
 * written all over it. Whoever counts a cell up holds a byte-range lock on it, the only handle on the file,
 * or a REST lease. In the end each number must be how often it was counted up and answered; no reader may
 * ever meet a torn cell; and nobody has a file to itself while another has it open.
 */
export interface ClientsOptions {
  readonly ports: { readonly smb: number };
  readonly connectionString: string;
  /** Is created. */
  readonly share: string;
  readonly clients: number;
  readonly restClients: number;
  readonly millis: number;
  readonly seed: number;
}

export interface ClientsOutcome {
  readonly violations: readonly string[];
  readonly counted: number;
  readonly reads: number;
  readonly vanished: number;
  readonly refused: number;
}

const FILES = 5;
const CELLS = 6;
const CELL_BYTES = 12_000;

const cellOf = (value: number): Buffer => {
  const word = Buffer.alloc(8);
  word.writeBigUInt64LE(BigInt(value));
  return Buffer.alloc(CELL_BYTES, word);
};

const otherName = (name: string): string => `${name.startsWith("f") ? "g" : "f"}${name.slice(1)}`;

/** What others may do to us, and no fault of anybody's. */
const EXPECTED: ReadonlySet<number> = new Set([
  STATUS.SHARING_VIOLATION,
  STATUS.FILE_LOCK_CONFLICT,
  STATUS.LOCK_NOT_GRANTED,
  STATUS.OBJECT_NAME_NOT_FOUND,
  STATUS.FILE_CLOSED,
]);
const EXPECTED_REST: ReadonlySet<string> = new Set([
  "SharingViolation",
  "FileLockConflict",
  "ResourceNotFound",
  "LeaseAlreadyPresent",
  "LeaseIdMissing",
]);

interface Row {
  readonly values: number[];
  /** A rename moves it between two names. */
  name: string;
  /** Who has it open, as far as clients know for certain. */
  open: number;
  isAlone: boolean;
}

export async function runSmbClients(options: ClientsOptions): Promise<ClientsOutcome> {
  const run = new Run(options);
  await run.prepare();
  const until = monotonic() + options.millis;
  await Promise.all([
    ...Array.from({ length: options.clients }, (_, index) => run.smbClient(index, until)),
    ...Array.from({ length: options.restClients }, (_, index) => run.restClient(index, until)),
  ]);
  return await run.finish();
}

class Run {
  readonly #options: ClientsOptions;
  readonly #rows: Row[] = [];
  readonly #violations: string[] = [];
  readonly #stats = { counted: 0, reads: 0, vanished: 0, refused: 0 };
  readonly #service: ShareServiceClient;

  constructor(options: ClientsOptions) {
    this.#options = options;
    this.#service = ShareServiceClient.fromConnectionString(options.connectionString, {
      retryOptions: { maxTries: 1 },
    });
  }

  async prepare(): Promise<void> {
    await this.#service.getShareClient(this.#options.share).create();
    for (let index = 0; index < FILES; index++) {
      const name = `f${index}`;
      const file = this.#file(name);
      await file.create(CELLS * CELL_BYTES);
      for (let cell = 0; cell < CELLS; cell++)
        await file.uploadRange(cellOf(0), cell * CELL_BYTES, CELL_BYTES);
      this.#rows.push({ values: Array<number>(CELLS).fill(0), name, open: 0, isAlone: false });
    }
  }

  #file(name: string): ShareFileClient {
    return this.#service.getShareClient(this.#options.share).rootDirectoryClient.getFileClient(name);
  }

  /** The number in a cell, which must be all over it. */
  #read(bytes: Buffer, where: string): number {
    const value = Number(bytes.readBigUInt64LE(0));
    if (!bytes.equals(cellOf(value))) this.#violations.push(`${where}: a torn cell`);
    this.#stats.reads++;
    return value;
  }

  #checkCount(row: Row, cell: number, found: number, how: string): void {
    const known = row.values[cell]!;
    if (found !== known) this.#violations.push(`${row.name} cell ${cell} is ${found}, not ${known} (${how})`);
  }

  async smbClient(index: number, until: number): Promise<void> {
    const random = seededRandom(this.#options.seed + index);
    let client = await this.#connect();
    while (monotonic() < until) {
      const row = this.#rows[Math.floor(random.fraction() * FILES)]!;
      const cell = Math.floor(random.fraction() * CELLS);
      const choice = random.fraction();
      try {
        if (choice < 0.5) {
          const isLeft = await this.#countLocked(client, row, cell, random);
          if (isLeft) client = await this.#connect();
        } else if (choice < 0.65) await this.#countAlone(client, row, cell);
        else if (choice < 0.75) await this.#rename(client, row);
        else await this.#look(client, row, cell);
      } catch (error) {
        if (!(error instanceof SmbStatus) || !EXPECTED.has(error.status)) throw error;
        this.#stats.refused++;
      }
    }
    client.vanish();
  }

  #connect(): Promise<SmbTestClient> {
    return SmbTestClient.connect({
      port: this.#options.ports.smb,
      user: WELL_KNOWN_ACCOUNT,
      password: WELL_KNOWN_KEY,
      share: this.#options.share,
    });
  }

  /** True when the client has left without closing anything. */
  async #countLocked(client: SmbTestClient, row: Row, cell: number, random: Random): Promise<boolean> {
    const file = await this.#open(client, row, { access: "RW", share: "RWD" });
    let isOpen = true;
    try {
      await client.lock(file, cell * CELL_BYTES, CELL_BYTES);
      const found = this.#read(await client.read(file, cell * CELL_BYTES, CELL_BYTES), "under a lock");
      this.#checkCount(row, cell, found, "under a lock");
      await client.write(file, cell * CELL_BYTES, cellOf(found + 1));
      row.values[cell] = found + 1;
      this.#stats.counted++;
      if (random.fraction() < 0.1) {
        isOpen = false;
        row.open--;
        client.vanish();
        this.#stats.vanished++;
        return true;
      }
      if (random.fraction() < 0.5) await client.unlock(file, cell * CELL_BYTES, CELL_BYTES);
    } finally {
      if (isOpen) await this.#close(client, row, file);
    }
    return false;
  }

  async #countAlone(client: SmbTestClient, row: Row, cell: number): Promise<void> {
    const file = await client.open(row.name, { access: "RW", share: "" });
    if (row.open > 0 || row.isAlone)
      this.#violations.push(`${row.name} was opened alone beside ${row.open} others`);
    row.isAlone = true;
    const found = this.#read(await client.read(file, cell * CELL_BYTES, CELL_BYTES), "alone");
    this.#checkCount(row, cell, found, "alone");
    await client.write(file, cell * CELL_BYTES, cellOf(found + 1));
    row.values[cell] = found + 1;
    this.#stats.counted++;
    row.isAlone = false;
    await client.close(file);
  }

  async #rename(client: SmbTestClient, row: Row): Promise<void> {
    const file = await this.#open(client, row, { access: "RD", share: "RWD" });
    try {
      const name = otherName(row.name);
      await client.rename(file, name);
      row.name = name;
    } finally {
      await this.#close(client, row, file);
    }
  }

  async #look(client: SmbTestClient, row: Row, cell: number): Promise<void> {
    const file = await this.#open(client, row, { access: "R", share: "RWD" });
    try {
      this.#read(await client.read(file, cell * CELL_BYTES, CELL_BYTES), "a reader");
    } finally {
      await this.#close(client, row, file);
    }
  }

  async #open(
    client: SmbTestClient,
    row: Row,
    how: { readonly access: string; readonly share: string },
  ): Promise<ClientFile> {
    const file = await client.open(row.name, how);
    if (row.isAlone) this.#violations.push(`${row.name} was opened beside who has it alone`);
    row.open++;
    return file;
  }

  /** Counted as closed before it is asked for: from then on somebody else may have it alone. */
  async #close(client: SmbTestClient, row: Row, file: ClientFile): Promise<void> {
    row.open--;
    await client.close(file);
  }

  async restClient(index: number, until: number): Promise<void> {
    const random = seededRandom(this.#options.seed - 1 - index);
    while (monotonic() < until) {
      const row = this.#rows[Math.floor(random.fraction() * FILES)]!;
      const cell = Math.floor(random.fraction() * CELLS);
      try {
        if (random.fraction() < 0.5) await this.#countLeased(row, cell);
        else this.#read(await this.#cell(this.#file(row.name), cell), "over REST");
      } catch (error) {
        if (!(error instanceof RestError) || !EXPECTED_REST.has(String(error.code))) throw error;
        this.#stats.refused++;
      }
      await pause(2);
    }
  }

  #cell(file: ShareFileClient, cell: number): Promise<Buffer> {
    return file.downloadToBuffer(cell * CELL_BYTES, CELL_BYTES);
  }

  async #countLeased(row: Row, cell: number): Promise<void> {
    const file = this.#file(row.name);
    const lease = file.getShareLeaseClient();
    await lease.acquireLease();
    try {
      const found = this.#read(await this.#cell(file, cell), "under a lease");
      this.#checkCount(row, cell, found, "under a lease");
      const leaseAccessConditions = { leaseId: lease.leaseId };
      await file.uploadRange(cellOf(found + 1), cell * CELL_BYTES, CELL_BYTES, { leaseAccessConditions });
      row.values[cell] = found + 1;
      this.#stats.counted++;
    } finally {
      await lease.releaseLease();
    }
  }

  async finish(): Promise<ClientsOutcome> {
    for (const row of this.#rows) {
      // Answers to renames that crossed came over different connections, in any order.
      if (!(await this.#file(row.name).exists())) row.name = otherName(row.name);
      // Who vanished may still be on the way out.
      const file = this.#file(row.name);
      await file.forceCloseAllHandles();
      const whole = await file.downloadToBuffer();
      for (let cell = 0; cell < CELLS; cell++) {
        const bytes = whole.subarray(cell * CELL_BYTES, (cell + 1) * CELL_BYTES);
        this.#checkCount(row, cell, this.#read(bytes, "in the end"), "in the end");
      }
    }
    return { violations: this.#violations, ...this.#stats };
  }
}
