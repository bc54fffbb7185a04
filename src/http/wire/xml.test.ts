import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { walksOver } from "../../../test/support/linear.ts";
import { LIMITS } from "../../base/limits.ts";
import { Refusal } from "../../base/refusals.ts";
import { parseXml, type XmlElement } from "./xml.ts";
import { element, encodedElement, escapeText, printAttributes, printXml, textElement } from "./xml-print.ts";

const read = (text: string): XmlElement => parseXml(Buffer.from(text));

function refusedAt(input: string | Uint8Array, line?: number, position?: number): void {
  assert.throws(
    () => parseXml(typeof input === "string" ? Buffer.from(input) : input),
    (error: unknown) => {
      assert(error instanceof Refusal, String(error));
      assert.equal(error.code, "InvalidXmlDocument");
      if (line !== undefined) assert.equal(error.detail.elements?.LineNumber, String(line));
      if (position !== undefined) assert.equal(error.detail.elements?.LinePosition, String(position));
      return true;
    },
  );
}

test("a block list keeps the order of its children", () => {
  const list = read(
    '\ufeff<?xml version="1.0" encoding="utf-8"?>\r\n<BlockList>\n <Latest>QQ==</Latest><Committed>Qg==</Committed>' +
      "<Uncommitted/><Latest>Qw==</Latest></BlockList>\n<!-- end -->\n",
  );
  assert.equal(list.name, "BlockList");
  assert.deepEqual(
    list.children.map((block) => [block.name, block.text]),
    [
      ["Latest", "QQ=="],
      ["Committed", "Qg=="],
      ["Uncommitted", ""],
      ["Latest", "Qw=="],
    ],
  );
  assert.equal(list.textOf("Committed"), "Qg==");
  assert.equal(list.textOf("Uncommitted"), "");
  assert.equal(list.textOf("Missing"), undefined);
  assert.equal(list.all("Latest").length, 2);
});

test("text joins its chunks: references, CDATA, and what stands around children and comments", () => {
  assert.equal(
    read("<a>1 &lt;&amp;&gt;&quot;&apos;&#65;&#x1F600;<![CDATA[<&amp;>]]> 2</a>").text,
    "1 <&>\"'A😀<&amp;> 2",
  );
  assert.equal(read("<a>x<b>drop</b>y<!-- no -->z</a>").text, "xyz");
});

test("line ends read as line feeds, a carriage return comes only as a reference", () => {
  assert.equal(read("<a>1\r\n2\r3&#13;\n</a>").text, "1\n2\n3\r\n");
});

test("attributes in either quote, with blanks where XML allows them", () => {
  const { attributes } = read("<a  b = \"1 &amp; '2'\"\n c='x\ty&#9;z' xml:lang=\"en\" />");
  assert.deepEqual(
    [...attributes!],
    [
      ["b", "1 & '2'"],
      ["c", "x y\tz"],
      ["xml:lang", "en"],
    ],
  );
});

test("names beyond ASCII and names that are special to JavaScript are plain names", () => {
  const root = read("<été><__proto__ constructor='1'>x</__proto__><𐐀/></été>");
  assert.equal(root.textOf("__proto__"), "x");
  assert.equal(root.child("__proto__")!.attributes!.get("constructor"), "1");
  assert.equal(root.children[1]!.name, "𐐀");
});

for (const [what, text, line, position] of [
  ["nothing", "", 1, 1],
  ["only text", "hello", 1, 1],
  ["a document type", "<!DOCTYPE a [<!ENTITY x 'y'>]><a/>", 1, 1],
  ["a document type inside", "<a><!DOCTYPE a></a>", 1, 4],
  ["a processing instruction", "<a><?php x ?></a>", 1, 4],
  ["an instruction before the root", "\n<?xml-stylesheet href='x'?><a/>", 2, 1],
  ["an undefined entity", "<a>\n12&nbsp;</a>", 2, 3],
  ["an entity without end", "<a>&amp</a>", 1, 4],
  ["a bare ampersand", "<a>1 & 2</a>", 1, 6],
  ["a reference to a control character", "<a>&#1;</a>", 1, 4],
  ["a reference to a surrogate", "<a>&#xD800;</a>", 1, 4],
  ["a reference beyond Unicode", "<a>&#x110000;</a>", 1, 4],
  ["a signed reference", "<a>&#-1;</a>", 1, 4],
  ["a control character", "<a>\u0001</a>", 1, 4],
  ["U+FFFF", "<a>\uffff</a>", 1, 4],
  ["a duplicate attribute", "<a b='1' c='2' b='3'/>", 1, 16],
  ["an attribute without quotes", "<a b=1/>", 1, 6],
  ["an attribute without value", "<a b/>", 1, 5],
  ["attributes without a blank", "<a b='1'c='2'/>", 1, 9],
  ["an attribute value with <", "<a b='<'/>", undefined, undefined],
  ["mismatched tags", "<a><b></a></b>", 1, 7],
  ["an end tag that starts the same", "<a></ab>", 1, 4],
  ["an unclosed element", "<a><b></b>", 1, 11],
  ["an unclosed tag", "<a", undefined, undefined],
  ["an unclosed comment", "<a><!-- </a>", 1, 4],
  ["two dashes in a comment", "<a><!-- -- --></a>", 1, 9],
  ["an unclosed CDATA section", "<a><![CDATA[ </a>", 1, 4],
  ["]]> in text", "<a>]]></a>", 1, 4],
  ["two roots", "<a/><b/>", 1, 5],
  ["text after the root", "<a/>x", 1, 5],
  ["an end tag alone", "</a>", 1, 1],
  ["a blank before the name", "< a/>", 1, 2],
  ["a name that starts with a digit", "<1a/>", 1, 2],
  ["another encoding", "<?xml version='1.0' encoding='utf-16'?><a/>", 1, 1],
  ["a malformed declaration", "<?xml encoding='utf-8'?><a/>", 1, 1],
  ["a declaration after a blank", " <?xml version='1.0'?><a/>", 1, 2],
] as const) {
  test(`refuses ${what}`, () => refusedAt(text, line, position));
}

test("refuses UTF-16 and broken UTF-8", () => {
  refusedAt(Buffer.from("\ufeff<a/>", "utf16le"));
  refusedAt(Buffer.from("<a/>", "utf16le"));
  refusedAt(Buffer.from([0x3c, 0x61, 0x3e, 0xc0, 0x80, 0x3c, 0x2f, 0x61, 0x3e]));
  refusedAt(Buffer.from([0x3c, 0x61, 0x3e, 0xed, 0xa0, 0x80, 0x3c, 0x2f, 0x61, 0x3e]));
});

test("depth and tokens have limits", () => {
  const nested = (depth: number): string => `${"<a>".repeat(depth - 1)}<a/>${"</a>".repeat(depth - 1)}`;
  assert.equal(read(nested(LIMITS.xmlDepthMax)).name, "a");
  refusedAt(nested(LIMITS.xmlDepthMax + 1));
  refusedAt("<a>".repeat(1_000_000));
  assert.equal(
    read(`<a>${"<b/>".repeat(LIMITS.xmlTokensMax - 1)}</a>`).children.length,
    LIMITS.xmlTokensMax - 1,
  );
  refusedAt(`<a>${"<b/>".repeat(LIMITS.xmlTokensMax)}</a>`);
  refusedAt(`<a>${"&lt;".repeat(LIMITS.xmlTokensMax)}</a>`);
});

test("attributes have limits of their own", () => {
  const many = (count: number): string =>
    `<a ${Array.from({ length: count }, (_, i) => `a${i}=""`).join(" ")}/>`;
  assert.equal(read(many(LIMITS.xmlAttributesMax)).attributes!.size, LIMITS.xmlAttributesMax);
  refusedAt(many(LIMITS.xmlAttributesMax + 1));
  refusedAt(`<a b="${"x".repeat(LIMITS.xmlAttributeCharsMax + 1)}"/>`);
});

test("hostile shapes cost no more than their length", () => {
  const size = 1_000_000;
  const filler = (chunk: string): string => chunk.repeat(Math.floor(size / chunk.length));
  const shapes = [
    `<a>${filler("&amp;")}</a>`,
    `<a>${filler("&")}</a>`,
    `<a>${filler("<![CDATA[")}`,
    `<a>${filler("<!--")}`,
    `<a ${filler(" ")}`,
    `<a>${filler("]]")}</a>`,
    `<a>${filler("<!---->")}</a>`,
    `<a b='${filler("\n")}'/>`,
    `<a ${Array.from({ length: 150_000 }, (_, i) => `a${i}=''`).join(" ")}/>`,
    filler("\r"),
    `<a>${filler("\r\n")}</a>`,
    filler("\n"),
    `<?xml version="1.0"${filler(" ")}`,
  ];
  const attempt = (shape: string): void => {
    try {
      read(shape);
    } catch (error) {
      assert(error instanceof Refusal);
    }
  };
  for (const shape of shapes) {
    const walks = walksOver(shape.length, () => attempt(shape));
    assert(walks < 1_000, `${shape.slice(0, 20)} took ${walks} times a walk over it`);
  }
});

const name = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_.-]{0,10}$/);
/** Any text XML can hold. */
const text = fc
  .string({ unit: "binary" })
  .filter((value) => value.isWellFormed() && !/[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/.test(value));

interface Tree {
  name: string;
  attributes: Record<string, string>;
  text: string;
  children: Tree[];
}
const treeOf = (levels: number): fc.Arbitrary<Tree> =>
  fc.record({
    name,
    attributes: fc.dictionary(name, text, { maxKeys: 3 }),
    text,
    children: levels === 0 ? fc.constant([]) : fc.array(treeOf(levels - 1), { maxLength: 3 }),
  });

function print(tree: Tree): string {
  const content = escapeText(tree.text) + tree.children.map(print).join("");
  return element(tree.name, content, tree.attributes);
}

function same(tree: Tree, found: XmlElement): void {
  assert.equal(found.name, tree.name);
  assert.equal(found.text, tree.text);
  assert.deepEqual(Object.fromEntries(found.attributes ?? []), { ...tree.attributes });
  assert.equal(found.children.length, tree.children.length);
  for (const [i, child] of tree.children.entries()) same(child, found.children[i]!);
}

test("what is printed reads back as it was", () => {
  fc.assert(
    fc.property(treeOf(3), fc.boolean(), (tree, bom) => {
      same(tree, read(printXml(print(tree), { bom })));
    }),
  );
});

test("arbitrary bytes give a tree or a refusal", () => {
  const chunk = fc.constantFrom(
    "<a>",
    "</a>",
    "<a/>",
    "<!--",
    "-->",
    "<![CDATA[",
    "]]>",
    "&amp;",
    "&#",
    ";",
    "<?xml ",
    "?>",
    "'",
    '"',
    "=",
    " b",
    "\n",
    "\0",
    "é",
  );
  const soup = fc.array(chunk, { maxLength: 40 }).map((chunks) => Buffer.from(chunks.join("")));
  fc.assert(
    fc.property(fc.oneof(fc.uint8Array({ maxLength: 400 }), soup), (bytes) => {
      try {
        parseXml(bytes);
      } catch (error) {
        assert(error instanceof Refusal && error.code === "InvalidXmlDocument", String(error));
      }
    }),
    { numRuns: 3_000 },
  );
});

test("what XML cannot hold is replaced in text, and encoded in names", () => {
  assert.equal(textElement("A", "x\u0001\ud800y\uffff\r\n"), "<A>x\ufffd\ufffdy\ufffd&#xD;\n</A>");
  assert.equal(printAttributes({ a: '"<\t\u0002>', b: undefined }), ' a="&quot;&lt;&#x9;\ufffd&gt;"');
  assert.equal(encodedElement("Name", "a<b😀"), "<Name>a&lt;b😀</Name>");
  assert.equal(encodedElement("Name", "a\u0001/b"), '<Name Encoded="true">a%01%2Fb</Name>');
  assert.equal(textElement("A", ""), "<A />");
  assert.equal(textElement("A", 0), "<A>0</A>");
});
