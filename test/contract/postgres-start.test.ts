import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { BlobServiceClient, RestError } from "@azure/storage-blob";
import { monotonic, pause } from "../../src/base/clock.ts";
import { LIMITS } from "../../src/base/limits.ts";
import { silentLog } from "../../src/observability/log.ts";
import { parseDatabaseAddress } from "../../src/store/postgres/address.ts";
import { ClearTextWarning } from "../../src/store/postgres/clear-text-warning.ts";
import { Session } from "../../src/store/postgres/session.ts";
import { FaultyLink } from "../kit/faulty-link.ts";
import { freePort, freshSchema, sharedDatabase } from "../kit/postgres.ts";
import { startProgram } from "../kit/program.ts";

async function until(isSo: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const began = monotonic();
  while (!(await isSo())) {
    assert.ok(monotonic() - began < 30_000, what);
    await pause(50);
  }
}

interface Absent {
  readonly what: string;
  readonly reason: RegExp;
  /** Whether something takes connections and says nothing, or nothing is there at all. */
  readonly isSilent: boolean;
}

const ABSENT: readonly Absent[] = [
  { what: "where no server listens", reason: /connect ECONNREFUSED/, isSilent: false },
  { what: "that says nothing", reason: /no answer yet|did not answer within 5 s/, isSilent: true },
];

for (const { what, reason, isSilent } of ABSENT) {
  test(`a database ${what} is named in the log until it is there, and then served from`, async () => {
    const { address, drop } = await freshSchema();
    const [databasePort, port] = [(await sharedDatabase()).port, await freePort()];
    const directory = mkdtempSync(join(tmpdir(), "holdfast-start-"));
    const log = join(directory, "log");
    const waiting = (): { msg: string; time: string }[] => {
      const lines = existsSync(log) ? readFileSync(log, "utf8").split("\n") : [];
      return lines
        .filter((line) => line.includes("waiting for the database") && line.includes('"warn"'))
        .map((line) => JSON.parse(line) as { msg: string; time: string });
    };
    let link = isSilent ? await FaultyLink.before(databasePort, port) : undefined;
    link?.set("blackhole");
    const store = address.replace(/127\.0\.0\.1:\d+/, `127.0.0.1:${port}`);
    const starting = startProgram(["--store", store, "--debug", log]);
    try {
      await until(() => waiting().length >= 2, "the log does not say twice that the database is waited for");
      const [first, second] = waiting();
      assert.ok(first!.msg.startsWith(`waiting for the database postgres://127.0.0.1:${port}/postgres: `));
      assert.match(first!.msg, reason);
      assert.match(first!.msg, /trying again/);
      const between = Date.parse(second!.time) - Date.parse(first!.time);
      assert.ok(between > 3_000, `said again after ${between} ms`);
      link ??= await FaultyLink.before(databasePort, port);
      link.set("carry");
      await (await starting).stop();
    } finally {
      link ??= await FaultyLink.before(databasePort, port);
      link.set("carry");
      const program = await starting.catch(() => undefined);
      await program?.stop("SIGKILL");
      await link.close();
      rmSync(directory, { recursive: true, force: true });
      await drop();
    }
  });
}

async function statusOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return "done";
  } catch (error) {
    assert.ok(error instanceof RestError, String(error));
    return `${error.statusCode} ${error.code}`;
  }
}

test("while the database is silent clients hear 500 or 503 and /readyz says why; then all goes on", async () => {
  const { address, drop } = await freshSchema();
  const link = await FaultyLink.before((await sharedDatabase()).port);
  const program = await startProgram(["--store", link.over(address)]);
  try {
    const container = BlobServiceClient.fromConnectionString(program.connectionString, {
      retryOptions: { maxTries: 1 },
    }).getContainerClient("silence");
    const admin = async (path: string): Promise<{ status: number; body: Record<string, string> }> => {
      const reply = await fetch(`http://127.0.0.1:${program.ports.admin}${path}`);
      return { status: reply.status, body: (await reply.json()) as Record<string, string> };
    };
    const put = (name: string, bytes = 4): Promise<string> =>
      statusOf(container.getBlockBlobClient(name).upload(Buffer.alloc(bytes, "x"), bytes));
    await container.create();
    assert.equal((await admin("/readyz")).status, 200);

    const silent = link.setAtCommit("swallow", "all");
    const first = put("first");
    await silent;
    const others = [put("other"), put("large", 300_000), statusOf(container.getProperties())];
    await until(async () => (await admin("/readyz")).status === 503, "ready while nothing is answered");
    const { body } = await admin("/readyz");
    assert.equal(body.status, "not ready");
    assert.match(body.store!, /has not (been )?answered/);
    assert.equal(body.listeners, "listening");
    assert.equal((await admin("/healthz")).status, 200);
    assert.equal(await first, "500 OperationTimedOut");
    for (const other of others) assert.equal(await other, "503 ServerBusy");

    link.set("carry");
    await until(async () => (await admin("/readyz")).status === 200, "not ready while all is answered");
    assert.equal(await put("after"), "done");
    const names: string[] = [];
    for await (const { name } of container.listBlobsFlat()) names.push(name);
    // What was answered with 503 was not made; of the one in doubt the database had the commit.
    assert.deepEqual(names, ["after", "first"]);
  } finally {
    link.set("carry");
    await program.stop();
    await link.close();
    await drop();
  }
});

test("time limits are set after the login, where a pooler takes them", async () => {
  const database = await sharedDatabase();
  const link = await FaultyLink.before(database.port);
  const names = ["statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout"];
  const address = parseDatabaseAddress(link.over(`${database.address("none")}&sslmode=disable`));
  const session = await Session.open({
    address,
    ...address.hosts[0]!,
    applicationName: "holdfast test",
    clearText: new ClearTextWarning(silentLog),
    statements: names.map((name) => ({
      name,
      text: `SELECT setting FROM pg_settings WHERE name = '${name}'`,
    })),
    traffic: { roundTrips: 0, heardAt: 0, silentAt: 0, primary: 0 },
  });
  try {
    assert.ok(link.firstBytes[0]!.includes("application_name\0holdfast test\0"));
    for (const name of names) assert.ok(!link.firstBytes[0]!.includes(name), name);
    const { results } = await session.run(names.map((name) => ({ name, values: [] })));
    assert.deepEqual(
      results.map(({ rows }) => Number(rows[0]![0])),
      [LIMITS.statementMillis, LIMITS.lockMillis, LIMITS.idleInTransactionMillis],
    );
  } finally {
    await session.close();
    await link.close();
  }
});
