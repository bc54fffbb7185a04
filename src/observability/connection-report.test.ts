import assert from "node:assert/strict";
import { test } from "node:test";
import type { Timers } from "../base/clock.ts";
import { ConnectionLimit } from "../base/connection-limit.ts";
import { ConnectionReport } from "./connection-report.ts";
import { type LogFields, silentLog } from "./log.ts";

test("says that connections are refused at once, and then once in a while with the counts", () => {
  const lines: LogFields[] = [];
  const pauses: (() => void)[] = [];
  const timers: Timers = {
    after: (_, run) => {
      pauses.push(run);
      return { cancel() {} };
    },
    every: () => ({ cancel() {} }),
  };
  const log = { ...silentLog, warn: (fields: LogFields) => void lines.push(fields) };
  const report = new ConnectionReport({ log, timers, connectionsMax: 1 });
  const limit = new ConnectionLimit({ max: 1, report });
  const connection = { evict: () => limit.remove(connection) };
  limit.add(connection);
  limit.heard(connection);
  for (let count = 0; count < 5; count++) assert.equal(limit.admit(), false);
  assert.equal(limit.refused, 5);
  assert.deepEqual(lines, [{ refused: 1, closedWithoutRequest: 0, connectionsMax: 1 }]);
  pauses.shift()!();
  assert.deepEqual(lines.at(-1), { refused: 4, closedWithoutRequest: 0, connectionsMax: 1 });
  // Nothing was refused in this time: nothing is said, and the next refusal is said at once.
  pauses.shift()!();
  assert.equal(lines.length, 2);
  report.noteFailure(new Error("accept EMFILE"));
  assert.deepEqual(lines.at(-1), { failed: 1, reason: "accept EMFILE" });
});

test("a silent connection that gives way is counted as such, and one that was heard stays", () => {
  const report = new ConnectionReport({ connectionsMax: 2 });
  const all = new ConnectionLimit({ max: 2, report });
  const [blob, smb] = [0, 0].map(() => new ConnectionLimit({ max: 2, parent: all, report })) as [
    ConnectionLimit,
    ConnectionLimit,
  ];
  const evicted: string[] = [];
  const open = (limit: ConnectionLimit, name: string): { evict(): void } => {
    assert.equal(limit.admit(), true);
    const connection = {
      evict: () => {
        evicted.push(name);
        limit.remove(connection);
      },
    };
    limit.add(connection);
    return connection;
  };
  blob.heard(open(blob, "first"));
  open(blob, "second");
  open(smb, "third");
  assert.deepEqual(evicted, ["second"]);
  assert.equal(report.evictedTotal, 1);
  assert.equal(smb.refused, 0);
});
