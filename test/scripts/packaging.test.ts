import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { thisSystem } from "../../scripts/test/programs.ts";
import { readCommandLine } from "../../src/process/options.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const isAccepted = (argv: readonly string[]): boolean =>
  readCommandLine({ argv, env: {}, cwd: "/data", version: "1" }).kind === "serve";

test("the image, the unit and the chart use flags that exist, and the same user", () => {
  const dockerfile = read("Dockerfile");
  assert.ok(isAccepted(JSON.parse(/^CMD (\[.*\])$/m.exec(dockerfile)![1]!)));
  const unit = read("packaging/systemd/holdfast.service");
  assert.ok(isAccepted(/^ExecStart=\/usr\/bin\/holdfast (.*)$/m.exec(unit)![1]!.split(" ")));
  const chart = read("packaging/helm/holdfast/templates/statefulset.yaml");
  const flags = [...chart.matchAll(/^ +- (--\w+)$/gm)].map(([, flag]) => flag);
  assert.deepEqual(flags, ["--host", "--location", "--accountsFile"]);
  const user = /^USER (\d+):/m.exec(dockerfile)![1]!;
  assert.match(chart, new RegExp(`runAsUser: ${user}\\n`));
  for (const [name] of read("packaging/debian/default").matchAll(/HOLDFAST_\w+(?==)/g))
    assert.ok(["HOLDFAST_HOST", "HOLDFAST_ACCOUNTS_FILE"].includes(name), name);
});

test("versions are those of the package, and the compose file of one server is well-formed", () => {
  const { version } = JSON.parse(read("package.json")) as { version: string };
  const chart = parse(read("packaging/helm/holdfast/Chart.yaml")) as { version: string; appVersion: string };
  assert.deepEqual([chart.version, chart.appVersion], [version, version]);
  const { services } = parse(read("docs/examples/compose-single.yaml")) as {
    services: { holdfast: { ports: string[]; read_only: boolean } };
  };
  assert.equal(services.holdfast.read_only, true);
  assert.deepEqual(
    services.holdfast.ports.map((ports) => ports.split(":").at(-1)),
    ["10000", "10001", "10002", "10003", "10445"],
  );
});

const helm = thisSystem.has("helm");
test("helm accepts the chart with each kind of store", { skip: !helm && "helm is missing" }, () => {
  const chart = join(root, "packaging/helm/holdfast");
  const run = (...args: string[]) => spawnSync("helm", args, { encoding: "utf8" });
  const database = ["--set", "replicas=2,database.secretName=db,accountsSecretName=accounts"];
  for (const values of [[], database]) {
    const linted = run("lint", chart, ...values);
    assert.equal(linted.status, 0, linted.stdout + linted.stderr);
    const { status, stdout } = run("template", "storage", chart, ...values);
    assert.equal(status, 0);
    for (const document of stdout.split(/^---$/m)) parse(document);
  }
  assert.match(run("template", "storage", chart, "--set", "replicas=2").stderr, /need database\.secretName/);
});
