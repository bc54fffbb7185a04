import type { PlainRequest } from "../../../bench/sign.ts";
import { monotonic, pause } from "../../../src/base/clock.ts";
import type { Random } from "../../../src/base/random.ts";
import { WireClient, type WirePorts, type WireReply, type WireService } from "../../support/wire-client.ts";

/**
 * Where a history is recorded: clients of the product who work at the same time, and one clock for all of
 * them. A scene is what they do: which requests they make of which objects, and how its recordings are
 * judged.
 */
export interface Stage {
  /** Makes the names of this history its own. */
  readonly name: string;
  readonly random: Random;
  /** Requests that nobody answered, and replies of the kind that promises nothing (5xx). */
  unacknowledged: number;
}

export interface Scene {
  /** Makes what the clients work on; called once before they start. */
  prepare(client: Recorder): Promise<void>;
  /** One client does one thing. */
  act(client: Recorder, number: number): Promise<void>;
  /** What the history needs after the last client has ended, with the product up. */
  finish(client: Recorder): Promise<void>;
  /** How many operations were recorded, and the first thing that no single copy would have done. */
  judge(): { readonly operations: number; readonly fault: string | undefined };
}

export interface Timed {
  readonly start: number;
  readonly end: number;
  /** Undefined: nobody knows whether it was done. */
  readonly reply: WireReply | undefined;
}

const RETRY_MILLIS = 10;

export class Recorder {
  readonly stage: Stage;
  readonly #client: WireClient;

  constructor(stage: Stage, ports: () => WirePorts) {
    this.stage = stage;
    this.#client = new WireClient(ports);
  }

  /** Until it could be sent: while nobody listens, nothing happens. */
  async send(service: WireService, request: PlainRequest): Promise<Timed> {
    for (;;) {
      const start = monotonic();
      const reply = await this.#client.send(service, request);
      if (reply === "not sent") {
        await pause(RETRY_MILLIS);
        continue;
      }
      if (reply === "no reply" || reply.status >= 500) {
        this.stage.unacknowledged++;
        return { start, end: Number.POSITIVE_INFINITY, reply: undefined };
      }
      return { start, end: monotonic(), reply };
    }
  }

  /** For what must be so before or after a history: again until it is answered as expected. */
  async insist(service: WireService, request: PlainRequest, expected: readonly number[]): Promise<WireReply> {
    for (let tries = 0; tries < 500; tries++) {
      const { reply } = await this.send(service, request);
      if (reply !== undefined) {
        if (expected.includes(reply.status)) return reply;
        throw new Error(`${request.method} ${request.path}: ${reply.status} ${reply.code ?? ""}`);
      }
      await pause(RETRY_MILLIS);
    }
    throw new Error(`${request.method} ${request.path}: no reply`);
  }

  close(): void {
    this.#client.close();
  }
}

export const pickOf = (random: Random, count: number): number => Math.floor(random.fraction() * count);

/** Text that names its write and fills so many bytes; whoever reads it can tell whether it is whole. */
export function contentOf(value: string, bytes: number): Buffer {
  return Buffer.alloc(bytes, `${value};`);
}

/** The value that fills these bytes; "torn ..." when they are not of one write. */
export function valueIn(bytes: Buffer): string {
  const value = bytes.subarray(0, bytes.indexOf(";")).toString();
  return contentOf(value, bytes.length).equals(bytes) ? value : `torn ${bytes.subarray(0, 40).toString()}`;
}

/** A page may lie anywhere in what was written: the text is looked for, and must then fill the page. */
export function pageValue(page: Buffer): string {
  const first = page.indexOf(";") + 1;
  const value = page.subarray(first, page.indexOf(";", first)).toString();
  const filled = contentOf(value, page.length * 2);
  return filled.indexOf(page) >= 0 ? value : `torn ${valueIn(page)}`;
}
