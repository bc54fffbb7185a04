import { drive, type Measured } from "./load.ts";
import type { Row } from "./rows.ts";
import type { Contender } from "./servers.ts";
import { signed } from "./sign.ts";

/** How long and with how many connections each server is driven in one round. */
export interface RoundOptions {
  readonly connections: number;
  readonly seconds: number;
}

const WARM_UP_SECONDS = 1;

/** The name of a row in the output and for --only: "queue:" selects all rows of that service. */
export function titleOf({ service, name }: Row): string {
  return `${service}: ${name}`;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >>> 1]!;
}

/** A rate with thousands separators, aligned with those of the other rows. */
export function printRate(value: number): string {
  return Math.round(value).toLocaleString("en-US").padStart(8);
}

export async function measure(row: Row, contender: Contender, options: RoundOptions): Promise<Measured> {
  const measured =
    row.run === undefined ? await request(row, contender, options) : await row.run(contender, options);
  if (measured.errors > 0) console.log(`  ${contender.name}: ${measured.errors} failed requests`);
  return measured;
}

/** A short round that is not counted: afterwards caches, tables and compiled code are warm. */
export async function warmUp(row: Row, contender: Contender, options: RoundOptions): Promise<void> {
  await measure(row, contender, { ...options, seconds: WARM_UP_SECONDS });
}

function request(row: Row, contender: Contender, options: RoundOptions): Promise<Measured> {
  const port = contender.ports[row.service];
  const requests = row.requests().map((request) => signed({ ...request, service: row.service }, port));
  return drive({ port, requests, ...options });
}

/** Sends the requests that a row needs before it can be measured. */
export async function prepare(contender: Contender, row: Row): Promise<void> {
  const port = contender.ports[row.service];
  for (const request of row.prepare ?? []) {
    const raw = signed({ ...request, service: row.service }, port);
    const measured = await drive({ port, requests: [raw], connections: 1, seconds: 1 });
    if (measured.perSecond === 0)
      throw new Error(`${contender.name} did not answer ${request.method} ${request.path}`);
  }
}
