import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { ShareServiceClient } from "@azure/storage-file-share";
import { seededRandom } from "../../src/base/random.ts";
import { runProgram } from "../kit/run-program.ts";
import { ENGINES, type Engine, startTestServer, type TestServer } from "../kit/server.ts";
import { SMB_ACCOUNT, SMB_PASSWORD, startSmbServer } from "../kit/smb-server.ts";
import { seedOfThisRun } from "../support/seed.ts";

/** What is used here of a client of npm, whose types are those of another kind of module. */
interface NpmClient {
  mkdir(path: string): Promise<void>;
  writeFile(path: string, data: Buffer): Promise<void>;
  readFile(path: string): Promise<Buffer>;
  rename(from: string, to: string): Promise<void>;
  readdir(path: string): Promise<string[]>;
  unlink(path: string): Promise<void>;
  disconnect(): void;
}
const SMB2: new (options: Readonly<Record<string, unknown>>) => NpmClient = createRequire(import.meta.url)(
  "@tryjsky/v9u-smb2",
);

/** Clients that share no code with Samba, one in Python, one of npm, against the product over each engine. */
interface FrontEnd {
  readonly product: TestServer;
  /** The same file service where signing is left to the client, which the product never does. */
  readonly unsigned: { readonly port: number; close(): Promise<void> };
  readonly folder: string;
}
const frontEnds = new Map<Engine, FrontEnd>();

before(async () => {
  for (const engine of ENGINES) {
    const product = await startTestServer({ engine });
    await ShareServiceClient.fromConnectionString(product.connectionString).createShare("work");
    const folder = mkdtempSync(join(tmpdir(), "holdfast-smb-"));
    const place = engine === "memory" ? {} : { directory: folder };
    const unsigned = await startSmbServer({ signing: "enabled", ...place });
    frontEnds.set(engine, { product, unsigned, folder });
  }
});

after(async () => {
  for (const { product, unsigned, folder } of frontEnds.values()) {
    await product.close();
    await unsigned.close();
    rmSync(folder, { recursive: true });
  }
});

/** Debian's package belongs to the system's own Python, which need not be the first one found. */
const PYTHON = ["python3", "/usr/bin/python3"].find(
  (python) => spawnSync(python, ["-c", "import impacket"]).status === 0,
);
const noImpacket = PYTHON === undefined ? "python3-impacket is not installed" : false;

const ROUND_TRIP = `
import io, sys
from impacket.smbconnection import SMBConnection
port, user, password, dialect, seed = int(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5])
smb = SMBConnection("127.0.0.1", "127.0.0.1", sess_port=port, preferredDialect=dialect)
smb.login(user, password)
assert smb.getDialect() == dialect, hex(smb.getDialect())
assert "work" in [share["shi1_netname"][:-1] for share in smb.listShares()]
data = bytes((seed * index) % 251 for index in range(200001))
smb.createDirectory("work", "python")
smb.putFile("work", "python/sent.bin", io.BytesIO(data).read)
back = io.BytesIO()
smb.getFile("work", "python/sent.bin", back.write)
assert back.getvalue() == data
smb.rename("work", "python/sent.bin", "python/moved.bin")
names = sorted(entry.get_longname() for entry in smb.listPath("work", "python/*"))
assert names == [".", "..", "moved.bin"], names
smb.deleteFile("work", "python/moved.bin")
smb.deleteDirectory("work", "python")
assert "python" not in [entry.get_longname() for entry in smb.listPath("work", "*")]
smb.logoff()
print("done")
`;

for (const engine of ENGINES) {
  for (const [name, dialect] of [
    ["2.1", 0x0210],
    ["3.0", 0x0300],
  ] as const) {
    test(`${engine}: impacket, SMB ${name}, signed: shares, a file there and back, rename, delete`, {
      skip: noImpacket,
    }, async (t) => {
      const { server, account, key } = frontEnds.get(engine)!.product;
      const seed = seedOfThisRun(t);
      const login = [String(server.ports.smb), account, key, String(dialect), String(seed)];
      const { code, output } = await runProgram(PYTHON!, ["-c", ROUND_TRIP, ...login]);
      assert.equal(code, 0, output);
      assert.match(output, /done/);
    });
  }

  test(`${engine}: a client of npm that does not sign: a file there and back, rename, delete`, async (t) => {
    const { port } = frontEnds.get(engine)!.unsigned;
    const client = npmClient({ port, username: SMB_ACCOUNT, password: SMB_PASSWORD });
    try {
      const data = seededRandom(seedOfThisRun(t)).bytes(300_001);
      await client.mkdir("npm");
      await client.writeFile("npm\\sent.bin", data);
      assert.ok((await client.readFile("npm\\sent.bin")).equals(data), "what came back is not what was sent");
      await client.rename("npm\\sent.bin", "npm\\moved.bin");
      assert.deepEqual(await client.readdir("npm"), ["moved.bin"]);
      await client.unlink("npm\\moved.bin");
      assert.deepEqual(await client.readdir("npm"), []);
    } finally {
      client.disconnect();
    }
  });

  test(`${engine}: the product requires signing, and a client that does not sign gets nothing`, async () => {
    const { server, account, key } = frontEnds.get(engine)!.product;
    const client = npmClient({ port: server.ports.smb, username: account, password: key });
    try {
      await assert.rejects(client.readdir(""), /ACCESS_DENIED/);
    } finally {
      client.disconnect();
    }
  });
}

function npmClient(login: { readonly port: number; readonly username: string; readonly password: string }) {
  return new SMB2({ share: "\\\\127.0.0.1\\work", domain: "AZURE", autoCloseTimeout: 0, ...login });
}
