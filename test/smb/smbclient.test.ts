import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { seededRandom } from "../../src/base/random.ts";
import {
  SMB_ACCOUNT,
  SMB_KEYS,
  SMB_PASSWORD,
  type SmbTestServer,
  startSmbServer,
} from "../kit/smb-server.ts";
import { SMBCLIENT_MISSING, type SmbClientRun, smbclient } from "../kit/smbclient.ts";
import { seedOfThisRun } from "../support/seed.ts";

/** Debian's smbclient against the protocol layers over shares in memory. */
const skip = SMBCLIENT_MISSING ?? false;
let smb: SmbTestServer;
let sealed: SmbTestServer;
let folder: string;

before(async () => {
  smb = await startSmbServer();
  sealed = await startSmbServer({ encryption: "required" });
  folder = mkdtempSync(join(tmpdir(), "holdfast-smb-"));
});

after(async () => {
  await smb.close();
  await sealed.close();
  rmSync(folder, { recursive: true });
});

const login = (server: SmbTestServer): Pick<SmbClientRun, "port" | "share" | "user" | "password"> => ({
  port: server.port,
  share: "work",
  user: SMB_ACCOUNT,
  password: SMB_PASSWORD,
});

const WAYS: readonly {
  readonly name: string;
  readonly run: Partial<SmbClientRun>;
  readonly isSealed?: boolean;
}[] = [
  { name: "2.1, signed with HMAC-SHA256", run: { protocol: "SMB2_10" } },
  { name: "3.0, signed with AES-CMAC", run: { protocol: "SMB3_00" } },
  { name: "3.0.2, signed with AES-CMAC", run: { protocol: "SMB3_02" } },
  { name: "3.1.1, signed with AES-GMAC", run: { protocol: "SMB3_11" } },
  {
    name: "3.1.1, signed with AES-CMAC",
    run: { protocol: "SMB3_11", options: ["client smb3 signing algorithms=AES-128-CMAC"] },
  },
  {
    name: "3.0, encrypted with AES-128-CCM",
    run: { protocol: "SMB3_00", protection: "encrypt" },
    isSealed: true,
  },
  ...["AES-128-GCM", "AES-256-GCM", "AES-128-CCM", "AES-256-CCM"].map((cipher) => ({
    name: `3.1.1, encrypted with ${cipher}`,
    run: {
      protocol: "SMB3_11",
      protection: "encrypt" as const,
      options: [`client smb3 encryption algorithms=${cipher}`],
    },
    isSealed: true,
  })),
];

for (const { name, run, isSealed } of WAYS) {
  test(`smbclient over ${name}: list shares, put, get, rename, attributes, copy, delete`, {
    skip,
  }, async (t) => {
    const server = isSealed === true ? sealed : smb;
    const random = seededRandom(seedOfThisRun(t));
    const sent = join(folder, "sent");
    const back = join(folder, "back");
    writeFileSync(sent, random.bytes(3_000_000 + Math.floor(random.fraction() * 100_000)));
    const list = await smbclient({ ...login(server), ...run });
    assert.equal(list.code, 0, list.output);
    assert.match(list.output, /other +Disk[\s\S]*work +Disk[\s\S]*IPC\$ +IPC/);
    const commands = [
      "mkdir dir",
      `put ${sent} dir\\first`,
      "rename dir\\first dir\\second",
      `get dir\\second ${back}`,
      "setmode dir\\second +rh",
      "allinfo dir\\second",
      "setmode dir\\second -rh",
      "scopy dir\\second dir\\third",
      `get dir\\third ${back}.copy`,
      "ls dir\\*",
      "del dir\\*",
      "rmdir dir",
      "ls",
    ];
    const { code, output } = await smbclient({ ...login(server), ...run, commands });
    assert.equal(code, 0, output);
    assert.ok(readFileSync(sent).equals(readFileSync(back)), "what came back is not what was sent");
    assert.ok(readFileSync(sent).equals(readFileSync(`${back}.copy`)), "the copy made by the server differs");
    assert.match(output, /attributes: RHA? /);
    assert.match(output, new RegExp(`second +A +${statSync(sent).size} `));
    assert.match(output, new RegExp(`third +A +${statSync(sent).size} `));
    assert.doesNotMatch(output.slice(output.lastIndexOf("third")), / {2}dir /);
  });
}

function digests(root: string): Record<string, string> {
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    files
      .map((entry) => join(entry.parentPath, entry.name))
      .sort()
      .map((path) => [
        path.slice(root.length),
        createHash("sha256").update(readFileSync(path)).digest("hex"),
      ]),
  );
}

for (const protection of ["sign", "encrypt"] as const) {
  test(`a tree of 300 files goes there and back byte for byte (${protection})`, { skip }, async (t) => {
    const random = seededRandom(seedOfThisRun(t));
    const from = join(folder, `tree-${protection}`);
    const to = join(folder, `tree-${protection}-back`);
    mkdirSync(to);
    for (let index = 0; index < 300; index++) {
      const directory = join(from, `d${index % 7}`, index % 3 === 0 ? "inner" : ".");
      mkdirSync(directory, { recursive: true });
      const bytes = random.bytes(Math.floor(random.fraction() ** 4 * 200_000));
      writeFileSync(join(directory, `file ${index} äöü.bin`), bytes);
    }
    const server = protection === "encrypt" ? sealed : smb;
    const share = "other";
    const up = ["recurse on", "prompt off", "mput *"];
    const sent = await smbclient({ ...login(server), share, protection, commands: up, directory: from });
    assert.equal(sent.code, 0, sent.output);
    const down = ["recurse on", "prompt off", "mget *"];
    const got = await smbclient({ ...login(server), share, protection, commands: down, directory: to });
    assert.equal(got.code, 0, got.output);
    assert.deepEqual(digests(to), digests(from));
    const removed = await smbclient({ ...login(server), share, protection, commands: ["deltree *", "ls"] });
    assert.doesNotMatch(removed.output, /\bd\d\b +D/);
  });
}

test("both keys log in; a wrong key, another user and an anonymous user do not", { skip }, async () => {
  const commands = ["ls"];
  const second = await smbclient({ ...login(smb), password: SMB_KEYS[1]!.toString("base64"), commands });
  assert.equal(second.code, 0, second.output);
  const domain = await smbclient({ ...login(smb), user: `AZURE\\${SMB_ACCOUNT}`, commands });
  assert.equal(domain.code, 0, domain.output);
  for (const wrong of [{ password: "guess" }, { user: "another" }, { user: "", password: "" }]) {
    const { code, output } = await smbclient({ ...login(smb), ...wrong, commands });
    assert.notEqual(code, 0);
    assert.match(output, /NT_STATUS_(LOGON_FAILURE|ACCESS_DENIED)/);
  }
  const missing = await smbclient({ ...login(smb), share: "no-such-share", commands });
  assert.match(missing.output, /NT_STATUS_BAD_NETWORK_NAME/);
});

test("with --smbEncryption required a client that cannot encrypt is refused", { skip }, async () => {
  const { code, output } = await smbclient({ ...login(sealed), protocol: "SMB2_10", commands: ["ls"] });
  assert.notEqual(code, 0);
  assert.match(output, /NT_STATUS_ACCESS_DENIED/);
  // A client that only wanted to sign encrypts, because the server requires it.
  const signing = await smbclient({ ...login(sealed), protection: "sign", commands: ["ls"] });
  assert.equal(signing.code, 0, signing.output);
});
