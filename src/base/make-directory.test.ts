import assert from "node:assert/strict";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { makeDirectory } from "./make-directory.ts";

const scratch = mkdtempSync(join(tmpdir(), "holdfast-make-directory-"));
after(() => rmSync(scratch, { recursive: true, force: true }));

test("makes what is missing and says where it began", () => {
  const deep = join(scratch, "one", "two", "three");
  assert.equal(makeDirectory(deep), join(scratch, "one"));
  assert.ok(statSync(deep).isDirectory());
  assert.equal(makeDirectory(deep), undefined);
  assert.equal(makeDirectory(join(deep, "four")), join(deep, "four"));
});

test("gives up where nothing can be made", () => {
  writeFileSync(join(scratch, "file"), "");
  assert.throws(() => makeDirectory(join(scratch, "file")), { code: "EEXIST" });
  assert.throws(() => makeDirectory(join(scratch, "file", "below", "it")), { code: "ENOTDIR" });
});

test("gives up in a file system that makes no directories", { skip: process.platform !== "linux" }, () => {
  assert.throws(() => makeDirectory("/proc/x"), { code: "ENOENT" });
  assert.throws(() => makeDirectory("/proc/x/y/z"), { code: "ENOENT" });
});
