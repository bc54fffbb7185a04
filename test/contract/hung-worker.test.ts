import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, suite, type TestContext, test } from "node:test";
import { pause } from "../../src/base/clock.ts";
import { LIMITS } from "../../src/base/limits.ts";
import { type Program, startProgram } from "../kit/program.ts";
import { send } from "../kit/send.ts";

/** A worker that hangs: SIGSTOP holds it where it is, with all it has. */
const root = mkdtempSync(join(tmpdir(), "holdfast-hung-"));
after(() => rmSync(root, { recursive: true, force: true }));

const WRITERS = 8;
const WAIT_MILLIS = 90_000;

async function startTwoWorkers(t: TestContext): Promise<Program> {
  const program = await startProgram(["--location", mkdtempSync(join(root, "data-")), "--workers", "2"]);
  // Also when an assertion failed: a stopped worker would be left behind, with the connections it has.
  const seen = new Set(workersOf(program));
  t.after(async () => {
    for (const worker of seen) kill(worker);
    await program.stop("SIGKILL");
  });
  return program;
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** None of them is 0, which would mean every process of the test run to `kill`. */
const workersOf = ({ pid }: Program): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8")
    .split(" ")
    .filter((text) => text.trim() !== "")
    .map(Number);

const admin = async ({ ports }: Program, path: string): Promise<string> =>
  (await fetch(`http://127.0.0.1:${ports.admin}${path}`)).text();

async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const endsAt = Date.now() + WAIT_MILLIS;
  while (!(await isSo())) {
    assert.ok(Date.now() < endsAt, `waited in vain until ${what}`);
    await pause(100);
  }
}

/**
 * Writes small blobs, each over a connection of its own, until it is stopped; returns the names acknowledged.
 */
function startWriters(program: Program): { acknowledged: string[]; stop(): Promise<void> } {
  const acknowledged: string[] = [];
  let isStopped = false;
  const write = async (writer: number): Promise<void> => {
    for (let round = 0; !isStopped; round++) {
      const name = `${writer}-${round}`;
      const headers = { "x-ms-blob-type": "BlockBlob" };
      const body = Buffer.from(name);
      try {
        const put = { service: "blob", method: "PUT", path: `/work/${name}`, headers, body } as const;
        if ((await send(program, put)).status === 201) acknowledged.push(name);
      } catch {
        // The connection went with the worker: this write was not acknowledged.
      }
    }
  };
  const writers = Array.from({ length: WRITERS }, (_, index) => write(index));
  return {
    acknowledged,
    stop: async () => {
      isStopped = true;
      await Promise.all(writers);
    },
  };
}

suite("a worker that hangs", { concurrency: true }, () => {
  test("is killed and replaced, and no acknowledged write is lost", async (t) => {
    const program = await startTwoWorkers(t);
    const container = {
      service: "blob",
      method: "PUT",
      path: "/work",
      query: { restype: "container" },
    } as const;
    assert.equal((await send(program, container)).status, 201);
    const writers = startWriters(program);
    t.after(() => writers.stop());
    await until("both workers write", () => writers.acknowledged.length > 20 * WRITERS);
    const [stopped] = workersOf(program);
    process.kill(stopped!, "SIGSTOP");

    await until("one of two is ready", async () =>
      (await admin(program, "/readyz")).includes("1 of 2 ready"),
    );
    await until("it was replaced", async () => (await admin(program, "/readyz")).includes("2 of 2 ready"));
    const before = writers.acknowledged.length;
    await until("writes go on", () => writers.acknowledged.length > before + 20 * WRITERS);
    await writers.stop();

    assert.ok(!workersOf(program).includes(stopped!));
    assert.match(program.stderr(), new RegExp(`"worker":${stopped},.*a worker hangs`));
    const metrics = await admin(program, "/metrics");
    assert.match(metrics, /^holdfast_worker_deaths_total\{reason="hung"\} 1$/m);
    assert.match(metrics, /^holdfast_worker_deaths_total\{reason="died"\} 0$/m);
    assert.match(metrics, /^holdfast_workers_ready 2$/m);
    for (const name of writers.acknowledged) {
      const got = await send(program, { service: "blob", method: "GET", path: `/work/${name}` });
      assert.equal(got.body, name);
    }
    assert.equal(await program.stop(), 0);
  });

  test("is distinguished from a pause of the supervisor: no worker is killed after it", async (t) => {
    const program = await startTwoWorkers(t);
    const before = workersOf(program);
    process.kill(program.pid, "SIGSTOP");
    await pause(LIMITS.workerSilenceMillis + 2 * LIMITS.workerBeatMillis);
    process.kill(program.pid, "SIGCONT");
    await pause(LIMITS.workerBeatMillis);
    await until("both are ready", async () => (await admin(program, "/readyz")).includes("2 of 2 ready"));
    assert.deepEqual(workersOf(program), before);
    assert.equal(await program.stop(), 0);
  });

  test("does not keep the program from stopping", async (t) => {
    const program = await startTwoWorkers(t);
    process.kill(workersOf(program)[0]!, "SIGSTOP");
    assert.equal(await program.stop(), 0);
  });
});
