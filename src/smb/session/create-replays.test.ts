import assert from "node:assert/strict";
import { test } from "node:test";
import { STATUS, StatusError } from "../wire/status.ts";
import { CreateReplays } from "./create-replays.ts";
import type { Open } from "./open.ts";

const CLIENT = Buffer.alloc(16, 1);
const ID = Buffer.alloc(16, 2);
const open = (): Open => ({ createName: undefined }) as unknown as Open;
const refusedWith = (status: number) => (error: unknown) =>
  error instanceof StatusError && error.status === status;

test("a CREATE that is sent again finds the open it made, and only when it says that it is sent again", () => {
  const replays = new CreateReplays();
  assert.equal(replays.find(CLIENT, ID, true), undefined);
  const creation = replays.begin(CLIENT, ID);
  assert.throws(() => replays.find(CLIENT, ID, true), refusedWith(STATUS.FILE_NOT_AVAILABLE));
  assert.throws(() => replays.find(CLIENT, ID, false), refusedWith(STATUS.DUPLICATE_OBJECTID));
  const made = open();
  creation.opened(made);
  creation.end();
  assert.equal(replays.find(CLIENT, ID, true), made);
  assert.throws(() => replays.find(CLIENT, ID, false), refusedWith(STATUS.DUPLICATE_OBJECTID));
  assert.equal(replays.find(Buffer.alloc(16, 9), ID, true), undefined, "another client's ids are its own");
  replays.forget(made);
  assert.equal(replays.find(CLIENT, ID, true), undefined);
});

test("an id whose CREATE opened nothing is free again; one taken anew is not freed by an older open", () => {
  const replays = new CreateReplays();
  replays.begin(CLIENT, ID).end();
  assert.equal(replays.find(CLIENT, ID, false), undefined);
  const first = open();
  replays.begin(CLIENT, ID).opened(first);
  replays.forget(first);
  const second = open();
  replays.begin(CLIENT, ID).opened(second);
  replays.forget(first);
  assert.equal(replays.find(CLIENT, ID, true), second);
});
