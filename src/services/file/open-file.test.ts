import assert from "node:assert/strict";
import { test } from "node:test";
import { OutOfSpace } from "../../base/faults.ts";
import type { FileService } from "./file-service.ts";
import { OpenFile, type OpenState } from "./open-file.ts";

function openWith(durable: () => Promise<void>): OpenFile {
  const handle = { ref: { account: "account", share: "share" }, share: 1n, inode: 1n, id: 1n };
  const opened = { record: { kind: "file" }, durable } as unknown as OpenState;
  return new OpenFile({ openFiles: new Map() } as unknown as FileService, handle, opened);
}

test("two flushes at once both wait for the commits that were answered before", async () => {
  let end = (): void => {};
  const durable = new Promise<void>((resolve) => {
    end = resolve;
  });
  const file = openWith(() => durable);
  let flushed = 0;
  const both = [1, 2].map(() =>
    file.flush().then(() => {
      flushed++;
    }),
  );
  for (let tick = 0; tick < 3; tick++) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(flushed, 0);
  end();
  await Promise.all(both);
  assert.equal(flushed, 2);
});

test("a commit that was answered and failed is reported by the next flush, once", async () => {
  const file = openWith(() => Promise.reject(new OutOfSpace("no space left for records")));
  await assert.rejects(file.flush(), OutOfSpace);
  await file.flush();
});
