import assert from "node:assert/strict";
import { test } from "node:test";
import { KIB, LIMITS } from "../../base/limits.ts";
import { bodyOf, PrintedPage, printListing } from "./printed-page.ts";
import { element, printXml, textElement } from "./xml-print.ts";

const bytesOf = (body: string | readonly Buffer[]): Buffer =>
  typeof body === "string" ? Buffer.from(body) : Buffer.concat(body);

function filled(entries: readonly string[], bytesMax?: number): PrintedPage<string> {
  const page = new PrintedPage((text: string) => text, {
    countMax: 10,
    ...(bytesMax === undefined ? {} : { bytesMax }),
  });
  for (const entry of entries) if (!page.isFull) page.add(entry);
  return page;
}

test("a page is full when it has its entries, or its bytes", () => {
  assert.equal(filled(new Array(12).fill("a")).count, 10);
  assert.equal(filled(["aaaa", "bbbb", "cccc"], 8).count, 2);
  assert.equal(filled(["aaaa", "bbbb", "cccc"], 9).count, 3);
  // What does not fit into a byte counts as the bytes it becomes.
  const wide = "\u20ac".repeat(LIMITS.printedChunkChars);
  assert.equal(filled([wide, wide, wide], 3 * LIMITS.printedChunkChars).count, 1);
});

test("an entry larger than a page stands in it alone", () => {
  const large = "x".repeat(LIMITS.listPageBytesMax + 1);
  const page = filled([large, "next"]);
  assert.equal(page.count, 1);
  assert.equal(bytesOf(bodyOf(page)).toString(), large);
});

test("a page prints the same in chunks as in one text", () => {
  for (const length of [0, 1, 100, 20 * KIB, 64 * KIB]) {
    const entries = new Array(9).fill(`<Entry>\u00e9${"x".repeat(length)}</Entry>`);
    const body = printListing({
      attributes: { Name: 'a"b' },
      head: "<Prefix />",
      name: "Entries",
      page: filled(entries),
      nextMarker: "next",
    });
    const content = `<Prefix />${element("Entries", entries.join(""))}${textElement("NextMarker", "next")}`;
    const expected = printXml(element("EnumerationResults", content, { Name: 'a"b' }));
    assert.equal(bytesOf(body).toString(), expected);
    assert.equal(typeof body === "string", length <= 100);
  }
  const empty = printListing({ head: "", name: "Entries", page: filled([]), nextMarker: "" });
  assert.equal(empty, printXml("<EnumerationResults><Entries /><NextMarker /></EnumerationResults>"));
});
