import assert from "node:assert/strict";
import { test } from "node:test";
import { withoutSignature } from "./copy-address.ts";

const shown = (text: string): string => withoutSignature(new URL(text));

test("of a source's address is shown what was sent, but nothing that opens it", () => {
  const base = "http://127.0.0.1:10000/account/container/a%20blob";
  assert.equal(shown(base), base);
  assert.equal(
    shown(`${base}?snapshot=2026-11-16T14:19:57.6070001Z`),
    `${base}?snapshot=2026-11-16T14:19:57.6070001Z`,
  );
  const sas = "sv=2025-01-05&st=2026-11-16T14%3A19%3A57Z&se=2026-11-17&sr=b&sp=r";
  assert.equal(shown(`${base}?${sas}&sig=a%2Bb%3D`), `${base}?${sas}`);
  assert.equal(shown(`${base}?SIG=x&${sas}`), `${base}?${sas}`);
  for (const secret of ["sig=x", "sig", "token=x", "X-Amz-Signature=x", "%73ig=x", "code=x"]) {
    assert.equal(shown(`${base}?${secret}`), base, secret);
  }
  assert.equal(shown("https://user:secret@example.com/x?sig=1#part"), "https://example.com/x");
});
