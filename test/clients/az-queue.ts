import assert from "node:assert/strict";
import type { TestServer } from "../kit/server.ts";
import { azFor } from "./az.ts";

interface Message {
  readonly id: string;
  readonly content: string;
  readonly popReceipt: string;
  readonly dequeueCount: number;
}

/**
 * `az storage queue` and `az storage message`, command by command, as a script of the shell would use them.
 */
export async function azStorageQueue(
  server: TestServer,
  directory: string,
  progress: (text: string) => void,
): Promise<string> {
  const az = azFor(server, directory, progress);
  const on = ["--queue-name", "az-work"];
  const named = ["--name", "az-work"];
  const exists = async (): Promise<boolean> =>
    (await az<{ exists: boolean }>("queue", "exists", ...named)).exists;

  assert.deepEqual(await az("queue", "create", ...named, "--metadata", "a=b"), { created: true });
  assert.equal(await exists(), true);
  assert.deepEqual(
    (await az<{ name: string }[]>("queue", "list", "--prefix", "az-")).map(({ name }) => name),
    ["az-work"],
  );
  await az("queue", "metadata", "update", ...named, "--metadata", "c=d", "e=f");
  assert.deepEqual(await az("queue", "metadata", "show", ...named), { c: "d", e: "f" });
  await az("queue", "policy", "create", "--name", "readers", ...on, "--permissions", "raup");
  assert.deepEqual(Object.keys(await az<object>("queue", "policy", "list", ...on)), ["readers"]);
  await az("queue", "policy", "delete", "--name", "readers", ...on);

  for (const content of ["first <&> ü", "second"]) {
    await az("message", "put", ...on, "--content", content, "--time-to-live", "3600");
  }
  const peeked = await az<Message[]>("message", "peek", ...on, "--num-messages", "5");
  assert.deepEqual(
    peeked.map(({ content, dequeueCount }) => [content, dequeueCount]),
    [
      ["first <&> ü", 0],
      ["second", 0],
    ],
  );
  const [received] = await az<Message[]>("message", "get", ...on, "--visibility-timeout", "600");
  assert.equal(received?.content, "first <&> ü");
  const receipt = ["--id", received!.id, "--pop-receipt", received!.popReceipt];
  const changed = await az<Message>(
    "message",
    "update",
    ...on,
    ...receipt,
    "--content",
    "changed",
    "--visibility-timeout",
    "0",
  );
  assert.notEqual(changed.popReceipt, received!.popReceipt);
  const again = await az<Message[]>("message", "get", ...on, "--num-messages", "2");
  assert.deepEqual(again.map(({ content, dequeueCount }) => [content, dequeueCount]).sort(), [
    ["changed", 2],
    ["second", 1],
  ]);
  const done = again.find(({ content }) => content === "changed")!;
  await az("message", "delete", ...on, "--id", done.id, "--pop-receipt", done.popReceipt);
  await az("message", "clear", ...on);
  assert.deepEqual(await az("message", "peek", ...on, "--num-messages", "5"), []);

  const sas = await az<string>(
    "queue",
    "generate-sas",
    ...named,
    "--permissions",
    "ra",
    "--expiry",
    "2099-01-01T00:00Z",
  );
  assert.match(sas, /sig=/);
  assert.deepEqual(await az("queue", "delete", ...named), { deleted: true });
  assert.equal(await exists(), false);
  return `${az.count} commands`;
}
