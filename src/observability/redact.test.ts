import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { safeHeaders, safeText, safeUrl } from "./redact.ts";

test("the signature of a SAS is masked, the rest stays readable", () => {
  assert.equal(
    safeUrl("/devstoreaccount1/c/b?sv=2024-11-04&sr=b&sig=abc%2Fdef%3D&sp=r"),
    "/devstoreaccount1/c/b?sv=2024-11-04&sr=b&sig=***&sp=r",
  );
  assert.equal(safeUrl("/c/b?comp=block&blockid=YQ%3D%3D"), "/c/b?comp=block&blockid=YQ%3D%3D");
  assert.equal(safeUrl("/c/design%20sig.png?comp=list"), "/c/design%20sig.png?comp=list");
  assert.equal(safeUrl("/c/b%3Fsv=1&sig=abc/def"), "/c/***");
  assert.equal(safeUrl("/c?skoid=person&x=1"), "/c?skoid=***&x=1");
});

test("headers keep who signed and where from, not with what", () => {
  assert.deepEqual(
    safeHeaders({
      authorization: "SharedKey devstoreaccount1:c2VjcmV0",
      "X-Ms-Copy-Source": "http://h/c/b?sig=c2VjcmV0&sv=1",
      "x-ms-rename-source": "/c/b?sv=1&sig=c2VjcmV0",
      "x-ms-copy-source-authorization": "Bearer c2VjcmV0",
      "x-ms-source-authorization": "c2VjcmV0",
      "x-ms-encryption-key": "c2VjcmV0",
      "x-ms-source-encryption-key": "c2VjcmV0",
      "x-ms-encryption-key-sha256": "shown",
      "x-ms-date": "today",
      cookie: ["a=c2VjcmV0"],
      nothing: undefined,
    }),
    {
      authorization: "SharedKey devstoreaccount1:***",
      "X-Ms-Copy-Source": "http://h/c/b?sig=***&sv=1",
      "x-ms-rename-source": "/c/b?sv=1&sig=***",
      "x-ms-copy-source-authorization": "***",
      "x-ms-source-authorization": "***",
      "x-ms-encryption-key": "***",
      "x-ms-source-encryption-key": "***",
      "x-ms-encryption-key-sha256": "shown",
      "x-ms-date": "today",
      cookie: "***",
    },
  );
  assert.deepEqual(safeHeaders({ authorization: "Bearer a.b.c" }), { authorization: "***" });
});

test("running text loses keys, tokens and signatures", () => {
  assert.equal(safeText('GET "/c?sv=1&sig=abc%3D" failed'), 'GET "/c?sv=1&sig=***" failed');
  assert.equal(safeText("AccountName=a;AccountKey=abc==;Blob=x"), "AccountName=a;AccountKey=***;Blob=x");
  assert.equal(
    safeText("Authorization: SharedKey me:abc= Bearer abc.def"),
    "Authorization: SharedKey me:*** Bearer ***",
  );
  assert.equal(
    safeText("see http%3A%2F%2Fh%3Fsig%3Dabc and go on"),
    "see http%3A%2F%2Fh%3Fsig%3D*** and go on",
  );
});

const secret = fc
  .array(fc.constantFrom(..."ABCDEFGHJKLMNPQRSTUVWXYZabcdefghjkmnpqrstuvwxyz0123456789+/"), {
    minLength: 24,
    maxLength: 44,
  })
  .map((letters) => `S3CR3T${letters.join("")}=`);
/** `sig` as a client might spell it: any case, any letter percent-encoded. */
const sigName = fc
  .tuple(
    ...[..."sig"].map((letter) =>
      fc.constantFrom(letter, letter.toUpperCase(), `%${letter.charCodeAt(0).toString(16)}`),
    ),
  )
  .map((letters) => letters.join(""));
const times = (count: number, text: string): string => {
  let encoded = text;
  for (let i = 0; i < count; i++) encoded = encodeURIComponent(encoded);
  return encoded;
};
const plain = fc.constantFrom(
  "sv=2024-11-04",
  "sr=b",
  "comp=list",
  "prefix=a%2Fb",
  "x",
  "=",
  "",
  "sp=r",
  "%zz=%",
);
const parameters = fc.array(plain, { maxLength: 4 });

/** Whether a reader of the log finds the secret in the text or in what it decodes to. */
function survives(value: string, shown: string): boolean {
  const core = value.slice(6, 24).replace(/[+/].*$/, "");
  let seen = shown;
  for (let depth = 0; depth < 8; depth++) {
    if (seen.includes("S3CR3T") || (core.length > 8 && seen.includes(core))) return true;
    seen = seen.replace(/%([0-9a-f]{2})/gi, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
  }
  return false;
}

test("no signature survives at any place in an address, in any encoding", () => {
  fc.assert(
    fc.property(
      secret,
      sigName,
      parameters,
      parameters,
      fc.nat(4),
      fc.boolean(),
      fc.constantFrom("query", "nested", "nested-raw", "path"),
      (value, name, before, after, depth, isRaw, place) => {
        const inner = `${name}=${isRaw ? value : encodeURIComponent(value)}`;
        const carried = `https://h/c/b?sv=1&${inner}`;
        const middle = {
          query: inner,
          nested: `source=${times(depth + 1, carried)}`,
          "nested-raw": `source=${carried}`,
          path: "",
        }[place];
        const path =
          place === "path" ? `/c/${times(depth, `b?sv=1&${inner}`)}/rest` : "/devstoreaccount1/c/b";
        const url = `${path}?${[...before, middle, ...after].join("&")}`;
        const header = safeHeaders({ "x-ms-copy-source": url, "x-custom": url })["x-custom"]!;
        assert.ok(!survives(value, safeUrl(url)), safeUrl(url));
        assert.ok(!survives(value, header), header);
      },
    ),
    { numRuns: 3_000 },
  );
});
