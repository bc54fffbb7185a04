import { LEAST_OF_BASE } from "./against-base.ts";
import { median, printRate } from "./measure.ts";
import { makeSmbFiles, runSmbclient, SMB_ROWS, type SmbFiles, type SmbRow } from "./rows/smb.ts";
import { type SmbContender, smbIsMissing, startHoldfastSmb, startSamba } from "./samba.ts";

export interface SmbResult {
  readonly name: string;
  readonly unit: string;
  readonly samba: number;
  readonly holdfast: number;
  readonly ofSamba: number;
  readonly isReached: boolean;
}

/** The lowest accepted fraction of Samba's rate; the goal is 1. */
const TARGET = 0.7;

export interface SmbBaseResult {
  readonly name: string;
  readonly unit: string;
  readonly base: number;
  readonly holdfast: number;
  readonly ofBase: number;
}

/** Rates of Holdfast and of the other server, and the median of the ratios of the rounds. */
interface Compared {
  readonly ours: number;
  readonly theirs: number;
  readonly ratio: number;
}

/**
 * The same smbclient drives Holdfast and Samba alternately, round after round; the median of the ratios
 * counts.
 */
export async function runSmbRows(rows: readonly SmbRow[], rounds: number): Promise<SmbResult[]> {
  if (rows.length === 0) return [];
  const reason = smbIsMissing({ needsSamba: true });
  if (reason !== undefined) {
    console.log(`the SMB rows are not measured: ${reason}`);
    return [];
  }
  const results: SmbResult[] = [];
  await compare(rows, rounds, [await startHoldfastSmb(), await startSamba()], (row, compared) => {
    const result = {
      name: row.name,
      unit: row.unit,
      samba: compared.theirs,
      holdfast: compared.ours,
      ofSamba: compared.ratio,
      isReached: compared.ratio >= TARGET,
    };
    results.push(result);
    console.log(printResult(result));
  });
  return results;
}

/** The same with an older build of Holdfast in place of Samba. */
export async function runSmbRowsAgainstBase(
  rows: readonly SmbRow[],
  { rounds, program }: { readonly rounds: number; readonly program: string },
): Promise<SmbBaseResult[]> {
  if (rows.length === 0) return [];
  const reason = smbIsMissing({ needsSamba: false });
  if (reason !== undefined) {
    console.log(`the SMB rows are not measured: ${reason}`);
    return [];
  }
  const results: SmbBaseResult[] = [];
  const servers = [await startHoldfastSmb(), await startHoldfastSmb({ program, name: "base" })] as const;
  await compare(rows, rounds, servers, ({ name, unit }, { ours, theirs, ratio }) => {
    results.push({ name, unit, base: theirs, holdfast: ours, ofBase: ratio });
    console.log(
      `${name.padEnd(48)} base ${printRate(theirs)} ${unit}/s  holdfast ${printRate(ours)} ${unit}/s  ` +
        `new/base ${ratio.toFixed(3)}${ratio < LEAST_OF_BASE ? " SLOWER" : ""}`,
    );
  });
  return results;
}

async function compare(
  rows: readonly SmbRow[],
  rounds: number,
  servers: readonly [SmbContender, SmbContender],
  report: (row: SmbRow, compared: Compared) => void,
): Promise<void> {
  const files = makeSmbFiles();
  const prepared = new Set<string>();
  try {
    for (const row of rows) {
      for (const needed of neededBy(row)) {
        if (prepared.has(needed.name)) continue;
        prepared.add(needed.name);
        for (const server of servers) await prepare(server, needed, files);
      }
      report(row, await measure(row, servers, { files, rounds }));
    }
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
    files.remove();
  }
}

/** A row that reads needs the files of the row that writes them, also when --only selects just the reader. */
function neededBy(row: SmbRow): SmbRow[] {
  if (!row.name.includes("mget")) return [row];
  const writer = SMB_ROWS.find(
    ({ name, protection }) => name.includes("mput") && protection === row.protection,
  );
  return writer === undefined ? [row] : [writer, row];
}

async function prepare(server: SmbContender, row: SmbRow, files: SmbFiles): Promise<void> {
  const commands = row.prepare?.(files);
  if (commands !== undefined) await runSmbclient(server, row.protection, commands);
  // One run that is not counted warms the caches, tables and connections of both servers.
  await runSmbclient(server, row.protection, row.commands(files));
}

async function measure(
  row: SmbRow,
  [holdfast, other]: readonly [SmbContender, SmbContender],
  { files, rounds }: { readonly files: SmbFiles; readonly rounds: number },
): Promise<Compared> {
  const rateOf = async (server: SmbContender): Promise<number> =>
    row.amount / (await runSmbclient(server, row.protection, row.commands(files)));
  const rates: { readonly ours: number; readonly theirs: number }[] = [];
  for (let round = 0; round < rounds; round++) {
    if (round % 2 === 0) {
      const ours = await rateOf(holdfast);
      rates.push({ ours, theirs: await rateOf(other) });
    } else {
      const theirs = await rateOf(other);
      rates.push({ ours: await rateOf(holdfast), theirs });
    }
  }
  return {
    ours: median(rates.map(({ ours }) => ours)),
    theirs: median(rates.map(({ theirs }) => theirs)),
    ratio: median(rates.map(({ ours, theirs }) => ours / theirs)),
  };
}

function printResult({ name, unit, samba, holdfast, ofSamba, isReached }: SmbResult): string {
  return (
    `${name.padEnd(48)} samba ${printRate(samba)} ${unit}/s  holdfast ${printRate(holdfast)} ${unit}/s  ` +
    `ratio ${ofSamba.toFixed(2)} (at least ${TARGET}${isReached ? "" : ", MISSED"})`
  );
}
