import { ConfigError } from "../../src/base/config-error.ts";
import { readCommandLine } from "../../src/process/options.ts";
import { HTTPS_FLAGS } from "../kit/certificates.ts";
import type { Ledger } from "./ledger.ts";

/** Settings that would let everybody in, from the network: the server must not start with them. */
export function breakInByConfiguration(ledger: Ledger): void {
  const oauth = [...HTTPS_FLAGS, "--oauth", "basic"];
  const attempts: [string[], Record<string, string>][] = [];
  for (const host of [
    "0.0.0.0",
    "::",
    "[::]",
    "192.168.1.2",
    "box.example",
    "128.0.0.1",
    "::2",
    "10.127.0.1",
  ]) {
    attempts.push([[...oauth, "--host", host], {}], [[...oauth], { HOLDFAST_HOST: host }]);
    for (const name of ["blob", "queue", "table", "file"]) {
      attempts.push([[...oauth, `--${name}Host`, host], {}]);
      attempts.push([[...oauth, "--host", "127.0.0.1", `--${name}Host`, host], {}]);
    }
    attempts.push([[...HTTPS_FLAGS, "--host", host], { HOLDFAST_OAUTH: "basic" }]);
    attempts.push([[...oauth, "--host", host], { HOLDFAST_UNSAFE_OAUTH: "false" }]);
  }
  for (const [argv, env] of attempts) {
    let isRefused = false;
    try {
      readCommandLine({ argv, env, cwd: "/", version: "test" });
    } catch (error) {
      isRefused = error instanceof ConfigError && error.exitCode === 1;
    }
    ledger.count("tokens nobody verifies, from the network", !isRefused, `${argv} ${JSON.stringify(env)}`);
  }
  for (const host of ["127.0.0.1", "localhost", "::1"]) {
    const { kind } = readCommandLine({
      argv: [...oauth, "--host", host],
      env: {},
      cwd: "/",
      version: "test",
    });
    if (kind === "serve") ledger.live++;
  }
}
