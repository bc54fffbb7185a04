import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { ManualClock, pause, type Timers } from "../base/clock.ts";
import { type Access, openAccessLog, printAccess } from "./access-log.ts";
import { BufferedLines, type LineWriter } from "./buffered-lines.ts";
import { openLog, silentLog } from "./log.ts";

const scratch = mkdtempSync(join(tmpdir(), "holdfast-log-"));
after(() => rmSync(scratch, { recursive: true, force: true }));

function capture(format: "json" | "text", level: "info" | "debug" = "info") {
  const lines: string[] = [];
  const log = openLog({
    level,
    format,
    clock: new ManualClock(),
    sink: { write: (line) => lines.push(line) },
  });
  return { log, lines };
}

const access: Access = {
  service: "blob",
  operation: "GetBlob",
  method: "GET",
  url: "/devstoreaccount1/c/b?sv=1&sig=secret",
  status: 404,
  errorCode: "BlobNotFound",
  requestId: "id-1",
  clientRequestId: 'mine"\n',
  bytesIn: 0,
  bytesOut: 215,
  duration: 1.23456,
  remoteAddress: "127.0.0.1",
};

test("a line is JSON with level, time and fields, and a child adds its own", () => {
  const { log, lines } = capture("json");
  log.debug({}, "not shown");
  log.child({ worker: 2 }).warn({ count: 1 }, "look");
  assert.equal(lines.length, 1);
  const { pid, ...line } = JSON.parse(lines[0]!);
  assert.equal(pid, process.pid);
  assert.deepEqual(line, {
    level: "warn",
    time: "2026-01-01T00:00:00.000Z",
    worker: 2,
    count: 1,
    msg: "look",
  });
  assert.equal(log.isEnabled("debug"), false);
});

test("on a terminal a line is text, with the stack of an error below", () => {
  const { log, lines } = capture("text", "debug");
  log.info({ path: "/x", n: 1 }, "opened");
  log.error({ err: new Error("broken") }, "stopped");
  assert.equal(lines[0], "00:00:00.000 info  opened  path=/x  n=1\n");
  assert.match(lines[1]!, /^00:00:00.000 error stopped\nError: broken\n {4}at /);
});

test("no secret reaches a line, in a field, a message or an error", () => {
  const { log, lines } = capture("json");
  const err = new Error("copy from http://h/c?sig=S3CR3T failed", {
    cause: new Error("SharedKey me:S3CR3T"),
  });
  log.error(
    { err, url: "/c?SIG=S3CR3T", headers: { authorization: "SharedKey me:S3CR3T" } },
    "AccountKey=S3CR3T;",
  );
  log.info({ deep: { source: "https://h/?a=1&sig=S3CR3T" } }, "Bearer S3CR3T");
  assert.equal(lines.length, 2);
  for (const line of lines) {
    assert.doesNotMatch(line, /S3CR3T/);
    JSON.parse(line);
  }
});

test("--debug FILE gets its copy from debug on, while stderr keeps its level", () => {
  const lines: string[] = [];
  const debugFile = join(scratch, "deep", "debug.log");
  const log = openLog({
    level: "warn",
    format: "json",
    debugFile,
    sink: { write: (line) => lines.push(line) },
  });
  log.debug({}, "one");
  log.warn({}, "two");
  assert.equal(lines.length, 1);
  assert.equal(readFileSync(debugFile, "utf8").trim().split("\n").length, 2);
});

test("an access line carries every field, the address made safe, and cannot be forged", () => {
  const line = printAccess(access, Date.UTC(2026, 0, 1));
  assert.equal(line.indexOf("\n"), line.length - 1);
  assert.deepEqual(JSON.parse(line), {
    time: "2026-01-01T00:00:00.000Z",
    service: "blob",
    operation: "GetBlob",
    method: "GET",
    url: "/devstoreaccount1/c/b?sv=1&sig=***",
    status: 404,
    errorCode: "BlobNotFound",
    requestId: "id-1",
    clientRequestId: 'mine"\n',
    bytesIn: 0,
    bytesOut: 215,
    millis: 1.235,
    remoteAddress: "127.0.0.1",
  });
});

test("an access log that is off does not exist", () => {
  assert.equal(openAccessLog({ target: "off", log: silentLog }), undefined);
});

test("access lines are flushed by a timer and at the end", () => {
  const seen: string[] = [];
  let tick = () => {};
  const timers: Timers = {
    after: () => assert.fail("not used"),
    every: (_, run) => {
      tick = run;
      return { cancel: () => seen.push("cancelled") };
    },
  };
  const lines: LineWriter = {
    write: () => seen.push("line"),
    flush: () => seen.push("flush"),
    reopen: () => seen.push("reopen"),
    close: async () => void seen.push("close"),
  };
  const log = openAccessLog({ target: "x", log: silentLog, timers, lines })!;
  log.record(access);
  tick();
  log.reopen();
  void log.close();
  assert.deepEqual(seen, ["line", "flush", "reopen", "cancelled", "close"]);
});

test("a file of lines can be rotated away, and closing writes what is left", async () => {
  const path = join(scratch, "logs", "access.log");
  const lines = new BufferedLines(path, (error) => assert.fail(error));
  lines.write("first\n");
  lines.flush();
  lines.write("second\n");
  renameSync(path, `${path}.1`);
  lines.reopen();
  await lines.close();
  lines.write("too late\n");
  lines.flush();
  await lines.close();
  assert.equal(readFileSync(`${path}.1`, "utf8"), "first\n");
  assert.equal(readFileSync(path, "utf8"), "second\n");
});

test("many lines arrive whole and in order, and a sudden end can still write the rest", async () => {
  const path = join(scratch, "many.log");
  const lines = new BufferedLines(path, (error) => assert.fail(error));
  const all = Array.from({ length: 20_000 }, (_, index) => `line ${index}\n`);
  for (const line of all) lines.write(line);
  await lines.close();
  assert.equal(readFileSync(path, "utf8"), all.join(""));

  const sudden = new BufferedLines(path, (error) => assert.fail(error));
  sudden.write("last words\n");
  sudden.flushSync();
  assert.match(readFileSync(path, "utf8"), /last words\n$/);
  await sudden.close();
});

test("a disk that is full is reported once and costs only lines", async () => {
  const errors: Error[] = [];
  const lines = new BufferedLines("/dev/full", (error) => errors.push(error));
  for (let i = 0; i < 3; i++) {
    lines.write("line\n");
    lines.flush();
    await until(() => errors.length > 0);
  }
  await lines.close();
  assert.equal(errors.length, 1);
  assert.match(errors[0]!.message, /ENOSPC/);
});

test("a log file that cannot be opened is a matter for the operator", () => {
  assert.throws(
    () => openLog({ level: "info", debugFile: "/dev/null/d.log" }),
    /^ConfigError: --debug: cannot open /,
  );
  assert.throws(
    () => new BufferedLines("/dev/null/access.log", () => {}),
    /^ConfigError: cannot open the log file /,
  );
});

async function until(isTrue: () => boolean): Promise<void> {
  // Patient, because the disk is asked by another thread and the machine may be busy.
  for (let i = 0; i < 3_000; i++) {
    if (isTrue()) return;
    await pause(5);
  }
  assert.fail("it did not happen");
}
