import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { monotonic } from "../../src/base/clock.ts";
import { addNode, DEBOOTSTRAP, makeRootfs, missingFor, must, REPOSITORY } from "../support/debian-rootfs.ts";
import type { Proof } from "../support/proof.ts";
import { smoke } from "../support/smoke.ts";

const NEEDED = [
  DEBOOTSTRAP,
  { program: "buildah", pack: "buildah", why: "builds the image" },
  { program: "podman", pack: "podman", why: "runs the image" },
  { program: "runc", pack: "runc", why: "starts its containers" },
];
const IMAGE_BYTES_MAX = 250_000_000;
const FREE = ["blob", "queue", "table", "file", "smb"].flatMap((name) => [`--${name}Port`, "0"]);
const IMAGE = "localhost/holdfast";

/** The image from the Dockerfile, over a Debian made here: no registry, no engine daemon. */
export const proof: Proof = {
  name: "install-image",
  what: "the container image serves as a user without privileges, on a read-only root, in Azurite's place",
  minutes: 6,
  async run({ directory, progress }) {
    const missing = missingFor(NEEDED);
    if (missing !== undefined) return missing;
    const rootfs = join(directory, "rootfs");
    const store = ["--root", join(directory, "images"), "--runroot", join(directory, "run")];
    const engine = [...store, "--storage-driver", "vfs"];
    const buildah = (...args: string[]): string => must("buildah", [...engine, ...args], REPOSITORY).trim();
    const running = [...engine, "--runtime", "runc", "--cgroup-manager", "cgroupfs"];
    const podman = (...args: string[]): string => must("podman", [...running, ...args]);

    // The defaults of both programs may be more than the machine allows.
    const descriptors = `nofile=${must("sh", ["-c", "echo $(ulimit -Hn):$(ulimit -Hn)"]).trim()}`;

    progress("a Debian");
    makeRootfs(rootfs);
    const commit = (name: string): void => {
      const container = buildah("from", "scratch");
      buildah("add", "--quiet", container, rootfs, "/");
      buildah("config", "--env", "NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt", container);
      buildah("commit", "--quiet", "--rm", container, name);
    };
    commit("localhost/debian");
    addNode(rootfs);
    commit("localhost/node");

    progress("the image");
    const bases = ["NODE_IMAGE=localhost/node", "BASE_IMAGE=localhost/debian"];
    const build = ["--isolation", "chroot", "--network", "host", "--ulimit", descriptors];
    const args = bases.flatMap((base) => ["--build-arg", base]);
    buildah("build", "--quiet", "--format", "docker", ...build, ...args, "--tag", IMAGE, REPOSITORY);
    const bytes = Number(podman("image", "inspect", "--format", "{{.Size}}", IMAGE));
    assert.ok(bytes <= IMAGE_BYTES_MAX, `the image has ${bytes} bytes`);

    const data = join(directory, "data");
    mkdirSync(data);
    must("chown", ["1000:1000", data]);
    const safe = ["--read-only", "--cap-drop", "ALL", "--security-opt", "no-new-privileges"];
    // Explicit limits: the defaults may be more than the machine allows. Without systemd there are no timers.
    const limits = ["nofile=1024:1024", "nproc=1024:1024"].flatMap((limit) => ["--ulimit", limit]);
    const place = ["--network", "host", "--health-interval", "disable", ...limits];
    const start = (name: string, options: string[], command: string[]): ChildProcess => {
      const all = ["run", "--rm", "--name", name, ...safe, ...place, "-v", `${data}:/data`, ...options];
      return spawn("podman", [...running, ...all, IMAGE, ...command], {
        stdio: ["ignore", "pipe", "inherit"],
      });
    };

    progress("a container");
    const began = monotonic();
    const served = start("served", ["--env", "HOLDFAST_ADMIN_PORT=17204"], [...FREE, "--ready", "json"]);
    const ready = JSON.parse(await outputOf(served, /^\{.*\}\n/)) as { connectionString: string };
    const seconds = ((monotonic() - began) / 1_000).toFixed(1);
    await smoke(ready.connectionString);
    podman("healthcheck", "run", "served");
    assert.match(podman("exec", "served", "id"), /^uid=1000/);
    assert.equal(await stop(served, () => podman("stop", "--time", "20", "served")), 0);

    progress("in the place of Azurite");
    const hosts = ["--blobHost", "0.0.0.0", "--queueHost", "0.0.0.0", "--tableHost", "0.0.0.0"];
    const listening = /Table service is successfully listening at http:\/\/0\.0\.0\.0:\d+\n/;
    for (const [options, command, awaited] of [
      [[], ["azurite", ...hosts, "-l", "/data", ...FREE], listening],
      [["--entrypoint", "azurite"], [...hosts, "--inMemoryPersistence", ...FREE], listening],
      [[], ["azurite-blob", "--blobHost", "0.0.0.0", "--blobPort", "0"], /Blob service successfully listens/],
    ] as const) {
      const container = start("azurite", [...options], [...command, "--adminPort", "0"]);
      await outputOf(container, awaited);
      assert.equal(await stop(container, () => podman("stop", "--time", "20", "azurite")), 0);
    }
    const megabytes = Math.round(bytes / 1e6);
    return { ok: true, summary: `${megabytes} MB; serves ${seconds} s after podman run; 4 ways to start it` };
  },
};

async function outputOf(container: ChildProcess, awaited: RegExp): Promise<string> {
  let output = "";
  return new Promise((resolve, reject) => {
    container.stdout!.on("data", (chunk) => {
      output += chunk;
      if (awaited.test(output)) resolve(output);
    });
    container.once("exit", (code) => reject(new Error(`the container ended with ${code}: ${output}`)));
  });
}

async function stop(container: ChildProcess, order: () => void): Promise<unknown> {
  const ended = once(container, "exit");
  order();
  return (await ended)[0];
}
