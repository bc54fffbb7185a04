import { parseArgs } from "node:util";
import { monotonic } from "../base/clock.ts";
import { ConfigError } from "../base/config-error.ts";
import {
  type Account,
  type CopiedService,
  parseConnectionString,
  SERVICES,
} from "./copy/connection-string.ts";
import { copyBlobs } from "./copy/copy-blobs.ts";
import { CopyContext, CopyReport, type MessagesMode } from "./copy/copy-context.ts";
import { copyQueues } from "./copy/copy-queues.ts";
import { copyShares } from "./copy/copy-shares.ts";
import { copyTables } from "./copy/copy-tables.ts";
import { COPY_LIMITS } from "./copy/limits.ts";
import { StorageClient } from "./copy/storage-client.ts";

/**
 * `holdfast pull` copies an account of any Azure-compatible server into a running Holdfast, `holdfast push`
 * the other way round. Both sides are spoken to over REST, so the server keeps serving meanwhile. Nothing is
 * deleted. Run again, it copies what is missing or was changed since.
 */
export const COPY_HELP = `Usage: holdfast pull|push --connection-string TEXT [options]

pull copies the containers, queues, tables and shares of an account into this Holdfast,
push copies those of this Holdfast into the account. Nothing is deleted on either side.

  --connection-string TEXT  the account; default: AZURE_STORAGE_CONNECTION_STRING
  --local TEXT              this Holdfast; default: UseDevelopmentStorage=true
  --services LIST           some of blob,queue,table,file; default: all that both sides have
  --messages none|peek|receive
                            peek (default) copies the first 32 visible messages of each queue;
                            receive copies all visible ones, and raises their dequeue counts
  --parallel N              objects copied at the same time; default: ${COPY_LIMITS.objects}
`;

const COPIERS: Readonly<Record<CopiedService, (context: CopyContext) => Promise<void>>> = {
  blob: copyBlobs,
  queue: copyQueues,
  table: copyTables,
  file: copyShares,
};

const MESSAGES: readonly string[] = ["none", "peek", "receive"] satisfies readonly MessagesMode[];

/** Returns the exit code: 1 when something could not be copied. */
export async function copyCommand(
  direction: "pull" | "push",
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<number> {
  const options = readArguments(direction, argv, env);
  const remote = new StorageClient(options.remote);
  const local = new StorageClient(options.local);
  const [source, target] = direction === "pull" ? [remote, local] : [local, remote];
  const report = new CopyReport(process.stderr.isTTY ? drawProgress() : () => {});
  const context = new CopyContext({ ...options, source, target, report });
  try {
    for (const service of options.services) {
      const isThere = [source, target].every(({ account }) => account.endpoints[service] !== undefined);
      if (isThere) await context.attempt(`the ${service} service`, () => COPIERS[service](context));
    }
  } finally {
    remote.close();
    local.close();
  }
  return printEnd(report);
}

interface CopyOptions {
  readonly remote: Account;
  readonly local: Account;
  readonly services: readonly CopiedService[];
  readonly messages: MessagesMode;
  readonly objects: number;
}

function readArguments(
  direction: string,
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): CopyOptions {
  const values = parse(direction, argv);
  const remote = values["connection-string"] ?? env.AZURE_STORAGE_CONNECTION_STRING;
  if (remote === undefined) throw new ConfigError("--connection-string", "expected the account to copy");
  const services = values.services?.split(",") ?? [...SERVICES];
  const unknown = services.find((service) => !SERVICES.some((one) => one === service));
  if (unknown !== undefined)
    throw new ConfigError("--services", `expected some of ${SERVICES.join(",")}, found ${unknown}`);
  const messages = values.messages ?? "peek";
  if (!MESSAGES.includes(messages))
    throw new ConfigError("--messages", `expected none, peek or receive, found ${messages}`);
  const objects = Number(values.parallel ?? COPY_LIMITS.objects);
  if (!Number.isInteger(objects) || objects < 1 || objects > COPY_LIMITS.objectsMax)
    throw new ConfigError("--parallel", `expected 1 to ${COPY_LIMITS.objectsMax}, found ${values.parallel}`);
  return {
    remote: parseConnectionString("--connection-string", remote),
    local: parseConnectionString("--local", values.local ?? "UseDevelopmentStorage=true"),
    services: services as CopiedService[],
    messages: messages as MessagesMode,
    objects,
  };
}

function parse(direction: string, argv: readonly string[]) {
  const text = { type: "string" } as const;
  try {
    return parseArgs({
      args: [...argv],
      options: {
        "connection-string": text,
        local: text,
        services: text,
        messages: text,
        parallel: text,
      },
    }).values;
  } catch (error) {
    throw new ConfigError(direction, (error as Error).message);
  }
}

function printCounts({ copied, bytes, present, failed }: CopyReport): string {
  const rest = [present > 0 ? `, ${present} already there` : "", failed > 0 ? `, ${failed} failed` : ""];
  return `copied ${copied} objects, ${bytes} bytes${rest.join("")}`;
}

function drawProgress(): (report: CopyReport) => void {
  let shownAt = Number.NEGATIVE_INFINITY;
  return (report) => {
    const now = monotonic();
    if (now - shownAt < COPY_LIMITS.progressMillis) return;
    shownAt = now;
    process.stderr.write(`\r\x1b[K${printCounts(report)}`);
  };
}

function printEnd(report: CopyReport): number {
  if (process.stderr.isTTY) process.stderr.write("\r\x1b[K");
  for (const note of report.notes) process.stderr.write(`${note}\n`);
  for (const failure of report.failures) process.stderr.write(`${failure}\n`);
  process.stdout.write(`${printCounts(report)}\n`);
  return report.failed === 0 ? 0 : 1;
}
