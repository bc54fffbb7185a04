import assert from "node:assert/strict";
import { test } from "node:test";
import { all, onEachEngine } from "../kit/blob.ts";

const CLIENTS = 64;

/** How many got which answer. */
function countByOutcome(replies: readonly { readonly status: number; readonly code: string | undefined }[]) {
  const counts: Record<string, number> = {};
  for (const { status, code } of replies) {
    const key = code === undefined ? String(status) : `${status} ${code}`;
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
}

onEachEngine(`${CLIENTS} clients at once`, (kit) => {
  const race = (request: (client: number) => Parameters<typeof kit.raw>[0]) =>
    Promise.all(Array.from({ length: CLIENTS }, (_, client) => kit.raw(request(client))));

  test("one of them creates what none may overwrite", async () => {
    const container = await kit.container();
    for (const body of ["small", "x".repeat(20_000)]) {
      const path = `/${container.containerName}/created-${body.length}`;
      const replies = await race((client) => ({
        method: "PUT",
        path,
        headers: { "x-ms-blob-type": "BlockBlob", "If-None-Match": "*" },
        body: `${client}:${body}`,
      }));
      assert.deepEqual(countByOutcome(replies), { "201": 1, "409 BlobAlreadyExists": CLIENTS - 1 });
      const winner = replies.findIndex(({ status }) => status === 201);
      const found = await kit.raw({ path });
      assert.equal(found.text, `${winner}:${body}`);
      assert.equal(found.headers.etag, replies[winner]!.headers.etag);
    }
  });

  test("one of them changes what all have read, again and again", async () => {
    const container = await kit.container();
    const path = `/${container.containerName}/counter`;
    let etag = (await kit.raw({ method: "PUT", path, headers: { "x-ms-blob-type": "BlockBlob" }, body: "0" }))
      .headers.etag!;
    for (let round = 0; round < 5; round++) {
      const replies = await race((client) =>
        client % 2 === 0
          ? {
              method: "PUT",
              path,
              headers: { "x-ms-blob-type": "BlockBlob", "If-Match": etag },
              body: `${client}`,
            }
          : {
              method: "PUT",
              path,
              query: { comp: "metadata" },
              headers: { "x-ms-meta-c": `${client}`, "If-Match": etag },
            },
      );
      assert.equal(replies.filter(({ status }) => status < 300).length, 1);
      assert.equal(replies.filter(({ code }) => code === "ConditionNotMet").length, CLIENTS - 1);
      etag = replies.find(({ status }) => status < 300)!.headers.etag!;
      assert.equal((await kit.raw({ method: "HEAD", path })).headers.etag, etag);
    }
  });

  test("one of them gets the lease", async () => {
    const container = await kit.container();
    await container.uploadBlockBlob("leased", "x", 1);
    const lease = { "x-ms-lease-action": "acquire", "x-ms-lease-duration": "15" };
    const targets = [
      { path: `/${container.containerName}/leased`, query: { comp: "lease" } },
      { path: `/${container.containerName}`, query: { restype: "container", comp: "lease" } },
    ];
    for (const target of targets) {
      const replies = await race(() => ({ method: "PUT", ...target, headers: lease }));
      assert.deepEqual(countByOutcome(replies), { "201": 1, "409 LeaseAlreadyPresent": CLIENTS - 1 });
    }
  });

  test("one of them creates the container, one of them deletes it", async () => {
    const path = `/${kit.name()}`;
    const query = { restype: "container" };
    const created = await race(() => ({ method: "PUT", path, query }));
    assert.deepEqual(countByOutcome(created), { "201": 1, "409 ContainerAlreadyExists": CLIENTS - 1 });
    const deleted = await race(() => ({ method: "DELETE", path, query }));
    assert.deepEqual(countByOutcome(deleted), { "202": 1, "404 ContainerNotFound": CLIENTS - 1 });
  });

  test("blocks put side by side are all there", async () => {
    const container = await kit.container();
    const blob = container.getBlockBlobClient("together");
    const ids = Array.from({ length: CLIENTS }, (_, i) =>
      Buffer.from(String(i).padStart(4, "0")).toString("base64"),
    );
    const parts = ids.map((_, i) => Buffer.alloc(1_000 + i * 500, i));
    await Promise.all(ids.map((id, i) => blob.stageBlock(id, parts[i]!, parts[i]!.length)));
    await blob.commitBlockList(ids);
    assert.ok((await blob.downloadToBuffer()).equals(Buffer.concat(parts)));
  });

  test("the last writer wins, and what is read is always one writer's whole", async () => {
    const container = await kit.container();
    const path = `/${container.containerName}/last`;
    const size = 30_000;
    const put = (client: number) => ({
      method: "PUT",
      path,
      headers: { "x-ms-blob-type": "BlockBlob" },
      body: Buffer.alloc(size, client + 1),
    });
    await kit.raw(put(0));
    const replies = await race((client) => (client % 4 === 3 ? { path } : put(client)));
    for (const { status, body } of replies) {
      if (status !== 200) assert.equal(status, 201);
      else assert.ok(body.length === size && body.every((byte) => byte === body[0]));
    }
    const etags = new Set(replies.filter(({ status }) => status === 201).map(({ headers }) => headers.etag));
    assert.equal(etags.size, CLIENTS - CLIENTS / 4);
    assert.ok(etags.has((await kit.raw({ method: "HEAD", path })).headers.etag));
  });

  test("pages of a listing fit together while others write", async () => {
    const container = await kit.container();
    const steady = Array.from({ length: 60 }, (_, i) => `steady-${String(i).padStart(3, "0")}`);
    await Promise.all(steady.map((name) => container.uploadBlockBlob(name, "x", 1)));
    let isOver = false;
    const noise = (async () => {
      for (let i = 0; !isOver; i++) {
        const name = `steady-${String(i % 60).padStart(3, "0")}-noise`;
        await container.uploadBlockBlob(name, "y", 1);
        await container.deleteBlob(name);
      }
    })();
    for (let round = 0; round < 5; round++) {
      const names: string[] = [];
      for await (const page of container.listBlobsFlat().byPage({ maxPageSize: 7 })) {
        names.push(...page.segment.blobItems.map(({ name }) => name));
      }
      assert.deepEqual(
        names.filter((name) => !name.endsWith("noise")),
        steady,
      );
      assert.deepEqual(names, [...new Set(names)].sort());
    }
    isOver = true;
    await noise;
    assert.equal((await all(container.listBlobsFlat())).length, 60);
  });
});
