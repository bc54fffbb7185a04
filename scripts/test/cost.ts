import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { isMainThread } from "node:worker_threads";
import { monotonic } from "../../src/base/clock.ts";

/**
 * Loaded before a test file: at its end it writes down the seconds of a core that the file took, with those
 * of the programs it started and waited for. On a machine with other work to do that says more than the time
 * that passed.
 */
export const COSTS_FILE = "HOLDFAST_TEST_COSTS";

/** In seconds. */
export interface Cost {
  readonly core: number;
  readonly passed: number;
}

/** As in `man 5 proc`: user and system time of a process, then of its children, in hundredths of a second. */
function cpuSeconds(): number {
  const place = "/proc/self/stat";
  if (!existsSync(place)) {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  }
  const text = readFileSync(place, "latin1");
  const afterName = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return afterName.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / 100;
}

const costsFile = process.env[COSTS_FILE];
if (isMainThread && costsFile !== undefined && process.env.NODE_TEST_CONTEXT !== undefined)
  process.on("exit", () => {
    const line = [process.argv[1], { core: cpuSeconds(), passed: monotonic() / 1_000 }];
    appendFileSync(costsFile, `${JSON.stringify(line)}\n`);
  });

/** By file. One that was killed has written nothing. */
export function readCosts(path: string): Map<string, Cost> {
  const lines = existsSync(path) ? readFileSync(path, "utf8").trimEnd().split("\n") : [];
  return new Map(lines.map((line) => JSON.parse(line) as [string, Cost]));
}
