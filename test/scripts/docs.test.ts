import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { OPERATIONS_FILE, printOperations } from "../../scripts/docs.ts";

test("the reference of operations is what the operation tables say", () => {
  const text = readFileSync(new URL(`../../${OPERATIONS_FILE}`, import.meta.url), "utf8");
  assert.equal(text, printOperations(), `${OPERATIONS_FILE} is stale; run npm run docs`);
});

test("the reference shows request, permissions, lease, limit and statuses of an operation", () => {
  const rows = printOperations().split("\n");
  assert.ok(
    rows.includes(
      "| PutMessage | `POST /{queue}/messages` | account (object): a; service: a |  |  | xml, 512 KiB | 201 |",
    ),
  );
  const lease = rows.find((line) => line.startsWith("| AcquireBlobLease |"));
  assert.match(lease ?? "", /`x-ms-lease-action: acquire`.*\| manages \|.*\| 201, ETag \|$/);
});
