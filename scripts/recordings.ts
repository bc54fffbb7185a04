import { spawn } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { type Program, startProgram } from "../test/kit/program.ts";
import {
  type Difference,
  EXCEPTIONS,
  type Exception,
  findException,
  SERVICES,
  type Service,
} from "../test/recordings/exceptions.ts";

/** Replays recorded answers of Azure against new servers; a list of exceptions judges the differences. */
const HELP = `npm run recordings -- --dir DIR          DIR holds the recordings and replay.mjs
  --service NAME                         only this service
  --only TEXT                            only tests whose source/package/test contains TEXT; prints exchanges
  --show N                               how many groups of unexplained differences to print (default 20)
  --excepted                             print the groups of excepted differences as well
  --json FILE                            all differences, each with the name of its exception, one JSON line each
Exit code 1: a status or code differs without an exception, or less than 98% of the answers are exact.`;

const EXACT_PERCENT_MIN = 98;
/** Every replayed test has an account of its own. */
const ACCOUNTS = 7_000;

type Judged = Difference & { readonly exception?: string };

function fail(message: string): never {
  console.error(`${message}\n${HELP}`);
  process.exit(2);
}

function readArguments() {
  try {
    const { values } = parseArgs({
      options: {
        dir: { type: "string" },
        service: { type: "string" },
        only: { type: "string" },
        show: { type: "string", default: "20" },
        excepted: { type: "boolean", default: false },
        json: { type: "string" },
      },
    });
    const { dir, service } = values;
    if (dir === undefined) return fail("--dir is missing");
    if (service !== undefined && !SERVICES.some((name) => name === service))
      return fail(`--service: expected ${SERVICES.join(" or ")}, got "${service}"`);
    return { ...values, dir: resolve(dir), service: service as Service | undefined };
  } catch (error) {
    return fail((error as Error).message);
  }
}

/**
 * Runs DIR/replay.mjs to its end; returns what it printed. It exits with 1 when anything differs, and at
 * once: a pipe would lose what it still holds, a file does not.
 */
function replay(dir: string, args: readonly string[]): Promise<string> {
  const output = join(directory, "output");
  const file = openSync(output, "w");
  const child = spawn(process.execPath, [join(dir, "replay.mjs"), ...args], {
    stdio: ["ignore", file, "inherit"],
  });
  return new Promise((done, failed) => {
    child.on("error", failed);
    child.on("close", (code) => {
      closeSync(file);
      if (code === 0 || code === 1) done(readFileSync(output, "utf8"));
      else failed(new Error(`replay.mjs ended with ${code}`));
    });
  });
}

/** The columns of the table that replay.mjs prints for each service. */
function readCounts(output: string): Map<Service, Record<string, number>> {
  const rows = output.split("\n").flatMap((line) => {
    const cells = line.split("│").map((cell) => cell.trim());
    return cells.length > 3 ? [cells.slice(1, -1)] : [];
  });
  const [head = [], ...rest] = rows;
  return new Map(
    rest.map(([service, ...cells]) => [
      service as Service,
      Object.fromEntries(cells.map((cell, i) => [head[i + 1]!, Number(cell)])),
    ]),
  );
}

async function collect(directory: string): Promise<{ counts: ReturnType<typeof readCounts>; all: Judged[] }> {
  const accounts = join(directory, "accounts");
  const own = ["--own-accounts", "rec"];
  writeFileSync(accounts, await replay(values.dir, [...own, "--list-accounts", String(ACCOUNTS)]));
  const programs: Program[] = [];
  const start = async (name: string, ...flags: string[]): Promise<Program["ports"]> => {
    const place = ["-l", join(directory, name), "--accountsFile", accounts, "--strict", "--silent"];
    const program = await startProgram([...place, ...flags]);
    programs.push(program);
    return program.ports;
  };
  try {
    const ports = await start("plain");
    const versioned = await start("versioned", "--blobVersioning");
    const json = join(directory, "differences.jsonl");
    const output = await replay(values.dir, [
      ...["--dir", values.dir, ...own, "--json", json],
      ...SERVICES.flatMap((name) => [`--${name}`, `http://127.0.0.1:${ports[name]}`]),
      ...["--blob-versioned", `http://127.0.0.1:${versioned.blob}`],
      ...(values.service === undefined ? [] : ["--service", values.service]),
      ...(values.only === undefined ? [] : ["--only", values.only]),
    ]);
    if (values.only !== undefined) console.log(output.slice(0, output.indexOf("\nper service")));
    const lines = readFileSync(json, "utf8").split("\n").filter(Boolean);
    const all = lines.map((line): Judged => {
      const difference = JSON.parse(line) as Difference;
      const exception = findException(difference)?.name;
      return exception === undefined ? difference : { ...difference, exception };
    });
    return { counts: readCounts(output), all };
  } finally {
    await Promise.all(programs.map((program) => program.stop()));
  }
}

const exchangeOf = ({ test, i }: Difference): string => `${test} #${i}`;
const exchangesOf = (list: readonly Difference[]): Set<string> => new Set(list.map(exchangeOf));

function judge(service: Service, compared: number, all: readonly Judged[]) {
  const own = all.filter((difference) => difference.service === service);
  const left = own.filter(({ exception }) => exception === undefined);
  const differing = exchangesOf(left).size;
  // An exchange whose every difference is excepted is left out.
  const excepted = exchangesOf(own).size - differing;
  const judged = compared - excepted;
  return {
    compared,
    exact: compared - exchangesOf(own).size,
    excepted,
    "wrong status": left.filter(({ kind }) => kind === "status").length,
    "wrong code": left.filter(({ kind }) => kind === "code").length,
    "other difference": differing - exchangesOf(left.filter(({ kind }) => /status|code/.test(kind))).size,
    "exact, %": judged === 0 ? 100 : Math.floor(((judged - differing) / judged) * 10_000) / 100,
  };
}

function printGroups(title: string, list: readonly Judged[], max: number): void {
  const groups = new Map<string, Judged[]>();
  for (const difference of list) {
    const { service, kind, detail, op, exception } = difference;
    const place = kind === "header" ? "" : ` | ${op}`;
    const name = `${exception === undefined ? "" : `[${exception}] `}${service} | ${kind}${place} | ${detail}`;
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [difference]);
    else group.push(difference);
  }
  console.log(`\n${groups.size} groups of ${title}:`);
  const largest = [...groups].sort(([, a], [, b]) => b.length - a.length).slice(0, max);
  for (const [name, group] of largest) {
    const { url, recorded, actual } = group[0]!;
    const shown = (value: unknown): string => JSON.stringify(value)?.slice(0, 160) ?? "nothing";
    const operations = [...new Set(group.map(({ op }) => op))];
    console.log(`${String(group.length).padStart(6)} | ${name}`);
    if (operations.length > 1) console.log(`       | ${operations.slice(0, 6).join("; ")}`);
    console.log(`       | e.g. ${exchangeOf(group[0]!)} ${url.slice(0, 120)}`);
    console.log(`       | recorded ${shown(recorded)}, actual ${shown(actual)}`);
  }
}

const values = readArguments();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => process.exit(130));
const directory = mkdtempSync(join(tmpdir(), "holdfast-recordings-"));
process.once("exit", () => rmSync(directory, { recursive: true, force: true }));

const { counts, all } = await collect(directory);
if (values.json !== undefined)
  writeFileSync(resolve(values.json), all.map((difference) => `${JSON.stringify(difference)}\n`).join(""));
const rows = [...counts].map(
  ([service, { compared = 0 }]) => [service, judge(service, compared, all)] as const,
);
printGroups(
  "unexplained differences",
  all.filter(({ exception }) => exception === undefined),
  Number(values.show),
);
if (values.excepted)
  printGroups(
    "excepted differences",
    all.filter(({ exception }) => exception),
    Infinity,
  );
const isReplayed = ({ service }: Exception): boolean => service === undefined || counts.has(service);
const unused = EXCEPTIONS.filter(
  (exception) => isReplayed(exception) && !all.some((difference) => difference.exception === exception.name),
);
if (values.only === undefined && unused.length > 0)
  console.log(`\nexceptions that matched nothing: ${unused.map(({ name }) => name).join(", ")}`);
console.log();
console.table(Object.fromEntries(rows));
const isGood = rows.every(
  ([, row]) => row["wrong status"] + row["wrong code"] === 0 && row["exact, %"] >= EXACT_PERCENT_MIN,
);
process.exit(isGood ? 0 : 1);
