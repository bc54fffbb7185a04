import assert from "node:assert/strict";
import { test } from "node:test";
import { OutOfSpace, StorageFault } from "../../base/faults.ts";
import { STATUS, StatusError } from "../wire/status.ts";
import { toStatus } from "./statuses.ts";

test("a full disk has a status of its own; any other fault stays what it is", () => {
  for (const full of [new OutOfSpace("no space"), new OutOfSpace("no space", new Error("ENOSPC"))]) {
    const answer = toStatus(full);
    assert.ok(answer instanceof StatusError);
    assert.equal(answer.status, STATUS.DISK_FULL);
  }
  const fault = new StorageFault("the database cannot be reached", { isTransient: true });
  assert.equal(toStatus(fault), fault);
});
