import assert from "node:assert/strict";
import { test } from "node:test";
import { fileTimeAt } from "./filetime.ts";
import { parsePath } from "./path.ts";
import { STATUS, StatusError } from "./status.ts";

test("a path is names from the root down, the empty one the root itself", () => {
  assert.deepEqual(parsePath("").names, []);
  assert.deepEqual(parsePath("dir\\Ünder\\file.txt").names, ["dir", "Ünder", "file.txt"]);
  assert.deepEqual(parsePath("dir\\").names, ["dir"]);
  assert.deepEqual(parsePath("a\\..\\b").names, ["b"]);
  assert.deepEqual(parsePath("dir/file").names, ["dir", "file"]);
});

test("an @GMT name is a moment, not a directory", () => {
  const path = parsePath("@GMT-2026.01.31-23.59.59\\dir\\file");
  assert.deepEqual(path.names, ["dir", "file"]);
  assert.equal(path.snapshot, fileTimeAt(Date.UTC(2026, 0, 31, 23, 59, 59)));
});

test("each mistake has its own status", () => {
  const cases: readonly (readonly [string, number])[] = [
    ["\\dir", STATUS.INVALID_PARAMETER],
    ["..\\up", STATUS.OBJECT_PATH_SYNTAX_BAD],
    [".\\here", STATUS.OBJECT_NAME_INVALID],
    ["a*b", STATUS.OBJECT_NAME_INVALID],
    ["a\u0001", STATUS.OBJECT_NAME_INVALID],
    ["file:stream", STATUS.OBJECT_NAME_INVALID],
    ["file::$DATA", STATUS.OBJECT_NAME_INVALID],
    ["n".repeat(256), STATUS.OBJECT_NAME_INVALID],
    ["d\\".repeat(2_000), STATUS.OBJECT_NAME_INVALID],
  ];
  for (const [text, status] of cases) {
    assert.throws(
      () => parsePath(text),
      (error) => error instanceof StatusError && error.status === status,
      text.slice(0, 20),
    );
  }
});

test("where streams are kept, the last name may be followed by one", () => {
  const kept = { hasStreams: true };
  const cases: readonly (readonly [string, readonly string[], string | undefined, boolean])[] = [
    ["dir\\file:stream", ["dir", "file"], "stream", false],
    ["file:Stream:$DATA", ["file"], "Stream", false],
    ["file::$data", ["file"], undefined, true],
    ["file", ["file"], undefined, false],
    [":stream", [], "stream", false],
  ];
  for (const [text, names, stream, isContent] of cases)
    assert.deepEqual(parsePath(text, kept), { names, snapshot: undefined, stream, isContent }, text);
  const wrong = [
    "file:",
    "file::",
    "a:b\\c",
    "a:b:$INDEX_ALLOCATION",
    "a:b:c:$DATA",
    "a:\0",
    `a:${"n".repeat(256)}`,
  ];
  for (const text of [...wrong, "a:\ud800"])
    assert.throws(
      () => parsePath(text, kept),
      (error) => error instanceof StatusError && error.status === STATUS.OBJECT_NAME_INVALID,
      text,
    );
});
