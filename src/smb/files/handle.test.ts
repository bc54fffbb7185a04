import assert from "node:assert/strict";
import { test } from "node:test";
import { OutOfSpace } from "../../base/faults.ts";
import type { FileService } from "../../services/file/file-service.ts";
import type { OpenedHandle } from "../../services/file/opens/open-inode.ts";
import { STATUS } from "../wire/status.ts";
import { ServiceHandle } from "./handle.ts";

function handleWith(durable: () => Promise<void>): ServiceHandle {
  const opened = { inode: 1n, opened: { record: { kind: "file" } }, durable } as unknown as OpenedHandle;
  return new ServiceHandle({} as FileService, opened, 0, { closed: () => {}, lists: undefined });
}

test("of two that flush at once, both wait for what was answered before", async () => {
  let end = (): void => {};
  const durable = new Promise<void>((resolve) => {
    end = resolve;
  });
  const handle = handleWith(() => durable);
  let flushed = 0;
  const both = [1, 2].map(() =>
    handle.flush().then(() => {
      flushed++;
    }),
  );
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(flushed, 0);
  end();
  await Promise.all(both);
  assert.equal(flushed, 2);
});

test("what was answered and never got to the disk is told when it is flushed, once", async () => {
  const handle = handleWith(() => Promise.reject(new OutOfSpace("no space left for records")));
  await assert.rejects(handle.flush(), (error: { status?: number }) => error.status === STATUS.DISK_FULL);
  await handle.flush();
});
