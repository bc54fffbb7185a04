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

/** The least share of Samba's rate we accept; the aim is all of it. */
const TARGET = 0.7;

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >>> 1]!;

/** The SMB rows: the same smbclient at both servers in turn, round after round, and the median of the ratios. */
export async function runSmbRows(rows: readonly SmbRow[], rounds: number): Promise<SmbResult[]> {
  if (rows.length === 0) return [];
  const reason = smbIsMissing();
  if (reason !== undefined) {
    console.log(`the SMB rows are not measured: ${reason}`);
    return [];
  }
  const files = makeSmbFiles();
  const servers = [await startHoldfastSmb(), await startSamba()] as const;
  const prepared = new Set<string>();
  const results: SmbResult[] = [];
  try {
    for (const row of rows) {
      for (const needed of neededBy(row)) {
        if (prepared.has(needed.name)) continue;
        prepared.add(needed.name);
        for (const server of servers) await prepare(server, needed, files);
      }
      const result = await measure(row, servers, { files, rounds });
      results.push(result);
      console.log(printResult(result));
    }
    return results;
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
    files.remove();
  }
}

/** What a row reads, an earlier one of the same kind wrote: it is made ready also when only the later one runs. */
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
  // A rehearsal: caches, tables and connections of both servers are as warm as they get.
  await runSmbclient(server, row.protection, row.commands(files));
}

async function measure(
  row: SmbRow,
  [holdfast, samba]: readonly [SmbContender, SmbContender],
  { files, rounds }: { readonly files: SmbFiles; readonly rounds: number },
): Promise<SmbResult> {
  const taken: { readonly ours: number; readonly theirs: number }[] = [];
  for (let round = 0; round < rounds; round++) {
    const ours = row.amount / (await runSmbclient(holdfast, row.protection, row.commands(files)));
    const theirs = row.amount / (await runSmbclient(samba, row.protection, row.commands(files)));
    taken.push({ ours, theirs });
  }
  const ofSamba = median(taken.map(({ ours, theirs }) => ours / theirs));
  return {
    name: row.name,
    unit: row.unit,
    samba: median(taken.map(({ theirs }) => theirs)),
    holdfast: median(taken.map(({ ours }) => ours)),
    ofSamba,
    isReached: ofSamba >= TARGET,
  };
}

function printResult({ name, unit, samba, holdfast, ofSamba, isReached }: SmbResult): string {
  const whole = (value: number): string => Math.round(value).toLocaleString("en-US").padStart(8);
  return (
    `${name.padEnd(48)} samba ${whole(samba)} ${unit}/s  holdfast ${whole(holdfast)} ${unit}/s  ` +
    `ratio ${ofSamba.toFixed(2)} (at least ${TARGET}${isReached ? "" : ", MISSED"})`
  );
}
