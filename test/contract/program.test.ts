import assert from "node:assert/strict";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, suite, test } from "node:test";
import { pause } from "../../src/base/clock.ts";
import { LIMITS } from "../../src/base/limits.ts";
import { HTTPS_FLAGS } from "../kit/certificates.ts";
import { runProgram, startProgram } from "../kit/program.ts";
import { send } from "../kit/send.ts";

const root = mkdtempSync(join(tmpdir(), "holdfast-program-"));
after(() => rmSync(root, { recursive: true, force: true }));
let folders = 0;
const folder = (): string => join(root, `data-${++folders}`);

const properties = { service: "queue", path: "", query: { restype: "service", comp: "properties" } } as const;
const days = (count: number): Buffer =>
  Buffer.from(
    `<StorageServiceProperties><HourMetrics><Version>1.0</Version><Enabled>true</Enabled><IncludeAPIs>true</IncludeAPIs><RetentionPolicy><Enabled>true</Enabled><Days>${count}</Days></RetentionPolicy></HourMetrics></StorageServiceProperties>`,
  );
const daysIn = (body: string): number => Number(/<Days>(\d+)<\/Days>/.exec(body)?.[1]);

suite("the command line", () => {
  test("prints help with examples and its version", async () => {
    const help = await runProgram(["--help"]);
    assert.equal(help.code, 0);
    assert.match(help.stdout, /--blobPort/);
    assert.match(help.stdout, /Examples?:/i);
    assert.match((await runProgram(["--version"])).stdout, /^\d+\.\d+\.\d+\n$/);
  });

  test("says in one line what is wrong with its configuration, with exit code 2", async () => {
    for (const flags of [
      ["--blobPort", "high"],
      ["--workers", "0"],
      ["--nonsense"],
      ["--cert", "/nowhere/cert.pem"],
    ]) {
      const { code, stderr } = await runProgram(flags);
      assert.equal(code, 2, flags.join(" "));
      assert.match(stderr, /^holdfast: [^\n]+\n$/);
    }
  });

  test("accepts unverified tokens on loopback only, with a warning, unless a flag says otherwise", async () => {
    const oauth = [...HTTPS_FLAGS, "--oauth", "basic"];
    const open = [...oauth, "--inMemory", "--host", "0.0.0.0", "--blobPort", "0"];
    const refused = await runProgram(open);
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /^holdfast: --oauth: [^\n]*0\.0\.0\.0[^\n]*--unsafeOauth[^\n]*\n$/);
    assert.equal(refused.stdout, "");
    const local = await startProgram([...oauth, "--inMemory"]);
    assert.equal(await local.stop(), 0);
    const warning = /--oauth basic does not verify the signatures of tokens/;
    assert.match(local.warnings.join("\n"), warning);
    assert.match(local.stderr(), warning);
  });

  test("keeps what it acknowledged over a restart, and over kill -9", async () => {
    const location = folder();
    const first = await startProgram(["--location", location]);
    assert.equal((await send(first, { ...properties, method: "PUT", body: days(11) })).status, 202);
    assert.equal(await first.stop(), 0);
    const second = await startProgram(["--location", location]);
    assert.equal(daysIn((await send(second, { ...properties, method: "GET" })).body), 11);
    assert.equal((await send(second, { ...properties, method: "PUT", body: days(12) })).status, 202);
    await second.stop("SIGKILL");
    const third = await startProgram(["--location", location]);
    assert.equal(daysIn((await send(third, { ...properties, method: "GET" })).body), 12);
    await third.stop();
  });

  test("lets only one Holdfast use a directory, and says who has it", async () => {
    const location = folder();
    const first = await startProgram(["--location", location]);
    const second = await runProgram(["--location", location, "--blobPort", "0"]);
    assert.equal(second.code, 1);
    assert.match(second.stderr, new RegExp(`in use by another Holdfast \\(pid ${first.pid}\\)`));
    await first.stop();
  });

  test("names a port that is in use", async () => {
    const first = await startProgram(["--inMemory"]);
    const second = await runProgram(["--inMemory", "--blobPort", String(first.ports.blob)]);
    assert.equal(second.code, 1);
    assert.match(second.stderr, new RegExp(`127.0.0.1:${first.ports.blob} is in use`));
    await first.stop();
  });

  test("says in one line where it cannot listen or keep its data, with exit code 1", async () => {
    const file = join(root, "a-file");
    writeFileSync(file, "");
    const sealed = folder();
    mkdirSync(sealed);
    chmodSync(sealed, 0o555);
    const free = ["blob", "queue", "table", "file", "smb", "admin"].flatMap((name) => [`--${name}Port`, "0"]);
    const workers = ["--location", folder(), "--workers", "2"];
    // Of the machine: an address without a host (TEST-NET-1), a name that never resolves.
    const cases: [readonly string[], RegExp][] = [
      [
        ["--inMemory", "--host", "192.0.2.1"],
        /192\.0\.2\.1:0: no network interface has this address; set --blobHost/,
      ],
      [
        ["--inMemory", "--queueHost", "nowhere.invalid"],
        /nowhere\.invalid:0: the host name has no address; set --queueHost/,
      ],
      [["--inMemory", "--adminHost", "192.0.2.1"], /set --adminHost or --host/],
      [["--inMemory", "--smbHost", "192.0.2.1"], /set --smbHost or --host/],
      [[...workers, "--blobHost", "192.0.2.1"], /set --blobHost or --host/],
      [[...workers, "--accessLog", `${file}/log`], /cannot open the log file .*\/log: /],
      [["--location", file], /a-file cannot be used: it is not a directory/],
      [["--location", join(file, "below")], /below cannot be used: it is not a directory/],
    ];
    if (process.platform === "linux")
      cases.push([["--location", "/proc/x"], /\/proc\/x cannot be used: ENOENT/]);
    for (const [flags, words] of cases) await refusesToStart([...free, ...flags], words);
    // Root may listen and write anywhere.
    const isRoot = process.getuid?.() === 0;
    const asOther = isRoot ? { uid: 65_534, gid: 65_534 } : {};
    chmodSync(root, 0o755);
    if ((await runProgram(["--version"], {}, asOther)).code !== 0) return; // A checkout that only root can read.
    await refusesToStart(
      [...free, "--location", join(sealed, "below")],
      /below cannot be used: EACCES/,
      asOther,
    );
    await refusesToStart([...free, "--location", sealed], /cannot be used: EACCES/, asOther);
    if (lowestFreePort() > 1)
      await refusesToStart(
        [...free, "--inMemory", "--blobPort", "1"],
        /no permission to listen at 127\.0\.0\.1:1 .*set another --blobPort/,
        asOther,
      );
  });

  test("refuses a damaged or newer directory, names the file and changes nothing", async () => {
    const location = folder();
    await (await startProgram(["--location", location])).stop();
    const marker = join(location, "holdfast.json");
    const good = readFileSync(marker);
    writeFileSync(marker, good.toString().replace(/"format": ?\d+/, '"format": 99'));
    const newer = await runProgram(["--location", location]);
    assert.equal(newer.code, 1);
    assert.match(newer.stderr, /holdfast\.json.*newer|newer.*holdfast\.json|newer Holdfast/);
    writeFileSync(marker, good);
    const records = join(location, "records", "records.mdb");
    const whole = readFileSync(records);
    truncateSync(records, 100);
    const damaged = await runProgram(["--location", location]);
    assert.equal(damaged.code, 1, damaged.stderr);
    assert.match(damaged.stderr, /records/);
    writeFileSync(records, whole);
    const repaired = await startProgram(["--location", location]);
    await repaired.stop();
  });

  test("keeps its data apart from unrelated files, and takes no data without its marker for unrelated", async () => {
    const location = folder();
    mkdirSync(location);
    writeFileSync(join(location, "thesis.txt"), "years of work");
    await (await startProgram(["--location", location])).stop();
    assert.deepEqual(readdirSync(location).sort(), [".holdfast", "thesis.txt"]);

    rmSync(join(location, ".holdfast", "holdfast.json"));
    const { code, stderr } = await runProgram(["--location", join(location, ".holdfast")]);
    assert.equal(code, 1);
    assert.match(stderr, /is not empty \(it holds .*\) and has no holdfast\.json/);
    assert.ok(!existsSync(join(location, ".holdfast", ".holdfast")));
  });

  test("keeps the admin listener, which has no login, on 127.0.0.1 when --host is another address", async () => {
    const program = await startProgram(["--inMemory", "--host", "127.0.0.2"]);
    const isOpen = async (host: string, port: number): Promise<boolean> => {
      const socket = connect({ host, port });
      return new Promise((resolve) => {
        socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
      }).finally(() => socket.destroy()) as Promise<boolean>;
    };
    assert.equal(await isOpen("127.0.0.2", program.ports.blob), true);
    assert.equal(await isOpen("127.0.0.2", program.ports.admin), false);
    assert.equal((await fetch(`http://127.0.0.1:${program.ports.admin}/readyz`)).status, 200);
    await program.stop();
  });

  test("answers about its health and its stats", async () => {
    const program = await startProgram(["--inMemory"]);
    await send(program, { ...properties, method: "GET" });
    const get = async (path: string) => fetch(`http://127.0.0.1:${program.ports.admin}${path}`);
    assert.equal((await get("/healthz")).status, 200);
    assert.equal((await get("/readyz")).status, 200);
    const metrics = await (await get("/metrics")).text();
    assert.match(
      metrics,
      /holdfast_requests_total\{service="queue",operation="GetServiceProperties",status="200"\} 1\n/,
    );
    assert.match(metrics, /holdfast_connections_open\{service="queue"\} \d/);
    await program.stop();
  });

  test("writes an access log that holds no signature", async () => {
    const file = join(root, "access.log");
    const program = await startProgram(["--inMemory", "--accessLog", file]);
    await send(program, { ...properties, method: "GET" });
    const sas = {
      restype: "service",
      comp: "properties",
      sv: "2025-01-05",
      ss: "q",
      srt: "s",
      sp: "r",
      sig: "c2VjcmV0",
    };
    await send(program, { ...properties, query: sas, method: "GET", isAnonymous: true });
    await program.stop();
    const lines = readFileSync(file, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    assert.equal(lines.length, 2);
    assert.equal(lines[0]?.operation, "GetServiceProperties");
    assert(!readFileSync(file, "utf8").includes("c2VjcmV0"));
  });
});

async function refusesToStart(
  flags: readonly string[],
  words: RegExp,
  as: { readonly uid?: number; readonly gid?: number } = {},
): Promise<void> {
  const { code, stderr } = await runProgram(flags, {}, { ...as, timeout: 60_000 });
  assert.match(stderr, /^holdfast: [^\n]+\n$/, flags.join(" "));
  assert.match(stderr, words);
  assert.equal(code, 1, flags.join(" "));
}

/** Below it a port needs a privilege: 1,024 unless the system is configured otherwise. */
function lowestFreePort(): number {
  const setting = "/proc/sys/net/ipv4/ip_unprivileged_port_start";
  return existsSync(setting) ? Number(readFileSync(setting, "utf8")) : 0;
}

suite("worker processes", () => {
  test("share the store: what one acknowledges every other sees, also while workers are killed", async () => {
    const program = await startProgram(["--location", folder(), "--workers", "2"]);
    try {
      for (let round = 1; round <= 100; round++) {
        // Each request is a new connection, so they go round-robin to the workers. One that breaks off with
        // the worker it went to is sent again; one that hangs would fail the test.
        const body = days(1 + (round % 300));
        const put = await persistently(() => send(program, { ...properties, method: "PUT", body }));
        assert.equal(put.status, 202);
        const got = await persistently(() => send(program, { ...properties, method: "GET" }));
        assert.equal(daysIn(got.body), 1 + (round % 300));
        if (round % 30 === 0) process.kill(await oneWorkerOf(program.pid), "SIGKILL");
      }
      const ready = await fetch(`http://127.0.0.1:${program.ports.admin}/readyz`);
      assert.equal(ready.status, 200);
      // The figures of the dead went with them: at least this one was counted by a live worker.
      await persistently(() => send(program, { ...properties, method: "PUT", body: days(1) }));
      const metrics = await (await fetch(`http://127.0.0.1:${program.ports.admin}/metrics`)).text();
      assert.match(
        metrics,
        /holdfast_requests_total\{service="queue",operation="SetServiceProperties",status="202"\} \d+/,
      );
    } finally {
      const code = await program.stop();
      assert.equal(code, 0, program.stderr());
    }
  });

  test("serve on when one of them cannot be started again, which is tried now and then", async () => {
    const program = await startProgram(["--location", folder(), "--workers", "2"]);
    try {
      const survivor = await oneWorkerOf(program.pid);
      for (let killed = 0; killed < 8; ) {
        const others = workersOf(program.pid).filter((pid) => pid !== survivor);
        for (const pid of others) process.kill(pid, "SIGKILL");
        killed += others.length;
        assert.equal(program.child.exitCode, null, program.stderr());
        await pause(10);
      }
      const { status } = await send(program, { ...properties, method: "GET" });
      assert.equal(status, 200);
      const ready = `http://127.0.0.1:${program.ports.admin}/readyz`;
      while (!(await (await fetch(ready)).text()).includes("2 of 2 ready")) await pause(50);
    } finally {
      assert.equal(await program.stop(), 0, program.stderr());
    }
  });

  test("end at once although clients stay connected and ask for nothing", async () => {
    const program = await startProgram(["--location", folder(), "--workers", "2"]);
    const idle = [program.ports.blob, program.ports.queue, program.ports.smb].map((port) =>
      connect(port, "127.0.0.1").on("error", () => {}),
    );
    for (const socket of idle.slice(0, 2)) {
      socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
      await once(socket, "data");
    }
    const patience = setTimeout(() => program.child.kill("SIGKILL"), LIMITS.shutdownMillis / 2);
    assert.equal(await program.stop(), 0);
    clearTimeout(patience);
    for (const socket of idle) socket.destroy();
  });

  test("are killed when they do not stop in time, and leave the directory to the next start", async () => {
    const location = folder();
    const program = await startProgram(["--location", location, "--workers", "2", "--shutdownSeconds", "0"]);
    const stuck = await oneWorkerOf(program.pid);
    process.kill(stuck, "SIGSTOP");
    const patience = setTimeout(() => program.child.kill("SIGKILL"), 2 * LIMITS.shutdownMillis);
    assert.equal(await program.stop(), 0);
    clearTimeout(patience);
    assert.match(
      program.stderr(),
      new RegExp(`"workers":\\[${stuck}\\],"msg":"shutting down: killing workers`),
    );
    assert.equal(await (await startProgram(["--location", location])).stop(), 0);
  });
});

async function persistently<T>(attempt: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await attempt();
    } catch (error) {
      if ((error as { code?: string }).code !== "ECONNRESET" || tries >= 5) throw error;
    }
  }
}

async function oneWorkerOf(pid: number): Promise<number> {
  return workersOf(pid)[0]!;
}

function workersOf(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
  return children === "" ? [] : children.split(" ").map(Number);
}
