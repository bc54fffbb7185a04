import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { etagOf, revisionAt } from "../base/revision.ts";
import {
  type Conditions,
  checkAppend,
  checkCombination,
  checkRead,
  checkSatisfiable,
  checkSequence,
  checkSingleRead,
  checkSource,
  checkWrite,
  NO_CONDITIONS,
  type SourceUse,
  targetCode,
} from "./conditions.ts";
import { parseEtags } from "./etag.ts";
import { holdsTags, parseTagPredicate } from "./tag-predicate.ts";

const MODIFIED = Date.UTC(2026, 0, 1, 12, 0, 0, 500);
const revision = revisionAt(MODIFIED);
const subject = { revision, tags: { colour: "blue" } };
const own = [etagOf(revision)];
const other = ["0x1"];
const earlier = MODIFIED - 1_500;
const sameSecond = MODIFIED - 500;
const later = MODIFIED + 1_000;

const HOLDS = {
  ifMatch: own,
  ifNoneMatch: other,
  ifModifiedSince: earlier,
  ifUnmodifiedSince: sameSecond,
  ifTags: parseTagPredicate("colour = 'blue'")!,
} as const satisfies Conditions;
const FAILS = {
  ifMatch: other,
  ifNoneMatch: own,
  ifModifiedSince: sameSecond,
  ifUnmodifiedSince: earlier,
  ifTags: parseTagPredicate("colour = 'red'")!,
} as const satisfies Conditions;
const NAMES = Object.keys(HOLDS) as (keyof typeof HOLDS)[];

suite("one condition", () => {
  const READ = {
    ifMatch: "ConditionNotMet",
    ifNoneMatch: "NotModified",
    ifModifiedSince: "NotModified",
    ifUnmodifiedSince: "ConditionNotMet",
    ifTags: "ConditionNotMet",
  };
  for (const name of NAMES) {
    test(`${name} on a read: ${READ[name]} when it fails`, () => {
      assert.equal(checkRead({ [name]: HOLDS[name] }, subject), undefined);
      assert.equal(checkRead({ [name]: FAILS[name] }, subject), READ[name]);
      assert.equal(checkSingleRead({ [name]: HOLDS[name] }, subject), undefined);
      assert.equal(checkSingleRead({ [name]: FAILS[name] }, subject), READ[name]);
    });
    test(`${name} on a write: 412 when it fails`, () => {
      for (const kind of ["create", "change"] as const) {
        assert.equal(checkWrite({ [name]: HOLDS[name] }, subject, kind), undefined);
        assert.equal(checkWrite({ [name]: FAILS[name] }, subject, kind), "ConditionNotMet");
      }
    });
  }

  test("dates compare in whole seconds", () => {
    assert.equal(checkRead({ ifModifiedSince: later }, subject), "NotModified");
    assert.equal(checkRead({ ifModifiedSince: MODIFIED + 499 }, subject), "NotModified");
    assert.equal(checkRead({ ifUnmodifiedSince: MODIFIED }, subject), undefined);
    assert.equal(checkRead({ ifUnmodifiedSince: later }, subject), undefined);
    assert.equal(checkRead({ ifUnmodifiedSince: sameSecond - 1 }, subject), "ConditionNotMet");
  });
});

suite("the star", () => {
  test("If-Match: * holds while the object exists", () => {
    assert.equal(checkRead({ ifMatch: "*" }, subject), undefined);
    assert.equal(checkWrite({ ifMatch: "*" }, subject, "create"), undefined);
    assert.equal(checkWrite({ ifMatch: "*" }, undefined, "create"), "ConditionNotMet");
  });
  test("If-None-Match: * of a creation is answered with what exists, of a change with 412, of a read with 400", () => {
    assert.equal(checkWrite({ ifNoneMatch: "*" }, subject, "create"), "BlobAlreadyExists");
    assert.equal(checkWrite({ ifNoneMatch: "*" }, subject, "change"), "ConditionNotMet");
    assert.equal(checkWrite({ ifNoneMatch: "*" }, undefined, "create"), undefined);
    assert.equal(checkSatisfiable({ ifNoneMatch: "*" }), "UnsatisfiableCondition");
    assert.equal(checkSatisfiable({ ifNoneMatch: own }), undefined);
  });
  test("the holder of the lease creates anew what exists, if the other conditions hold", () => {
    assert.equal(checkWrite({ ifNoneMatch: "*" }, subject, "create", true), undefined);
    assert.equal(checkWrite({ ifNoneMatch: "*" }, subject, "change", true), "ConditionNotMet");
    const tagged = { ifNoneMatch: "*", ifTags: FAILS.ifTags } as const;
    assert.equal(checkWrite(tagged, subject, "create", true), "ConditionNotMet");
  });
});

test("nothing there: only If-Match and a tag ask for something", () => {
  assert.equal(checkWrite(NO_CONDITIONS, undefined, "create"), undefined);
  assert.equal(checkWrite({ ifMatch: own }, undefined, "create"), "ConditionNotMet");
  assert.equal(checkWrite({ ifTags: HOLDS.ifTags }, undefined, "create"), "ConditionNotMet");
  assert.equal(checkWrite({ ifNoneMatch: own }, undefined, "create"), undefined);
  assert.equal(checkWrite({ ifModifiedSince: later }, undefined, "create"), undefined);
  assert.equal(checkWrite({ ifUnmodifiedSince: earlier }, undefined, "create"), undefined);
});

suite("combinations on a read", () => {
  type Cell = "holds" | "fails" | "absent";
  const CELLS: readonly Cell[] = ["holds", "fails", "absent"];
  for (const match of CELLS)
    for (const unmodified of CELLS)
      for (const none of CELLS)
        for (const modified of CELLS) {
          const wanted =
            match === "fails" || unmodified === "fails"
              ? "ConditionNotMet"
              : none !== "holds" && modified !== "holds" && (none === "fails" || modified === "fails")
                ? "NotModified"
                : undefined;
          test(`match ${match}, unmodified ${unmodified}, none ${none}, modified ${modified}: ${wanted ?? 200}`, () => {
            const given: Record<string, unknown> = {};
            const set = (name: keyof typeof HOLDS, cell: Cell): void => {
              if (cell !== "absent") given[name] = cell === "holds" ? HOLDS[name] : FAILS[name];
            };
            set("ifMatch", match);
            set("ifUnmodifiedSince", unmodified);
            set("ifNoneMatch", none);
            set("ifModifiedSince", modified);
            assert.equal(checkRead(given as Conditions, subject), wanted);
          });
        }

  test("lists: any for If-Match, none for If-None-Match", () => {
    assert.equal(checkRead({ ifMatch: [...other, ...own] }, subject), undefined);
    assert.equal(checkRead({ ifNoneMatch: [...other, ...own] }, subject), "NotModified");
    assert.equal(checkRead({ ifNoneMatch: ["0x1", "0x2"] }, subject), undefined);
  });
});

suite("combinations on a write", () => {
  const four = ["ifMatch", "ifNoneMatch", "ifModifiedSince", "ifUnmodifiedSince"] as const;
  const allowed = new Set(["", ...four, "ifNoneMatch+ifModifiedSince", "ifMatch+ifUnmodifiedSince"]);
  for (let bits = 0; bits < 16; bits++) {
    const given = four.filter((_, i) => (bits & (1 << i)) !== 0);
    const isAllowed = allowed.has(given.join("+"));
    test(`${given.join(" + ") || "none"}: ${isAllowed ? "taken" : "400"}`, () => {
      const conditions = Object.fromEntries(given.map((name) => [name, HOLDS[name]]));
      assert.equal(
        checkCombination(conditions),
        isAllowed ? undefined : "MultipleConditionHeadersNotSupported",
      );
      assert.equal(checkCombination({ ...conditions, ifTags: HOLDS.ifTags }), checkCombination(conditions));
    });
  }
  test("of a pair the ETag decides alone", () => {
    const write = (conditions: Conditions) => checkWrite(conditions, subject, "change");
    assert.equal(write({ ifNoneMatch: other, ifModifiedSince: FAILS.ifModifiedSince }), undefined);
    assert.equal(write({ ifNoneMatch: own, ifModifiedSince: HOLDS.ifModifiedSince }), "ConditionNotMet");
    assert.equal(write({ ifMatch: own, ifUnmodifiedSince: FAILS.ifUnmodifiedSince }), undefined);
    assert.equal(write({ ifMatch: other, ifUnmodifiedSince: HOLDS.ifUnmodifiedSince }), "ConditionNotMet");
  });
  test("tags are one more condition", () => {
    assert.equal(checkWrite({ ifMatch: own, ifTags: FAILS.ifTags }, subject, "change"), "ConditionNotMet");
    assert.equal(checkWrite({ ifMatch: own, ifTags: HOLDS.ifTags }, subject, "change"), undefined);
  });
  test("a list of ETags is for reads", () => {
    assert.equal(checkCombination({ ifMatch: ["a", "b"] }), "MultipleConditionHeadersNotSupported");
    assert.equal(checkCombination({ ifNoneMatch: ["a", "b"] }), "MultipleConditionHeadersNotSupported");
  });
});

test("conditions on the source of a copy, in the words of each operation", () => {
  const code = (name: keyof typeof FAILS, use: Parameters<typeof checkSource>[2]) =>
    checkSource({ [name]: FAILS[name] }, subject, use);
  const row = (use: Parameters<typeof checkSource>[2]) => NAMES.map((name) => code(name, use));
  const source = "SourceConditionNotMet";
  assert.deepEqual(row("copy"), [source, source, source, source, "ConditionNotMet"]);
  const [notModified, failed] = ["CopySourceNotModified", "CopySourcePreconditionFailed"];
  assert.deepEqual(row("putBlobFromUrl"), [source, notModified, notModified, failed, "ConditionNotMet"]);
  assert.deepEqual(row("blockFromUrl"), [source, notModified, notModified, failed, failed]);
  assert.deepEqual(row("partFromUrl"), [
    "CopySourcePreconditionFailed",
    "CopySourceNotModified",
    "CopySourceNotModified",
    "CopySourcePreconditionFailed",
    "CopySourcePreconditionFailed",
  ]);
  assert.equal(checkSource(NO_CONDITIONS, subject, "copy"), undefined);
  assert.equal(checkSource({ ifMatch: own }, subject, "copy"), undefined);
});

test("the target of a copy", () => {
  const code = (conditions: Conditions, use: SourceUse = "copy") => targetCode(conditions, subject, use);
  assert.equal(code({ ifMatch: other }), "TargetConditionNotMet");
  assert.equal(code({ ifNoneMatch: own }), "ConditionNotMet");
  assert.equal(code({ ifNoneMatch: own }, "putBlobFromUrl"), "TargetConditionNotMet");
  assert.equal(targetCode({ ifMatch: own }, undefined, "copy"), "TargetConditionNotMet");
  assert.equal(code({ ifModifiedSince: sameSecond }), "ConditionNotMet");
  assert.equal(code({ ifUnmodifiedSince: earlier }), "ConditionNotMet");
});

test("append position and size", () => {
  const check = (conditions: Parameters<typeof checkAppend>[0]) =>
    checkAppend(conditions, { current: 100, appended: 10 });
  assert.equal(check({}), undefined);
  assert.equal(check({ appendPosition: 100 }), undefined);
  assert.equal(check({ appendPosition: 99 }), "AppendPositionConditionNotMet");
  assert.equal(check({ maxSize: 110 }), undefined);
  assert.equal(check({ maxSize: 109 }), "MaxBlobSizeConditionNotMet");
  assert.equal(check({ appendPosition: 0, maxSize: 0 }), "AppendPositionConditionNotMet");
});

test("sequence numbers", () => {
  const code = "SequenceNumberConditionNotMet";
  for (const [current, le, lt, eq] of [
    [6n, undefined, undefined, code],
    [7n, undefined, code, undefined],
    [8n, code, code, code],
  ] as const) {
    assert.equal(checkSequence({ lessOrEqual: 7n }, current), le);
    assert.equal(checkSequence({ less: 7n }, current), lt);
    assert.equal(checkSequence({ equal: 7n }, current), eq);
  }
  assert.equal(checkSequence({ lessOrEqual: 7n, less: 8n, equal: 6n }, 6n), undefined);
  assert.equal(checkSequence({ lessOrEqual: 7n, less: 8n, equal: 6n }, 7n), code);
});

test("ETags as clients write them", () => {
  assert.deepEqual(parseEtags('"0x1"'), ["0x1"]);
  assert.deepEqual(parseEtags("0x1"), ["0x1"]);
  assert.deepEqual(parseEtags(' "0x1" , 0x2,"0x3" '), ["0x1", "0x2", "0x3"]);
  assert.equal(parseEtags("*"), "*");
  assert.deepEqual(parseEtags('W/"0x1"'), ["W/0x1"]);
  for (const text of ["", " ", '"0x1', '"a" "b"', ",", '"a",,'])
    assert.equal(parseEtags(text), undefined, text);
});

suite("tag predicates", () => {
  const tags = { status: "done", priority: "5", "my tag": "it's" };
  for (const [text, holds] of [
    ["status = 'done'", true],
    ["status <> 'done'", false],
    ["priority > '3' AND priority <= '5'", true],
    ["priority < '3' OR status = 'done'", true],
    ["(priority < '3' OR status = 'done') AND status = 'open'", false],
    ["priority < '3' AND status = 'open' OR status = 'done'", true],
    ["\"my tag\" = 'it''s'", true],
    ["missing = ''", false],
    ["missing <> 'x'", false],
    ["priority >= '10'", true],
    ["Status = 'done'", false],
    ["status='done' and priority='5'", true],
  ] as const) {
    test(`${text}: ${holds}`, () => assert.equal(holdsTags(parseTagPredicate(text)!, tags), holds));
  }
  for (const text of [
    "",
    "status",
    "status =",
    "status = done",
    "= 'done'",
    "status = 'done' AND",
    "(status = 'done'",
    "status = 'done')",
    "status == 'done'",
    "status = 'done",
    "status = 'a' status = 'b'",
    `status = 'x'${" AND status = 'x'".repeat(11)}`,
    `${"(".repeat(20)}status = 'x'${")".repeat(20)}`,
    `status = '${"x".repeat(5_000)}'`,
  ]) {
    test(`refused: ${text.slice(0, 40)}`, () => assert.equal(parseTagPredicate(text), undefined));
  }
});
