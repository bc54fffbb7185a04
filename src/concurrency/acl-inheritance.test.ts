import assert from "node:assert/strict";
import { test } from "node:test";
import { parseSddl, printSddl } from "../services/file/security/sddl.ts";
import { CONTROL, type Identity } from "./acl.ts";
import { descriptorOfNew, effectiveAcl } from "./acl-inheritance.ts";

/** In SDDL, which is shorter to read than entries are. */
const sid = (rid: number) => ({ authority: 5, subAuthorities: [21, 1, 2, 3, rid] });
const creator: Identity = { user: sid(1_000), primaryGroup: sid(513), groups: [] };
const [ME, US] = ["S-1-5-21-1-2-3-1000", "S-1-5-21-1-2-3-513"];

function made(parent: string, kind: "file" | "directory", given?: string): string {
  const isDirectory = kind === "directory";
  const by = given === undefined ? undefined : parseSddl(given);
  return printSddl(descriptorOfNew({ parent: parseSddl(parent), given: by, creator, isDirectory }));
}
const list = (sddl: string): string => sddl.slice(sddl.indexOf("D:"));

test("a new file belongs to its creator, and only the creator and the system have access without inheritance", () => {
  assert.equal(made("O:SYG:SYD:(A;;FA;;;WD)", "file"), `O:${ME}G:${US}D:(A;;FA;;;${ME})(A;;FA;;;SY)`);
});

test("each entry is inherited by the kinds it names, as far as its flags say", () => {
  const rows: readonly (readonly [flags: string, file: string | undefined, directory: string | undefined])[] =
    [
      ["OICI", "", "OICI"],
      ["OI", "", "OIIO"],
      ["CI", undefined, "CI"],
      ["OICINP", "", ""],
      ["OINP", "", undefined],
      ["CINP", undefined, ""],
      ["OICIIO", "", "OICI"],
      ["CIIO", undefined, "CI"],
    ];
  const alone = `D:(A;;FA;;;${ME})(A;;FA;;;SY)`;
  for (const [flags, file, directory] of rows) {
    const parent = `D:(D;${flags};FR;;;WD)`;
    const expected = (kept: string | undefined) => (kept === undefined ? alone : `D:(D;${kept};FR;;;WD)`);
    assert.equal(list(made(parent, "file")), expected(file), flags);
    assert.equal(list(made(parent, "directory")), expected(directory), flags);
  }
});

test("the creator replaces CREATOR OWNER and CREATOR GROUP, which children inherit", () => {
  const parent = "D:(A;OICIIO;GA;;;CO)(A;OICI;GR;;;CG)";
  assert.equal(list(made(parent, "file")), `D:(A;;FA;;;${ME})(A;;FR;;;${US})`);
  assert.equal(
    list(made(parent, "directory")),
    `D:(A;;FA;;;${ME})(A;OICIIO;GA;;;CO)(A;;FR;;;${US})(A;OICIIO;GR;;;CG)`,
  );
});

test("entries are marked as inherited when the parent ACL propagates automatically", () => {
  assert.equal(list(made("D:AI(A;OICI;FR;;;WD)", "file")), "D:AI(A;ID;FR;;;WD)");
  assert.equal(list(made("D:PAI(A;OICIID;FR;;;WD)", "directory")), "D:AI(A;OICIID;FR;;;WD)");
  assert.equal(list(made("D:P(A;OICIID;FR;;;WD)", "directory")), "D:(A;OICI;FR;;;WD)");
});

test("a given ACL is used, and nothing is inherited", () => {
  const parent = "D:AI(A;OICI;FA;;;WD)";
  assert.equal(made(parent, "file", "O:BAG:BUD:P(A;;GR;;;BU)"), "O:BAG:BUD:P(A;;FR;;;BU)");
  assert.equal(made(parent, "file", "D:NO_ACCESS_CONTROL"), `O:${ME}G:${US}D:NO_ACCESS_CONTROL`);
  assert.equal(made(parent, "file", "O:BA"), `O:BAG:${US}D:AI(A;ID;FA;;;WD)`);
});

test("an ACL counts as automatically inherited only on request", () => {
  const after = (control: number): number => effectiveAcl({ control, dacl: undefined }).control;
  const { DACL_PRESENT, DACL_AUTO_INHERITED, DACL_AUTO_INHERIT_REQUIRED, DACL_PROTECTED } = CONTROL;
  const { SELF_RELATIVE } = CONTROL;
  assert.equal(after(DACL_PRESENT | DACL_AUTO_INHERITED), SELF_RELATIVE | DACL_PRESENT);
  assert.equal(after(DACL_PRESENT | DACL_AUTO_INHERIT_REQUIRED), SELF_RELATIVE | DACL_PRESENT);
  assert.equal(
    after(DACL_PRESENT | DACL_AUTO_INHERITED | DACL_AUTO_INHERIT_REQUIRED | DACL_PROTECTED),
    SELF_RELATIVE | DACL_PRESENT | DACL_AUTO_INHERITED | DACL_PROTECTED,
  );
});
