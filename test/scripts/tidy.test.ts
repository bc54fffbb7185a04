import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { blank } from "../../scripts/tidy/blank.ts";
import { type TidyOptions, tidy } from "../../scripts/tidy.ts";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");

/** Lays the files down in a directory of their own and returns what tidy says about them, as it prints it. */
function findings(files: Record<string, string>, options: TidyOptions = {}): string[] {
  const directory = mkdtempSync(join(tmpdir(), "holdfast-tidy-"));
  try {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(directory, path)), { recursive: true });
      writeFileSync(join(directory, path), text);
    }
    return tidy(directory, options).map(({ path, line, what }) => `${path}:${line}: ${what}`);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** One file beside what it imports; reached from a test, so that only the rule in question speaks. */
function oneFile(path: string, text: string, others: Record<string, string> = {}): string[] {
  const all = { ...others, [path]: text };
  const reach = Object.keys(all).map((name) => `import "../${name}";`);
  return findings({ ...all, "test/reach.test.ts": reach.join("\n") });
}

describe("imports", () => {
  const cases: [string, string, string, RegExp][] = [
    ["base below all", "src/base/a.ts", "src/store/kv.ts", /base must not import store/],
    [
      "concurrency sees only base",
      "src/concurrency/a.ts",
      "src/store/kv.ts",
      /concurrency must not import store/,
    ],
    ["store knows no service", "src/store/a.ts", "src/services/b.ts", /store must not import services/],
    ["http does not see the store", "src/http/a.ts", "src/store/kv.ts", /http must not import store/],
    ["http and smb meet in services", "src/http/a.ts", "src/smb/b.ts", /http must not import smb/],
    [
      "services name no engine",
      "src/services/a.ts",
      "src/store/memory/b.ts",
      /imports the engine .*only process and cli/,
    ],
    ["the store names no engine", "src/store/a.ts", "src/store/memory/b.ts", /imports the engine/],
    ["engines are strangers", "src/store/embedded/a.ts", "src/store/memory/b.ts", /imports the engine/],
    [
      "services see the store's interface",
      "src/services/a.ts",
      "src/store/long-keys.ts",
      /services see only/,
    ],
    ["an unknown folder", "src/extras/a.ts", "src/base/b.ts", /src\/extras is not in the table/],
    ["what is not shipped", "src/http/a.ts", "scripts/b.ts", /src must not import scripts\/b\.ts/],
    ["a test", "src/http/a.ts", "src/http/b.test.ts", /imports the test/],
  ];
  for (const [name, from, to, expected] of cases)
    test(name, () => {
      const up = "../".repeat(from.split("/").length - 1);
      const found = oneFile(from, `\nimport { b } from "${up}${to}";\n`, { [to]: "export const b = 1;\n" });
      assert.equal(found.length, 1, found.join("\n"));
      assert.match(found[0]!, expected);
      assert.ok(found[0]!.startsWith(`${from}:2: `), found[0]);
    });

  test("what the table allows passes, and tests may import anything", () => {
    const found = findings({
      "src/cli/main.ts":
        'import "../store/memory/m.ts";\nimport "../http/h.ts";\nimport "../../package.json";\n',
      "src/store/memory/m.ts": 'import "../kv.ts";\n',
      "src/store/kv.ts": 'import "../base/b.ts";\n',
      "src/base/b.ts": "",
      "src/http/h.ts": 'import "../services/s.ts";\n',
      "src/services/s.ts": 'import "../store/kv.ts";\n',
      "src/services/s.test.ts": 'import "../store/memory/m.ts";\nimport "pino";\n',
    });
    assert.deepEqual(found, []);
  });
});

describe("packages", () => {
  const cases: [string, string][] = [
    ["src/http/a.ts", "pino"],
    ["src/base/a.ts", "prom-client"],
    ["src/http/a.ts", "commander"],
    ["src/store/memory/a.ts", "lmdb"],
    ["src/services/a.ts", "msgpackr"],
    ["src/services/a.ts", "node:http"],
    ["src/store/a.ts", "node:net"],
    ["src/http/a.ts", "node:cluster"],
  ];
  for (const [path, name] of cases)
    test(`${name} in ${path}`, () => {
      const found = oneFile(path, `import { x } from "${name}";\n`);
      assert.equal(found.length, 1, found.join("\n"));
      assert.match(found[0]!, new RegExp(`^${path}:1: ${name} belongs to `));
    });

  test("a package nobody gave a home", () => {
    assert.deepEqual(oneFile("src/http/a.ts", 'import x from "@some/thing/deep";\n'), [
      "src/http/a.ts:1: the package @some/thing has no home in the table of packages",
    ]);
    assert.match(oneFile("src/http/a.ts", 'await import("left-pad");\n')[0]!, /left-pad has no home/);
  });

  test("packages at home pass", () => {
    assert.deepEqual(
      oneFile("src/observability/log.ts", 'import { pino } from "pino";\nimport "node:fs";\n'),
      [],
    );
    assert.deepEqual(oneFile("src/store/embedded/a.ts", 'import { open } from "lmdb";\n'), []);
    assert.deepEqual(oneFile("src/http/a.ts", 'import type { Server } from "node:http";\n'), []);
  });
});

describe("time, randomness and timers", () => {
  for (const word of [
    "Date.now()",
    "new Date()",
    "performance.now()",
    "process.hrtime()",
    "Math.random()",
    "setTimeout(f, 1)",
    "setInterval(f, 1)",
    "setImmediate(f)",
  ])
    test(`${word} outside base`, () => {
      assert.equal(oneFile("src/services/a.ts", `const x = 1;\nf(${word});\n`).length, 1);
      assert.deepEqual(oneFile("src/base/a.ts", `f(${word});\n`), []);
      assert.deepEqual(oneFile("src/services/a.test.ts", `f(${word});\n`), []);
      assert.deepEqual(oneFile("src/services/a.ts", `// not ${word}\nf("${word}", \`${word}\`);\n`), []);
    });

  test("a date made from something is a format, and http and store may give way to other turns", () => {
    assert.deepEqual(oneFile("src/http/a.ts", "f(new Date(instant));\nsetImmediate(f);\n"), []);
    assert.deepEqual(oneFile("src/store/a.ts", "setImmediate(f);\n"), []);
  });

  test("nothing asynchronous in concurrency", () => {
    assert.match(
      oneFile("src/concurrency/a.ts", "export async function f() {}\n")[0]!,
      /nothing asynchronous/,
    );
  });
});

describe("leftovers", () => {
  const note = ["TO", "DO"].join("");
  test("notes of unfinished work, in comments and strings, also in tests and scripts", () => {
    for (const path of ["src/http/a.ts", "src/http/a.test.ts", "scripts/a.ts", "bench/a.ts"])
      assert.deepEqual(oneFile(path, `\n// ${note}: later\n`), [`${path}:2: a note of unfinished work`]);
    assert.equal(oneFile("src/http/a.ts", `f("${["FIX", "ME"].join("")}");\n`).length, 1);
  });

  test("a test singled out, a breakpoint", () => {
    assert.match(oneFile("src/http/a.test.ts", 'test.only("x", f);\n')[0]!, /singled out/);
    assert.match(oneFile("src/http/a.test.ts", 'test("x", { only: true }, f);\n')[0]!, /singled out/);
    assert.match(oneFile("src/http/a.ts", "debugger;\n")[0]!, /a breakpoint/);
  });

  test("console in src, except where main speaks to the terminal", () => {
    assert.match(oneFile("src/http/a.ts", "console.log(1);\n")[0]!, /use the log of base/);
    assert.deepEqual(oneFile("src/cli/main.ts", "console.log(1);\n"), []);
    assert.deepEqual(oneFile("scripts/a.ts", "console.log(1);\n"), []);
  });
});

describe("files", () => {
  test("a file that nothing reaches", () => {
    const found = findings({
      "src/cli/main.ts":
        'import "../http/a.ts";\nnew Worker(new URL("../process/worker.ts", import.meta.url));\n',
      "src/process/worker.ts": "",
      "src/http/a.ts": "",
      "src/http/b.ts": 'import "./c.ts";\n',
      "src/http/c.ts": 'import "./b.ts";\n',
    });
    assert.deepEqual(found, [
      "src/http/b.ts:1: nobody imports this file",
      "src/http/c.ts:1: nobody imports this file",
    ]);
  });

  test("a file too long", () => {
    assert.deepEqual(oneFile("src/http/a.ts", "f();\n".repeat(450)), []);
    assert.match(oneFile("src/http/a.ts", "f();\n".repeat(451))[0]!, /^src\/http\/a\.ts:451: 451 lines/);
  });

  test("an address in the lock file", () => {
    const text = '{\n  "version": "1",\n  "resolved": "https://registry.example/x.tgz"\n}\n';
    assert.deepEqual(findings({ "package-lock.json": text }), [
      "package-lock.json:3: an address of a package registry",
    ]);
  });

  test("a document that names what does not exist", () => {
    const found = findings({
      "README.md": "See `src/gone.ts`, [there](docs/here.md#part) and [not there](docs/gone.md).\n",
      "docs/here.md":
        "Back to [the start](../README.md), `docs/here.md`, `docs/decisions/NNNN-title.md`, [web](https://x/y).\n",
    });
    assert.deepEqual(found, [
      "README.md:1: names src/gone.ts, which does not exist",
      "README.md:1: names docs/gone.md, which does not exist",
    ]);
  });
});

/**
 * The findings about one text of src/store/a.ts; the retired word itself is put together, to be named once
 * only.
 */
function retired(text: string, path = "src/store/a.ts"): string[] {
  const everything = findings({ [path]: text, "test/reach.test.ts": `import "../${path}";` }, { all: true });
  return everything
    .filter((line) => line.startsWith(path) && line.includes("retired word"))
    .map((line) => line.split(": ")[1]!);
}

describe("retired words", () => {
  const refused: [string, string][] = [
    ["a name", "const room = 1;\n"],
    ["part of a name", "const heldLocks = 1;\n"],
    ["a constant", "const WISH_MAX = 1;\n"],
    ["a type", "interface OpenedNode {}\n"],
    ["a comment", "// Somebody else holds it.\n"],
    ["a string", 'f("nobody listens");\n'],
    ["a template", "f(`the client told us`);\n"],
    ["a name in a comment", "// See writeAhead for why.\n"],
    ["two words", "// A copy is under way.\n"],
    ["a machine", "// Another node of the cluster.\n"],
    ["a turn", "// Each writer waits for its turn.\n"],
    ["an outcome in doubt", "// Settles the outcome in doubt.\n"],
    ["an access list", "// The access list of the file.\n"],
  ];
  for (const [name, text] of refused)
    test(`${name}: ${text.trim()}`, () => {
      assert.equal(retired(text).length, 1, retired(text).join("\n"));
    });

  const allowed: [string, string][] = [
    ["a share of files", "const share = openShare();\n"],
    ["a promise that settles", "await Promise.allSettled(all); // all settle\n"],
    ["a module of Node.js", 'import { join } from "node:path"; // Node.js, node:path\n'],
    ["its version", "f(process.versions.node);\n"],
    ["its types", "let timer: NodeJS.Timeout;\n"],
    ["then", "load().then(f);\n"],
    ["reading ahead", "const readAhead = 1; // reads ahead\n"],
    ["the write-ahead log", "// The journal is a write-ahead log.\n"],
    ["a lock that is held", "// The lock is held until the open ends.\n"],
    ["a place behind the end", "// A read past the end of the file.\n"],
    ["to turn into", "// Turns a date into text, and turns it off.\n"],
    ["words that contain one", "const headroom = unknown + mushroom + inode + depart;\n"],
  ];
  for (const [name, text] of allowed) test(`${name} passes`, () => assert.deepEqual(retired(text), []));

  test("the message names the replacement, the line and the word", () => {
    assert.deepEqual(
      findings(
        { "src/store/a.ts": "\nlet piece;\n", "test/reach.test.ts": 'import "../src/store/a.ts";' },
        { all: true },
      ),
      ['src/store/a.ts:2: retired word in "piece": write chunk on the wire, frame on disk'],
    );
  });

  test("documents and names of files", () => {
    assert.equal(retired("", "src/store/make-room.ts").length, 1);
    const found = findings({ "docs/a.md": "The server tells the client.\n" }, { all: true });
    assert.match(found[0]!, /^docs\/a\.md:1: retired word in "tells"/);
  });

  test("tests and scripts are read too", () => {
    assert.equal(findings({ "scripts/a.ts": "const room = 1;\n" }, { all: true }).length, 1);
  });
});

describe("long lines", () => {
  const long = "word ".repeat(30).trim();
  test("comments of source, tests and scripts", () => {
    for (const path of ["src/store/a.ts", "test/a.test.ts", "scripts/a.ts", "bench/a.ts"])
      for (const comment of [`// ${long}`, `/** ${long} */`, `/**\n * ${long}\n */`]) {
        const found = findings(
          { [path]: `${comment}\n`, "test/b.test.ts": `import "../${path}";` },
          { all: true },
        );
        assert.equal(found.length, 1, found.join("\n"));
        assert.match(found[0]!, /\d+ columns: wrap at 110$/);
      }
  });

  test("110 columns pass, and code is the formatter's business", () => {
    const text = `// ${"x".repeat(107)}\nf("${long}");\n`;
    assert.deepEqual(findings({ "scripts/a.ts": text }, { all: true }), []);
  });

  test("documents, except tables, code and single links", () => {
    const link = `[x](https://example.com/${"y".repeat(100)})`;
    const text = ["# A", long, `| ${long} |`, "```", long, "```", link, `- ${link}`, `- ${long}`].join("\n");
    assert.deepEqual(
      findings({ "docs/a.md": text }, { all: true }).map((line) => line.split(":")[1]),
      ["2", "9"],
    );
  });
});

describe("exports", () => {
  const unused = (files: Record<string, string>): string[] =>
    findings({ ...files, "test/reach.test.ts": 'import "../src/store/a.ts";' }, { all: true });

  test("one that no other file imports, also when its own file uses it", () => {
    assert.deepEqual(unused({ "src/store/a.ts": "export const one = 1;\nf(one);\n" }), [
      "src/store/a.ts:1: no other file imports one: remove the export, or the code",
    ]);
    assert.equal(unused({ "src/store/a.ts": "export async function run() {}\n" }).length, 1);
    assert.equal(unused({ "src/store/a.ts": "class A {}\nexport { A };\n" }).length, 1);
    assert.equal(unused({ "src/store/a.ts": "export interface A {}\n" }).length, 1);
  });

  test("a type that describes something of its own file may stay", () => {
    assert.deepEqual(
      unused({
        "src/store/a.ts": "export interface A {}\nexport const f = (a: A) => a;\n",
        "test/b.test.ts": 'import { f } from "../src/store/a.ts";\n',
      }),
      [],
    );
  });

  for (const [name, text] of [
    ["an import", 'import { one, type Two as Other } from "../src/store/a.ts";'],
    ["an import of types", 'import type { one, Two } from "../src/store/a.ts";'],
    ["a namespace", 'import * as a from "../src/store/a.ts";\nf(a.one, a.Two);'],
    ["a re-export", 'export * from "../src/store/a.ts";'],
    ["an import when needed", 'const { one } = await import("../src/store/a.ts");'],
  ])
    test(`${name} uses them`, () => {
      const declared = "export const one = 1;\nexport interface Two {}\n";
      assert.deepEqual(unused({ "src/store/a.ts": declared, "test/b.test.ts": `${text}\n` }), []);
    });

  test("a namespace of which only one name is used", () => {
    const declared = "export const one = 1;\nexport const two = 2;\n";
    const user = 'import * as a from "../src/store/a.ts";\nf(a.one);\n';
    assert.equal(unused({ "src/store/a.ts": declared, "test/b.test.ts": user }).length, 1);
  });

  test("the library is for programs elsewhere", () => {
    assert.deepEqual(findings({ "src/process/library.ts": "export const start = 1;\n" }, { all: true }), []);
  });
});

describe("import cycles", () => {
  /** Files in a ring, each importing the next; types count as well. */
  const ring = (count: number): string[] => {
    const names = Array.from({ length: count }, (_, index) => `src/store/f${index}.ts`);
    const files = names.map((path, index) => [path, `import type {} from "./f${(index + 1) % count}.ts";\n`]);
    const reach = { "test/reach.test.ts": 'import "../src/store/f0.ts";' };
    return findings({ ...Object.fromEntries(files), ...reach }, { all: true });
  };

  test("four files are too many, three are not", () => {
    assert.deepEqual(ring(3), []);
    assert.deepEqual(ring(4), [
      "src/store/f0.ts:1: import cycle of 4 files with src/store/f1.ts, src/store/f2.ts, src/store/f3.ts",
    ]);
  });

  test("files that only meet at the bottom are no cycle", () => {
    const found = findings(
      {
        "src/store/a.ts": 'import "./b.ts";\nimport "./c.ts";\n',
        "src/store/b.ts": 'import "./d.ts";\n',
        "src/store/c.ts": 'import "./d.ts";\n',
        "src/store/d.ts": 'import "./e.ts";\n',
        "src/store/e.ts": "",
        "test/reach.test.ts": 'import "../src/store/a.ts";',
      },
      { all: true },
    );
    assert.deepEqual(found, []);
  });
});

test("blanking keeps the code and hides comments, strings, templates and regular expressions", () => {
  // "@{" stands for the opening of a template's expression, which the linter would take for a mistake here.
  const from = (text: string): string => text.replaceAll("@{", "$" + "{");
  const cases: [string, string, string][] = [
    ["a = 1; // x", "a = 1;     ", "a = 1;     "],
    ["a /* x\n y */ b", "a     \n      b", "a     \n      b"],
    ['f("x // y")', 'f("x // y")', 'f("      ")'],
    ["f('it\\'s')", "f('it\\'s')", "f('     ')"],
    ['/["`/]/.test(b) / 2', '/["`/]/.test(b) / 2', "/     /.test(b) / 2"],
    ["`t @{d(`v @{e}`)} w` + f", "`t @{d(`v @{e}`)} w` + f", "`  @{d(`  @{e}`)}  ` + f"],
    ["`@{{ a: 1 }.a}x`; g", "`@{{ a: 1 }.a}x`; g", "`@{{ a: 1 }.a} `; g"],
  ];
  for (const [text, code, bare] of cases)
    assert.deepEqual(blank(from(text)), { code: from(code), bare: from(bare) }, text);
});

test("as a command it prints path, line and reason, and exits with 1", () => {
  const directory = mkdtempSync(join(tmpdir(), "holdfast-tidy-"));
  try {
    mkdirSync(join(directory, "src/cli"), { recursive: true });
    writeFileSync(join(directory, "src/cli/main.ts"), "\nf(Math.random());\n");
    const run = () =>
      spawnSync(process.execPath, ["--import", "tsx", join(root, "scripts/tidy.ts"), directory], {
        cwd: root,
        encoding: "utf8",
      });
    const bad = run();
    assert.equal(bad.stdout, "src/cli/main.ts:2: Math.random: take a Random of base\n");
    assert.equal(bad.status, 1);
    writeFileSync(join(directory, "src/cli/main.ts"), "\n");
    assert.equal(run().status, 0);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});
