import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { SHARED_PORT, TestDatabase } from "../kit/postgres.ts";
import type { Proof } from "../support/proof.ts";

const contract = join(dirname(fileURLToPath(import.meta.url)), "..", "contract");

/** Suites of the services; the others are about engines, processes or the program itself. */
const SUITES = /^(blob|queue|table|file|service-properties|http).*\.test\.ts$/;
/** In a shorter run, one suite of so many. */
const EACH = { quick: 10, usual: 1, long: 1 };
/** Side by side: each waits for the database much of its time. */
const LANES = 2;

/** These start the program with workers on a directory. */
const OTHERWISE = new Set(["queue-delivery.test.ts"]);

/** Every behaviour suite of the services on the PostgreSQL engine, and the store's own promises. */
export const proof: Proof = {
  name: "postgres-suites",
  what: "the store's promises and the behaviour of all four services hold on the PostgreSQL engine",
  minutes: 3,
  async run({ length, progress }) {
    const suites = readdirSync(contract).filter((name) => SUITES.test(name) && !OTHERWISE.has(name));
    const chosen = ["store-postgres.test.ts", ...suites.filter((_, i) => i % EACH[length] === 0)];
    let passed = 0;
    const broken: string[] = [];
    // One server for all of them: making one takes longer than many a suite.
    const database = await TestDatabase.create();
    const runOne = async (name: string): Promise<void> => {
      const { output, isOk } = await runSuite(join(contract, name), database.port);
      const count = Number(/^# pass (\d+)$/m.exec(output)?.[1] ?? 0);
      passed += count;
      if (!isOk || count === 0) {
        broken.push(name);
        progress(
          `${name} broke:\n${output
            .split("\n")
            .filter((line) => /not ok|error:/.test(line))
            .join("\n")}`,
        );
      } else progress(`${name}: ${count} tests`);
    };
    try {
      const waiting = [...chosen];
      const lane = async (): Promise<void> => {
        for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) await runOne(name);
      };
      await Promise.all(Array.from({ length: LANES }, lane));
    } finally {
      await database.remove();
    }
    const summary = `${passed} tests of ${chosen.length} suites`;
    return {
      ok: broken.length === 0,
      summary: broken.length === 0 ? summary : `broken: ${broken.join(", ")}`,
    };
  },
};

function runSuite(path: string, port: number): Promise<{ output: string; isOk: boolean }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ["--import", "tsx", "--test", path], {
      env: { ...process.env, HOLDFAST_TEST_ENGINES: "postgres", [SHARED_PORT]: String(port) },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (chunk: string) => {
        output += chunk;
      });
    }
    child.on("error", reject);
    child.on("close", (code) => resolve({ output, isOk: code === 0 }));
  });
}
