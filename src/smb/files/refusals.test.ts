import assert from "node:assert/strict";
import { test } from "node:test";
import { OutOfSpace, StorageFault } from "../../base/faults.ts";
import { STATUS, StatusError } from "../wire/status.ts";
import { answerTo } from "./refusals.ts";

test("a full disk is told as such, whoever found it full; any other fault stays what it is", () => {
  for (const full of [new OutOfSpace("no room"), new OutOfSpace("no room", new Error("ENOSPC"))]) {
    const answer = answerTo(full);
    assert.ok(answer instanceof StatusError);
    assert.equal(answer.status, STATUS.DISK_FULL);
  }
  const fault = new StorageFault("the database cannot be reached", { isTransient: true });
  assert.equal(answerTo(fault), fault);
});
