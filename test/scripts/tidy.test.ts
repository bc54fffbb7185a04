import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { blank } from "../../scripts/tidy/blank.ts";
import { tidy } from "../../scripts/tidy.ts";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");

/** Lays the files down in a directory of their own and returns what tidy says about them, as it prints it. */
function findings(files: Record<string, string>): string[] {
  const directory = mkdtempSync(join(tmpdir(), "holdfast-tidy-"));
  try {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(directory, path)), { recursive: true });
      writeFileSync(join(directory, path), text);
    }
    return tidy(directory).map(({ path, line, what }) => `${path}:${line}: ${what}`);
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
