import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { HTTPS_FLAGS } from "../../test/kit/certificates.ts";
import { ConfigError } from "../base/config-error.ts";
import { type Environment, type Options, readCommandLine } from "./options.ts";

const scratch = mkdtempSync(join(tmpdir(), "holdfast-options-"));
after(() => rmSync(scratch, { recursive: true, force: true }));

const KEY = Buffer.from("a key of our own").toString("base64");

function read(argv: string[], env: Environment = {}): Options {
  const line = readCommandLine({ argv, env, cwd: "/srv/data", version: "1.2.3" });
  assert.equal(line.kind, "serve");
  return (line as { options: Options }).options;
}

/** The command line is refused with one line that says this. */
function refuses(argv: string[], expected: RegExp, env: Environment = {}, exitCode = 2): void {
  assert.throws(
    () => read(argv, env),
    (error) => {
      assert.ok(error instanceof ConfigError, String(error));
      assert.match(error.message, expected);
      assert.doesNotMatch(error.message, /\n/);
      assert.equal(error.exitCode, exitCode);
      return true;
    },
  );
}

describe("defaults", () => {
  test("the ports people already use, on loopback, with the well-known account", () => {
    const options = read([]);
    assert.deepEqual(options.addresses, {
      blob: { host: "127.0.0.1", port: 10_000 },
      queue: { host: "127.0.0.1", port: 10_001 },
      table: { host: "127.0.0.1", port: 10_002 },
      file: { host: "127.0.0.1", port: 10_003, givesWay: true },
      smb: { host: "127.0.0.1", port: 10_445, givesWay: true },
      admin: { host: "127.0.0.1", port: 10_004, givesWay: true },
    });
    assert.deepEqual(options.store, { kind: "embedded", directory: "/srv/data/.holdfast" });
    assert.deepEqual(
      options.accounts.map(({ name }) => name),
      ["devstoreaccount1"],
    );
    assert.equal(options.shutdownMillis, 30_000);
    const { workers, ready, logLevel, accessLog, certificate, warnings } = options;
    assert.deepEqual(
      { workers, ready, logLevel, accessLog, certificate, warnings },
      { workers: 1, ready: "text", logLevel: "info", accessLog: "off", certificate: undefined, warnings: [] },
    );
  });
});

describe("flags", () => {
  test("ACLs over SMB deny nothing unless --smbAcls enforces them", () => {
    assert.equal(read([]).smbAcls, "shown");
    assert.equal(read(["--smbAcls", "enforced"]).smbAcls, "enforced");
    assert.equal(read([], { HOLDFAST_SMB_ACLS: "enforced" }).smbAcls, "enforced");
    refuses(["--smbAcls", "on"], /--smbAcls.*expected shown or enforced, got "on"/);
  });

  test("--smbAccessLists, the earlier name of --smbAcls, works as a flag and as a variable, and is hidden", () => {
    assert.equal(read(["--smbAccessLists", "enforced"]).smbAcls, "enforced");
    assert.equal(read([], { HOLDFAST_SMB_ACCESS_LISTS: "enforced" }).smbAcls, "enforced");
    refuses(["--smbAccessLists", "on"], /--smbAccessLists.*expected shown or enforced, got "on"/);
    // A flag overrides a variable, and the variable of the present name overrides the earlier one.
    assert.equal(read(["--smbAccessLists", "shown"], { HOLDFAST_SMB_ACLS: "enforced" }).smbAcls, "shown");
    const both = { HOLDFAST_SMB_ACCESS_LISTS: "enforced", HOLDFAST_SMB_ACLS: "shown" };
    assert.equal(read([], both).smbAcls, "shown");
    const help = readCommandLine({ argv: ["--help"], env: {}, cwd: "/", version: "1.2.3" });
    assert.match((help as { text: string }).text, /--smbAcls <mode>/);
    assert.doesNotMatch((help as { text: string }).text, /smbAccessLists/);
  });

  test("copies are fetched from anywhere on loopback, from the Internet beyond it, or from where it is said", () => {
    const any = { allowsAny: true, allowsPublic: true, networks: [] };
    const onlyPublic = { allowsAny: false, allowsPublic: true, networks: [] };
    assert.deepEqual(read([]).copySources, any);
    assert.deepEqual(read(["--host", "::1"]).copySources, any);
    for (const flag of ["--host", "--blobHost", "--fileHost", "--smbHost", "--adminHost"])
      assert.deepEqual(read([flag, "0.0.0.0"]).copySources, onlyPublic, flag);
    assert.deepEqual(read(["--copySources", "public"]).copySources, onlyPublic);
    assert.deepEqual(read(["--host", "0.0.0.0", "--copySources", "any"]).copySources.allowsAny, true);
    const own = { allowsAny: false, allowsPublic: false, networks: [] };
    assert.deepEqual(read([], { HOLDFAST_COPY_SOURCES: "own" }).copySources, own);
    const listed = read(["--copySources", "10.1.0.0/16, fd00::/8,public,192.168.0.7"]).copySources;
    assert.equal(listed.allowsPublic, true);
    assert.deepEqual(
      listed.networks.map(({ family, prefixBits }) => [family, prefixBits]),
      [
        [4, 16],
        [6, 8],
        [4, 32],
      ],
    );
    for (const bad of ["", "none", "10.0.0.1/8", "10.0.0.0/33", "example.com", "own,"])
      refuses(["--copySources", bad], /--copySources.*expected own, public, any or networks/);
  });

  test("a command line written for Azurite works as it is", () => {
    const options = read(
      (
        "-l /data -s -d /logs/debug.log -L --blobHost 0.0.0.0 --blobPort 11000 --queueHost 0.0.0.0 --queuePort 0 " +
        "--tableHost :: --tablePort 11002 --blobKeepAliveTimeout 5 --queueKeepAliveTimeout 6 " +
        "--tableKeepAliveTimeout 0.5 --skipApiVersionCheck --disableProductStyleUrl --disableTelemetry"
      ).split(" "),
    );
    assert.deepEqual(options.store, { kind: "embedded", directory: "/data" });
    assert.deepEqual(options.addresses.blob, { host: "0.0.0.0", port: 11_000 });
    assert.deepEqual(options.addresses.queue, { host: "0.0.0.0", port: 0 });
    assert.deepEqual(options.addresses.table, { host: "::", port: 11_002 });
    assert.equal(options.isSilent, true);
    assert.equal(options.debugFile, "/logs/debug.log");
    assert.equal(options.isLoose, true);
    assert.equal(options.allowsHostStyle, false);
    assert.equal(options.logLevel, "error");
    assert.deepEqual(options.keepAliveMillis, { blob: 5_000, queue: 6_000, table: 500, file: undefined });
    assert.deepEqual(read(["--inMemoryPersistence", "--extentMemoryLimit", "512.5"]).store, {
      kind: "memory",
      payloadBytesMax: 512.5 * 1024 * 1024,
    });
    refuses(["--extentMemoryLimit", "10"], /--extentMemoryLimit.*--inMemory/);
    refuses(["--blobKeepAliveTimeout", "100000"], /--blobKeepAliveTimeout/);
    assert.match(read([], { AZURITE_DB: "mysql://x" }).warnings.join(), /AZURITE_DB/);
  });

  test("--host is for all services, and a host of its own outranks it", () => {
    const { addresses } = read(["--host", "0.0.0.0", "--fileHost", "[::1]"]);
    assert.equal(addresses.smb.host, "0.0.0.0");
    assert.equal(addresses.file.host, "::1");
    assert.equal(addresses.admin.host, "127.0.0.1", "it has no login and opens by its own flag only");
    assert.equal(read(["--adminHost", "0.0.0.0"]).addresses.admin.host, "0.0.0.0");
    assert.equal(read([], { HOLDFAST_HOST: "0.0.0.0" }).addresses.admin.host, "127.0.0.1");
  });

  test("every listener may ask for any free port", () => {
    const { addresses } = read(
      ["blob", "queue", "table", "file", "smb", "admin"].flatMap((n) => [`--${n}Port`, "0"]),
    );
    assert.ok(Object.values(addresses).every(({ port }) => port === 0));
  });

  test("ports that Azurite lacks give way to those that were asked for, and do not once asked for", () => {
    const { addresses } = read(["--blobPort", "10003", "--adminPort", "10445"]);
    const ports = Object.entries(addresses).map(([name, { port }]) => [name, port]);
    assert.deepEqual(Object.fromEntries(ports), {
      blob: 10_003,
      queue: 10_001,
      table: 10_002,
      file: 0,
      smb: 0,
      admin: 10_445,
    });
    const asked = read(["--filePort", "10003", "--adminPort", "7"]).addresses;
    assert.deepEqual([asked.file.givesWay, asked.admin.givesWay], [undefined, undefined]);
    assert.deepEqual([asked.smb.givesWay, asked.blob.givesWay], [true, undefined]);
  });

  test("by the name of one of Azurite's services, only that one has its usual port", () => {
    const line = (program: string, ...argv: string[]): Options => {
      const read = readCommandLine({ argv, env: {}, cwd: "/srv/data", version: "1.2.3", program });
      assert.equal(read.kind, "serve");
      return (read as { options: Options }).options;
    };
    const ports = ({ addresses }: Options) => Object.values(addresses).map(({ port }) => port);
    const blob = line("/usr/local/bin/azurite-blob", "--queuePort", "5");
    assert.equal(blob.only, "blob");
    assert.deepEqual(ports(blob).sort(), [0, 0, 0, 0, 10_000, 5].sort());
    assert.equal(line("azurite-table").addresses.table.port, 10_002);
    assert.equal(line("C:\\holdfast\\azurite-table.js").only, "table");
    for (const program of ["/usr/bin/azurite", "/opt/holdfast.js", "/opt/azurite-file", "/azurite-blob/x.js"])
      assert.deepEqual(line(program), read([]));
  });

  test("--debug without a file lowers the log level; a level given by name stays", () => {
    assert.equal(read(["--debug"]).logLevel, "debug");
    assert.equal(read(["--debug", "--logLevel", "warn"]).logLevel, "warn");
  });

  test("--accessLog takes stdout, off, or a file beside the working directory", () => {
    assert.equal(read(["--accessLog", "-"]).accessLog, "-");
    assert.equal(read(["--accessLog", "off"]).accessLog, "off");
    assert.equal(read(["--accessLog", "access.log"]).accessLog, "/srv/data/access.log");
  });
});

describe("the environment", () => {
  test("a variable stands for its flag, and the flag outranks it", () => {
    const env = {
      HOLDFAST_BLOB_PORT: "12000",
      HOLDFAST_IN_MEMORY: "true",
      HOLDFAST_SILENT: "0",
      HOLDFAST_DEBUG: "1",
    };
    const options = read([], env);
    assert.equal(options.addresses.blob.port, 12_000);
    assert.deepEqual(options.store, { kind: "memory" });
    assert.equal(options.isSilent, false);
    assert.equal(options.logLevel, "debug");
    assert.equal(read(["--blobPort", "1"], env).addresses.blob.port, 1);
    assert.equal(read([], { HOLDFAST_DEBUG: "/logs/d" }).debugFile, "/logs/d");
  });

  test("an error names the variable that was used", () => {
    refuses([], /^HOLDFAST_BLOB_PORT: expected a port from 0 to 65535, got "x"$/, {
      HOLDFAST_BLOB_PORT: "x",
    });
    refuses([], /^HOLDFAST_LOOSE: expected true or false/, { HOLDFAST_LOOSE: "maybe" });
  });

  test("accounts come from one source: the file, then our variable, then Azurite's", () => {
    const file = join(scratch, "accounts");
    writeFileSync(file, `# ours\nfromfile:${KEY}\n`);
    const env = { AZURITE_ACCOUNTS: `azurite:${KEY}`, HOLDFAST_ACCOUNTS: `ours:${KEY}:${KEY};more:${KEY}` };
    const names = (options: Options) => options.accounts.map(({ name }) => name);
    assert.deepEqual(names(read([], { AZURITE_ACCOUNTS: env.AZURITE_ACCOUNTS })), ["azurite"]);
    for (const quote of ['"', "'"]) {
      const quoted = { AZURITE_ACCOUNTS: ` ${quote}${env.AZURITE_ACCOUNTS}${quote}\n` };
      assert.deepEqual(names(read([], quoted)), ["azurite"], "a list in a compose file passes quotes on");
    }
    refuses([], /^AZURITE_ACCOUNTS: account 1: expected name/, { AZURITE_ACCOUNTS: `"azurite:${KEY}` });
    const both = read([], env);
    assert.deepEqual(names(both), ["ours", "more"]);
    assert.deepEqual(both.warnings, ["AZURITE_ACCOUNTS is ignored because HOLDFAST_ACCOUNTS is set"]);
    const fromFile = read([], { ...env, HOLDFAST_ACCOUNTS_FILE: file });
    assert.deepEqual(names(fromFile), ["fromfile"]);
    assert.equal(fromFile.accountsFile?.path, file);
    assert.equal(fromFile.warnings.length, 2);
  });
});

describe("refusals of the command line", () => {
  const cases: [string[], RegExp][] = [
    [["--blobPort", "70000"], /^--blobPort: expected a port from 0 to 65535, got "70000"$/],
    [["--queuePort", "-1"], /--queuePort/],
    [["--blobHost", "http://x"], /^--blobHost: expected a host name or an IP address/],
    [["--workers", "0"], /^--workers: expected a count from 1 to 64/],
    [
      ["--shutdownSeconds", "3601"],
      /^--shutdownSeconds: expected a count of seconds from 0 to 3600, got "3601"/,
    ],
    [["--shutdownSeconds", "1.5"], /^--shutdownSeconds: expected a count of seconds/],
    [["--workers", "2", "--inMemory"], /^--workers: expected 1 with --inMemory/],
    [["--ready", "xml"], /^--ready: expected text or json, got "xml"$/],
    [["--logLevel", "loud"], /^--logLevel: expected trace or debug/],
    [["--oauth", "full"], /^--oauth: expected basic, got "full"$/],
    [["--oauth", "basic"], /^--oauth requires --cert: /],
    [["--unsafeOauth"], /^--unsafeOauth requires --oauth basic$/],
    [["--store", "postgres://db/holdfast?colour=blue"], /^--store: does not know the option colour/],
    [["--store", "postgres://db/holdfast", "--workers", "2"], /^--workers: expected 1 with a postgres store/],
    [["--store", "s3://bucket"], /^--store: expected a directory or postgres:\/\/..., got an address of s3$/],
    [["--store", "/a", "--location", "/b"], /^--store cannot be combined with --location: /],
    [["--inMemory", "--location", "/b"], /^--location cannot be combined with --inMemory$/],
    [["--location", ""], /^--location: expected a path/],
    [["--filePort", "10000"], /^--filePort: expected a port other than 10000, which --blobPort uses$/],
    [["--blobport", "1"], /^command line: unknown option '--blobport'.*--blobPort/],
    [["start"], /^command line: too many arguments/],
    [["--blobPort"], /^command line: option '--blobPort <port>' argument missing$/],
    [["--accountsFile", "/nowhere/accounts"], /^accounts file \/nowhere\/accounts: cannot be read/],
  ];
  for (const [argv, expected] of cases) test(argv.join(" "), () => refuses(argv, expected));
});

describe("help and version", () => {
  test("--help shows the groups, the defaults and examples; --version the version alone", () => {
    const help = readCommandLine({ argv: ["--help"], env: {}, cwd: "/", version: "1.2.3" });
    assert.equal(help.kind, "print");
    const { text } = help as { text: string };
    for (const part of [
      "Data:",
      "Listeners:",
      "Security:",
      "Protocol:",
      "Output:",
      "Examples:",
      "./.holdfast",
      "10445",
    ])
      assert.ok(text.includes(part), part);
    const version = readCommandLine({ argv: ["--version"], env: {}, cwd: "/", version: "1.2.3" });
    assert.deepEqual(version, { kind: "print", text: "1.2.3\n" });
  });
});

describe("tokens without a verified signature", () => {
  const oauth = [...HTTPS_FLAGS, "--oauth", "basic"];

  test("--oauth basic is refused where any service is open to other machines", () => {
    for (const flags of [
      ["--host", "0.0.0.0"],
      ["--host", "::"],
      ["--blobHost", "10.0.0.5"],
      ["--queueHost", "0.0.0.0"],
      ["--tableHost", "box.example"],
      ["--fileHost", "0.0.0.0", "--host", "127.0.0.1"],
    ])
      refuses(
        [...oauth, ...flags],
        /^--oauth: .*anyone who can reach .*every account\. Bind .*127\.0\.0\.1, or add --unsafeOauth/,
        {},
        1,
      );
    refuses([...oauth], /--unsafeOauth/, { HOLDFAST_HOST: "0.0.0.0" }, 1);
  });

  test("it is warned about whenever it is on, on loopback and, once asked for by name, beyond", () => {
    assert.match(
      read(oauth).warnings.join(),
      /does not verify the signatures.*every program on this machine/,
    );
    // These two take no tokens.
    assert.match(
      read([...oauth, "--smbHost", "0.0.0.0", "--adminHost", "::"]).warnings.join(),
      /on this machine/,
    );
    const open = read([...oauth, "--host", "0.0.0.0", "--unsafeOauth"]);
    assert.equal(open.oauth, "basic");
    assert.match(
      open.warnings.join(),
      /anyone who can reach 0\.0\.0\.0 can act as the owner of every account/,
    );
    assert.equal(read([...oauth, "--host", "0.0.0.0"], { HOLDFAST_UNSAFE_OAUTH: "true" }).oauth, "basic");
    assert.deepEqual(read(HTTPS_FLAGS.slice()).warnings, []);
  });
});

describe("certificates", () => {
  const at = (name: string) => join(scratch, name);
  const openssl = (args: string) => execFileSync("openssl", args.split(" "), { cwd: scratch, stdio: "pipe" });
  let canMake = true;
  try {
    for (const name of ["one", "two"])
      openssl(
        `req -x509 -newkey rsa:2048 -nodes -keyout ${name}.key -out ${name}.pem -days 2 -subj /CN=localhost`,
      );
    openssl("rsa -in one.key -aes256 -passout pass:secret -out one.enc.key");
    // The old form derives its key with one hash, so that many passwords can be tried.
    openssl("rsa -in one.key -traditional -aes256 -passout pass:secret -out one.old.key");
    openssl("pkcs12 -export -in one.pem -inkey one.key -passout pass:secret -out one.pfx");
  } catch {
    canMake = false;
  }
  const options = { skip: canMake ? false : "openssl is not installed, no certificate can be made" };

  test("a PEM pair, an encrypted key and a PFX file are read", options, () => {
    assert.ok("cert" in read(["--cert", at("one.pem"), "--key", at("one.key")]).certificate!);
    assert.ok(
      "cert" in read(["--cert", at("one.pem"), "--key", at("one.enc.key"), "--pwd", "secret"]).certificate!,
    );
    assert.ok("pfx" in read(["--cert", at("one.pfx"), "--pwd", "secret"]).certificate!);
    assert.equal(read(["--cert", at("one.pfx"), "--pwd", "secret", "--oauth", "basic"]).oauth, "basic");
  });

  test("what cannot work is refused at the start", options, () => {
    refuses(["--cert", at("one.pfx"), "--pwd", "wrong"], /the password does not open the file$/);
    refuses(
      ["--cert", at("one.pem"), "--key", at("one.enc.key"), "--pwd", "wrong"],
      /the password does not open/,
    );
    refuses(["--cert", at("one.pem"), "--key", at("one.enc.key")], /the key is encrypted: set --pwd/);
    refuses(
      ["--cert", at("one.pem"), "--key", at("two.key")],
      /^--key .*: the key does not belong to the certificate /,
    );
    refuses(["--cert", at("one.pem"), "--key", at("one.pem")], /^--key .*: not a PEM key/);
    refuses(["--cert", at("one.key"), "--key", at("one.key")], /^--cert .*: not a PEM certificate/);
    // One wrong password in 256 seems to fit at first; over this many, some do.
    for (let i = 0; i < 600; i++)
      refuses(
        ["--cert", at("one.pem"), "--key", at("one.old.key"), "--pwd", `wrong ${i}`],
        /^--key .*: the password does not open the file$/,
      );
    refuses(["--cert", at("one.pem"), "--pwd", "secret"], /not a PFX file/);
  });

  test("flags that need one another say so", () => {
    refuses(["--key", "/x"], /^--key requires --cert$/);
    refuses(["--pwd", "x"], /^--pwd requires --cert$/);
    refuses(["--cert", "/x"], /^--cert requires --key \(PEM\) or --pwd \(PFX\)$/);
    refuses(
      ["--cert", "/nowhere/x.pem", "--key", "/nowhere/x.key"],
      /^--cert: \/nowhere\/x.pem cannot be read/,
    );
  });
});
