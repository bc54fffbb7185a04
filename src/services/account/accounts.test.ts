import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import type { Timers } from "../../base/clock.ts";
import { ConfigError } from "../../base/config-error.ts";
import { openLog } from "../../observability/log.ts";
import {
  type AccountList,
  defaultAccounts,
  parseAccountsFile,
  parseAccountsVariable,
} from "./account-list.ts";
import {
  AccountSet,
  connectionString,
  displayConnectionString,
  isLoopback,
  wellKnownKeyWarning,
} from "./accounts.ts";
import { AccountsFile, readAccountsFile } from "./accounts-file.ts";

const scratch = mkdtempSync(join(tmpdir(), "holdfast-accounts-"));
after(() => rmSync(scratch, { recursive: true, force: true }));

const key = (text: string): string => Buffer.from(text).toString("base64");
const endpoints = { blob: "http://h:1", queue: "http://h:2", table: "http://h:3", file: "http://h:4" };

test("accounts are read with one or two keys, from a variable or a file", () => {
  const { accounts, warnings } = parseAccountsVariable("V", `one:${key("a")};two:${key("b")}:${key("c")};`);
  assert.deepEqual(
    accounts.map(({ name, keys }) => [name, keys.map(String)]),
    [
      ["one", ["a"]],
      ["two", ["b", "c"]],
    ],
  );
  assert.deepEqual(warnings, []);
  const file = parseAccountsFile("F", `# all\r\n\r\n one:${key("a")} # first\r\ntwo:${key("b")}\r\n`);
  assert.equal(file.accounts.length, 2);
});

test("a name Azure would not allow works, with a warning", () => {
  const { accounts, warnings } = parseAccountsVariable("V", `My-Account:${key("a")}`);
  assert.equal(accounts[0]!.name, "My-Account");
  assert.match(warnings[0]!, /My-Account is not one Azure allows/);
});

test("what cannot be used is refused with its place, and no message repeats a key", () => {
  const secret = key("a secret that stays one");
  const cases: [string, RegExp][] = [
    ["", /^V: expected at least one account/],
    [`one:${secret};one:${secret}`, /^V: account 2: the account one is given twice$/],
    [secret, /^V: account 1: expected name:key1/],
    ["one", /^V: account 1: account one: expected one or two keys$/],
    [`one:${secret}:${secret}:${secret}`, /expected one or two keys$/],
    [`one:${secret.replace(/=+$/, "")}!`, /^V: account 1: account one: each key must be base64/],
    ["one:", /each key must be base64/],
    [`one:YQ`, /each key must be base64/],
    [`one:YR==`, /each key must be base64/],
    [`a/b:${secret}`, /expected name:key1/],
    [`one-secondary:${secret}`, /taken by the secondary address/],
  ];
  for (const [text, expected] of cases)
    assert.throws(
      () => parseAccountsVariable("V", text),
      (error) => {
        assert.ok(error instanceof ConfigError);
        assert.match(error.message, expected);
        assert.ok(!error.message.includes(secret.slice(0, 12)), error.message);
        return true;
      },
    );
});

test("the set derives once for each account, and again only when its keys change", () => {
  const derived: string[] = [];
  const set = new AccountSet(
    (name, keys) => {
      derived.push(name);
      return keys.length;
    },
    parseAccountsVariable("V", `one:${key("a")};two:${key("b")}`).accounts,
  );
  assert.equal(set.find("one"), 1);
  assert.equal(set.find("missing"), undefined);
  assert.equal(set.find("__proto__"), undefined);
  set.replace(parseAccountsVariable("V", `one:${key("a")}:${key("c")};three:${key("b")}`).accounts);
  assert.deepEqual(set.names(), ["one", "three"]);
  assert.equal(set.find("one"), 2);
  assert.equal(set.find("two"), undefined);
  set.replace(parseAccountsVariable("V", `one:${key("a")}:${key("c")}`).accounts);
  assert.deepEqual(derived, ["one", "two", "one", "three"]);
});

test("a derivation that fails leaves the old set in place", () => {
  const set = new AccountSet(
    (name) => {
      if (name === "bad") throw new Error("no");
      return name;
    },
    parseAccountsVariable("V", `one:${key("a")}`).accounts,
  );
  assert.throws(() => set.replace(parseAccountsVariable("V", `bad:${key("a")}`).accounts));
  assert.deepEqual(set.names(), ["one"]);
});

test("an accounts file is re-read when its content changes; a bad one changes nothing and is reported once", () => {
  const path = join(scratch, "accounts");
  writeFileSync(path, `one:${key("a")}\n`);
  const ticks: (() => void)[] = [];
  let cancelled = 0;
  const timers: Timers = {
    after: () => assert.fail("not used"),
    every: (_, run) => {
      ticks.push(run);
      return { cancel: () => cancelled++ };
    },
  };
  const lines: { level: string; msg: string }[] = [];
  const log = openLog({ level: "info", sink: { write: (line) => lines.push(JSON.parse(line)) } });
  const applied: AccountList[] = [];
  const file = new AccountsFile(
    { path, timers, log, apply: (list) => applied.push(list) },
    readAccountsFile(path).text,
  );
  file.start();
  file.start();
  assert.equal(ticks.length, 1);
  const tick = ticks[0]!;

  tick();
  assert.equal(applied.length, 0);

  writeFileSync(path, `one:${key("b")}\n`);
  tick();
  assert.equal(String(applied[0]!.accounts[0]!.keys[0]), "b");
  assert.deepEqual(
    lines.map(({ level, msg }) => [level, msg]),
    [["info", "accounts re-read"]],
  );

  writeFileSync(path, "one:not base64\n");
  tick();
  tick();
  rmSync(path);
  tick();
  tick();
  assert.equal(applied.length, 1);
  assert.equal(lines.length, 3, "one line for the bad content, one for the missing file");
  assert.match(
    lines[1]!.msg,
    /^accounts unchanged, accounts file .*: line 1: account one: each key must be base64/,
  );
  assert.match(lines[2]!.msg, /cannot be read/);

  writeFileSync(path, `one:${key("c")}\nMINE:${key("d")}`);
  file.reload();
  assert.equal(applied[1]!.accounts.length, 2);
  file.stop();
  assert.equal(cancelled, 1);
});

test("an accounts file beyond any sense is refused before it is read", () => {
  const path = join(scratch, "huge");
  writeFileSync(path, Buffer.alloc(5 * 1024 * 1024, "#"));
  assert.throws(() => readAccountsFile(path), /expected at most/);
});

test("a connection string shows the well-shown key, and no other", () => {
  const shown = displayConnectionString(defaultAccounts().accounts[0]!, endpoints);
  assert.match(shown, /^DefaultEndpointsProtocol=http;AccountName=devstoreaccount1;AccountKey=Eby8vdM02xNO/);
  assert.match(shown, /FileEndpoint=http:\/\/h:4\/devstoreaccount1;$/);
  const own = parseAccountsVariable("V", `devstoreaccount1:${key("own")}`).accounts[0]!;
  assert.match(displayConnectionString(own, endpoints), /AccountKey=<key>;/);
  // The real one is for a program that starts us and talks to us.
  assert.ok(connectionString(own, endpoints).includes(`AccountKey=${key("own")};`));
});

test("listening beyond loopback with the public key is worth a warning", () => {
  const { accounts } = defaultAccounts();
  assert.equal(wellKnownKeyWarning(["127.0.0.1", "localhost", "::1", "127.1.2.3"], accounts), undefined);
  assert.match(
    wellKnownKeyWarning(["127.0.0.1", "0.0.0.0", "0.0.0.0"], accounts)!,
    /^listening on 0\.0\.0\.0 with/,
  );
  assert.equal(
    wellKnownKeyWarning(["0.0.0.0"], parseAccountsVariable("V", `one:${key("a")}`).accounts),
    undefined,
  );
  assert.equal(isLoopback("::ffff:127.0.0.1"), true);
  assert.equal(isLoopback("127.evil.example"), false);
});
