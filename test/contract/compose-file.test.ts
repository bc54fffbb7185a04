import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { BlobServiceClient } from "@azure/storage-blob";
import { TestDatabase } from "../kit/postgres.ts";
import { runProgram as runHoldfast, startProgram } from "../kit/program.ts";

/**
 * The compose file of the operations guide, as far as it can be tried without a container engine: its
 * settings of PostgreSQL and its command line and variables of a member, started directly. Addresses are
 * replaced by loopback ones.
 */
const text = readFileSync(new URL("../../docs/examples/compose.yaml", import.meta.url), "utf8");
const commands = [...text.matchAll(/^\s+command: (\[.*\])$/gm)].map(
  ([, list]) => JSON.parse(list!) as string[],
);
const variable = (name: string): string => new RegExp(`^\\s+${name}: (.*)$`, "m").exec(text)![1]!;

test("every command line of the compose file starts, and two members serve the same data", async () => {
  const [database, member] = commands as [string[], string[]];
  assert.equal(commands.length, 2);
  assert.equal(database[0], "postgres");
  const settings = database.slice(1).filter((word) => word !== "-c");
  assert.ok(settings.length > 0 && settings.every((setting) => /^\w+=\d+$/.test(setting)));
  const server = await TestDatabase.create({ isForgetful: false, settings });
  const key = "c2VjcmV0";
  const env = {
    HOLDFAST_STORE: variable("HOLDFAST_STORE").replace("database:5432/holdfast", `${server.host}/postgres`),
    HOLDFAST_ACCOUNTS: `compose:${key}`,
  };
  assert.ok(env.HOLDFAST_STORE.includes(server.host));
  const flags = member.map((word) => (word === "0.0.0.0" ? "127.0.0.1" : word));
  const members = await Promise.all([0, 1].map(() => startProgram(flags, env)));
  try {
    const [one, two] = members.map(({ connectionString }) => {
      assert.match(connectionString, /AccountName=compose/);
      // Keys that are not well documented are not printed.
      const whole = connectionString.replace(/AccountKey=[^;]*/, `AccountKey=${key}`);
      return BlobServiceClient.fromConnectionString(whole).getContainerClient("shared");
    });
    await one!.create();
    await one!.getBlockBlobClient("b").upload("text", 4);
    assert.equal((await two!.getBlobClient("b").downloadToBuffer()).toString(), "text");
    for (const { ports } of members) assert.equal(await runHealthCheck(ports.admin), 0);
    assert.equal(await runHealthCheck(members[0]!.ports.blob), 1, "a check that cannot fail checks nothing");
  } finally {
    await Promise.all(members.map((program) => program.stop()));
    await server.remove();
  }
});

/** The health check of the image, as the container engine runs it; resolves with the exit code. */
async function runHealthCheck(adminPort: number): Promise<number> {
  const dockerfile = readFileSync(new URL("../../Dockerfile", import.meta.url), "utf8");
  const [program, ...args] = JSON.parse(/^HEALTHCHECK .* CMD (\[.*\])$/m.exec(dockerfile)![1]!) as string[];
  assert.equal(program, "holdfast");
  return (await runHoldfast(args, { HOLDFAST_ADMIN_PORT: String(adminPort) })).code ?? -1;
}

test("every port the compose file hands on is one a member listens to", () => {
  const inside = [...text.matchAll(/"\d+:(\d+)"/g)].map(([, port]) => Number(port));
  const documented = [10_000, 10_001, 10_002, 10_003, 10_445];
  assert.deepEqual([...new Set(inside)].sort(), documented);
});
