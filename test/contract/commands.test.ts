import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, suite, test } from "node:test";
import { fileURLToPath } from "node:url";
import { BlobServiceClient } from "@azure/storage-blob";
import { thisSystem } from "../../scripts/test/programs.ts";
import { runProgram, startProgram } from "../kit/program.ts";
import { smoke } from "../support/smoke.ts";

const root = mkdtempSync(join(tmpdir(), "holdfast-commands-"));
after(() => rmSync(root, { recursive: true, force: true }));
const repository = fileURLToPath(new URL("../..", import.meta.url));

suite("holdfast health", () => {
  test("its exit code says whether the server serves requests", async () => {
    const program = await startProgram(["--inMemory"]);
    const url = `http://127.0.0.1:${program.ports.admin}`;
    const healthy = await runProgram(["health", "--url", url]);
    assert.deepEqual([healthy.code, healthy.stderr], [0, ""]);
    assert.equal(JSON.parse(healthy.stdout).status, "ready");
    const byVariable = await runProgram(["health"], { HOLDFAST_ADMIN_PORT: String(program.ports.admin) });
    assert.equal(byVariable.code, 0);
    const wrong = await runProgram(["health", "--url", `http://127.0.0.1:${program.ports.blob}`]);
    assert.equal(wrong.code, 1);
    await program.stop();
    const gone = await runProgram(["health", "--url", url]);
    assert.equal(gone.code, 1);
    assert.match(gone.stderr, /^holdfast: http:\/\/127\.0\.0\.1:\d+ does not answer: .*ECONNREFUSED.*\n$/);
  });

  test("a wrong argument has exit code 2", async () => {
    for (const args of [
      ["health", "--url", "localhost"],
      ["reset", "--nonsense"],
      ["completion", "tcsh"],
    ])
      assert.equal((await runProgram(args)).code, 2, args.join(" "));
  });
});

suite("holdfast reset", () => {
  for (const [name, flags] of [
    ["in memory", () => ["--inMemory"]],
    ["on disk", () => ["--location", join(root, "one"), "--allowReset"]],
    ["with workers", () => ["--location", join(root, "several"), "--allowReset", "--workers", "2"]],
  ] as const)
    test(`removes all data: ${name}`, async () => {
      const program = await startProgram(flags());
      const blobs = BlobServiceClient.fromConnectionString(program.connectionString);
      const url = `http://127.0.0.1:${program.ports.admin}`;
      for (let round = 0; round < 2; round++) {
        await smoke(program.connectionString);
        const { code, stderr } = await runProgram(["reset", "--url", url]);
        assert.equal(code, 0, stderr);
        assert.equal((await blobs.listContainers().next()).done, true);
      }
      await program.stop();
    });

  test("is refused on disk without --allowReset", async () => {
    const program = await startProgram(["--location", join(root, "kept")]);
    await smoke(program.connectionString);
    const { code, stderr } = await runProgram(["reset", "--url", `http://127.0.0.1:${program.ports.admin}`]);
    assert.deepEqual([code, /start the server with --allowReset/.test(stderr)], [1, true], stderr);
    const blobs = BlobServiceClient.fromConnectionString(program.connectionString);
    assert.equal((await blobs.listContainers().next()).value?.name, "smoke");
    await program.stop();
  });
});

test("every command explains itself, and --help lists it", async () => {
  const help = (await runProgram(["--help"])).stdout;
  for (const command of [
    "health",
    "reset",
    "completion",
    "migrate",
    "enable-immutability",
    "release-immutability",
  ]) {
    const { code, stdout, stderr } = await runProgram([command, "--help"]);
    assert.deepEqual([code, stderr], [0, ""], command);
    assert.ok(stdout.startsWith("Usage: holdfast ") && stdout.includes(`holdfast ${command}`), stdout);
    assert.ok(help.includes(`holdfast ${command} `), command);
  }
});

suite("holdfast completion", () => {
  const complete = (words: string): string[] => {
    const script = join(root, "complete.bash");
    writeFileSync(
      script,
      `source <("${process.execPath}" "${join(repository, "dist/cli/holdfast.js")}" completion bash)
      COMP_WORDS=(${words}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _holdfast; printf '%s\\n' "\${COMPREPLY[@]}"`,
    );
    const { status, stdout, stderr } = spawnSync("bash", [script], { encoding: "utf8", cwd: root });
    assert.equal(status, 0, stderr);
    return stdout.trim().split("\n");
  };

  test("bash completes commands, flags, values and files", () => {
    assert.deepEqual(complete("holdfast hea"), ["health"]);
    assert.deepEqual(complete("holdfast --inM").sort(), ["--inMemory", "--inMemoryPersistence"]);
    assert.deepEqual(complete("holdfast --smbAcls enf"), ["enforced"]);
    assert.deepEqual(complete("holdfast --accountsFile compl"), ["complete.bash"]);
    assert.deepEqual(complete("holdfast --silent heal"), [""], "a command is the first word");
  });

  for (const [shell, flags] of [
    ["zsh", ["-n"]],
    ["fish", ["--no-execute"]],
  ] as const)
    test(`${shell} reads its script`, { skip: !thisSystem.has(shell) && `${shell} is missing` }, async () => {
      const script = join(root, `holdfast.${shell}`);
      writeFileSync(script, (await runProgram(["completion", shell])).stdout);
      assert.equal(spawnSync(shell, [...flags, script]).status, 0);
    });

  test("the scripts of zsh and fish have every flag that --help has", async () => {
    const help = (await runProgram(["--help"])).stdout;
    const flags = [...help.matchAll(/^ {2}(?:-\w, )?--(\w+)/gm)]
      .map(([, flag]) => flag!)
      .filter((flag) => flag !== "help" && flag !== "version");
    assert.ok(flags.length > 30);
    const zsh = (await runProgram(["completion", "zsh"])).stdout;
    const fish = (await runProgram(["completion", "fish"])).stdout;
    for (const flag of flags) {
      assert.ok(zsh.includes(`'--${flag}[`), flag);
      assert.ok(fish.includes(`-l ${flag} -d`), flag);
    }
  });
});

test("SIGTERM to npm start ends the server", async () => {
  const free = ["blob", "queue", "table", "file", "admin", "smb"].flatMap((name) => [`--${name}Port`, "0"]);
  const flags = ["start", "--", "--inMemory", "--ready", "json", ...free];
  const npm = spawn("npm", flags, { cwd: repository, stdio: ["ignore", "pipe", "ignore"], detached: true });
  const exit = once(npm, "exit");
  let stdout = "";
  for await (const chunk of npm.stdout) {
    stdout += chunk;
    if (/^\{.*\}\n/m.test(stdout)) break;
  }
  const { endpoints } = JSON.parse(/^\{.*\}$/m.exec(stdout)![0]) as { endpoints: { admin: string } };
  try {
    assert.equal((await fetch(`${endpoints.admin}/readyz`)).status, 200);
    npm.kill("SIGTERM");
    await exit;
    // npm ends before the server does.
    for (let i = 0; i < 200; i++) {
      const isUp = await fetch(`${endpoints.admin}/readyz`).then(
        () => true,
        () => false,
      );
      if (!isUp) return;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    assert.fail("the server still answers");
  } finally {
    // The group: npm, its script and the server.
    try {
      process.kill(-npm.pid!, "SIGKILL");
    } catch {}
  }
});
