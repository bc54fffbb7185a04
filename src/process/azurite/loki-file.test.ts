import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { readLokiFile } from "./loki-file.ts";

const folder = mkdtempSync(join(tmpdir(), "holdfast-loki-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const path = join(folder, "file.json");

async function read(text: string, isWanted = (_: string): boolean => true): Promise<unknown[]> {
  writeFileSync(path, text);
  const found: unknown[] = [];
  for await (const { collection, bytes } of readLokiFile(path, isWanted))
    found.push([collection, JSON.parse(bytes.toString())]);
  return found;
}

const collection = (name: string, data: readonly unknown[]): object => ({
  name,
  data,
  idIndex: null,
  binaryIndices: { name: { name: "name", dirty: false, values: [1, 0] } },
  events: { insert: [], error: [null] },
});

test("records come with their collection, whatever is in their texts", async () => {
  const tricky = {
    text: 'brackets ]}"{[ and \\ at the end\\',
    list: [{ a: [] }],
    collections: [{ data: [1] }],
  };
  const document = {
    filename: "x}]",
    collections: [
      collection("one", [{ a: 1 }, tricky]),
      collection("empty", []),
      collection("two", [{ b: 2 }]),
    ],
    options: { data: [{ no: "record" }] },
  };
  const expected = [
    ["one", { a: 1 }],
    ["one", tricky],
    ["two", { b: 2 }],
  ];
  assert.deepEqual(await read(JSON.stringify(document)), expected);
  assert.deepEqual(await read(JSON.stringify(document, null, 2)), expected);
  assert.deepEqual(await read(JSON.stringify(document), (name) => name === "two"), expected.slice(2));
});

test("records are whole where a read ends in the middle of them", async () => {
  const data = Array.from({ length: 40 }, (_, index) => ({ index, text: 'ä\\"'.repeat(20_000) }));
  const found = await read(JSON.stringify({ collections: [collection("long", data)] }));
  assert.deepEqual(
    found,
    data.map((record) => ["long", record]),
  );
});

test("a file that is cut off, empty or no such document is refused with its name and the place", async () => {
  const whole = JSON.stringify({ collections: [collection("one", [{ a: 1 }])] });
  for (const at of [1, 20, whole.length - 1])
    await assert.rejects(read(whole.slice(0, at)), /file\.json is damaged at byte \d+: it ends inside/);
  await assert.rejects(read(""), /it is empty/);
  await assert.rejects(read("}"), /never opened/);
  await assert.rejects(read('{"collections":[{"data":[{"a":1}]}]}'), /has no name before its data/);
});
