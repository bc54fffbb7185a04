import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, suite, test } from "node:test";
import { TableClient } from "@azure/data-tables";
import { BlobServiceClient } from "@azure/storage-blob";
import { ShareServiceClient } from "@azure/storage-file-share";
import { QueueServiceClient } from "@azure/storage-queue";
import { HTTPS_FLAGS } from "../kit/certificates.ts";
import { type Program, runProgram, startProgram } from "../kit/program.ts";
import { runProgram as runCommand } from "../kit/run-program.ts";

const root = mkdtempSync(join(tmpdir(), "holdfast-seed-"));
after(() => rmSync(root, { recursive: true, force: true }));
let files = 0;

function write(text: string): string {
  const path = join(root, `seed-${++files}.yaml`);
  writeFileSync(path, text);
  return path;
}

writeFileSync(join(root, "large.bin"), Buffer.alloc(5 * 1024 * 1024 + 7, 9));
const SEED = `
containers:
  - name: images
    publicAccess: blob
    metadata: { purpose: tests }
    policies: [{ id: readers, permissions: r, expiry: "2099-01-01" }]
    blobs:
      - { name: "folder/näme & more.txt", text: hello, contentType: text/plain, metadata: { colour: blue } }
      - { name: large, file: large.bin }
queues:
  - name: jobs
    messages: ["one <&>", { id: 2 }]
tables:
  - name: people
    entities:
      - { PartitionKey: team, RowKey: ada, Age: 36, Big: "9007199254740993", Big@odata.type: Edm.Int64 }
shares:
  - name: work
    quota: 5
    directories: [empty/deep]
    files:
      - { name: a/b/large, file: large.bin }
      - { name: note.txt, text: note }
`;

async function checkSeed({ connectionString, endpoints }: Pick<Program, "connectionString" | "endpoints">) {
  const images = BlobServiceClient.fromConnectionString(connectionString).getContainerClient("images");
  assert.deepEqual((await images.getProperties()).metadata, { purpose: "tests" });
  assert.equal((await images.getAccessPolicy()).signedIdentifiers[0]?.id, "readers");
  assert.equal((await images.getAccessPolicy()).blobPublicAccess, "blob");
  const hello = await images.getBlobClient("folder/näme & more.txt").getProperties();
  assert.deepEqual([hello.contentType, hello.metadata], ["text/plain", { colour: "blue" }]);
  assert.equal((await images.getBlobClient("large").getProperties()).contentLength, 5 * 1024 * 1024 + 7);
  const jobs = QueueServiceClient.fromConnectionString(connectionString).getQueueClient("jobs");
  const { peekedMessageItems } = await jobs.peekMessages({ numberOfMessages: 5 });
  assert.deepEqual(
    peekedMessageItems.map(({ messageText }) => messageText),
    ["one <&>", '{"id":2}'],
  );
  const people = TableClient.fromConnectionString(connectionString, "people", {
    allowInsecureConnection: true,
  });
  const ada = await people.getEntity("team", "ada");
  assert.deepEqual([ada.Age, ada.Big], [36, 9007199254740993n]);
  const work = ShareServiceClient.fromConnectionString(connectionString).getShareClient("work");
  assert.equal((await work.getProperties()).quota, 5);
  assert.equal(await work.getDirectoryClient("empty/deep").exists(), true);
  const large = await work.getDirectoryClient("a/b").getFileClient("large").downloadToBuffer();
  assert.ok(large.length === 5 * 1024 * 1024 + 7 && large.every((byte) => byte === 9));
  assert.ok(endpoints.blob !== "");
}

suite("--seed", () => {
  for (const [name, flags] of [
    ["one process", []],
    ["workers", ["--workers", "2"]],
  ] as const)
    test(`the server has all of it when it is ready, and a second start changes nothing: ${name}`, async () => {
      const all = ["--location", join(root, name), "--seed", write(SEED), ...flags];
      const first = await startProgram(all);
      await checkSeed(first);
      const images = BlobServiceClient.fromConnectionString(first.connectionString).getContainerClient(
        "images",
      );
      await images.getBlockBlobClient("large").upload("mine", 4);
      await images.getBlobClient("folder/näme & more.txt").delete();
      await first.stop();

      const second = await startProgram(all);
      const again = BlobServiceClient.fromConnectionString(second.connectionString).getContainerClient(
        "images",
      );
      assert.equal((await again.getBlobClient("large").downloadToBuffer()).toString(), "mine");
      assert.equal(await again.getBlobClient("folder/näme & more.txt").exists(), true, "it was missing");
      const jobs = QueueServiceClient.fromConnectionString(second.connectionString).getQueueClient("jobs");
      assert.equal((await jobs.getProperties()).approximateMessagesCount, 2);
      await second.stop();
    });

  test("over HTTPS, in JSON, for an account by name", async () => {
    const key = Buffer.alloc(32, 3).toString("base64");
    const seed = write(
      JSON.stringify({
        containers: [
          { name: "open", account: "second", publicAccess: "blob", blobs: [{ name: "b", text: "hello" }] },
        ],
      }),
    );
    const accounts = { HOLDFAST_ACCOUNTS: `first:${key};second:${key}` };
    const program = await startProgram(["--inMemory", "--seed", seed, ...HTTPS_FLAGS], accounts);
    const blob = `${program.endpoints.blob}/second/open/b`;
    const curl = await runCommand("curl", ["--silent", "--insecure", blob]);
    assert.deepEqual([curl.code, curl.output], [0, "hello"]);
    await program.stop();
    const again = await runProgram([
      "--inMemory",
      "--seed",
      write("queues: [{ name: jobs, account: third }]"),
    ]);
    assert.match(again.stderr, /--seed: there is no account third/);
  });

  test("a wrong file or a refused request ends the start with one line", async () => {
    for (const [text, expected] of [
      ["containers: [{ blobs: [] }]", /--seed: containers 1: expected name/],
      ["containers: [{ name: c, colour: red }]", /--seed: containers c: there is no field colour/],
      ["queue: []", /--seed: the file: there is no field queue/],
      ["containers: [{ name: c, blobs: [{ name: b }] }]", /blobs b: expected text or file/],
      ["containers: [", /--seed: cannot read /],
      ["containers: [{ name: UPPER }]", /--seed: PUT devstoreaccount1\/UPPER got 400: .*InvalidResourceName/],
      ["containers: [{ name: ccc, blobs: [{ name: b, file: gone }] }]", /gone/],
    ] as const) {
      const free = ["blob", "queue", "table", "file", "admin", "smb"].flatMap((n) => [`--${n}Port`, "0"]);
      const { code, stderr } = await runProgram(["--inMemory", ...free, "--seed", write(text)]);
      assert.ok(code === 1 || code === 2, String(code));
      assert.match(stderr, expected);
    }
  });
});
