import assert from "node:assert/strict";
import { test } from "node:test";
import { type ContainerClient, ContainerSASPermissions } from "@azure/storage-blob";
import { type Table, tableFromIPC } from "apache-arrow";
import { onEachEngine } from "../kit/blob.ts";

const ARROW_STREAM = "application/vnd.apache.arrow.stream";

onEachEngine("List Blobs as Arrow", (kit) => {
  async function list(
    container: ContainerClient,
    query: Record<string, string>,
    version = "2026-10-06",
  ): Promise<Response> {
    const url = new URL(
      await container.generateSasUrl({
        permissions: ContainerSASPermissions.parse("rlt"),
        expiresOn: new Date("2099-01-01"),
      }),
    );
    for (const [name, value] of Object.entries({ restype: "container", comp: "list", ...query })) {
      url.searchParams.set(name, value);
    }
    const reply = await fetch(url, {
      headers: { accept: `${ARROW_STREAM},application/xml`, "x-ms-version": version },
    });
    assert.equal(reply.status, 200);
    return reply;
  }

  async function table(container: ContainerClient, query: Record<string, string> = {}): Promise<Table> {
    const reply = await list(container, query);
    assert.equal(reply.headers.get("content-type"), ARROW_STREAM);
    return tableFromIPC(new Uint8Array(await reply.arrayBuffer()));
  }

  test("a row for each blob, with the values of the XML listing", async () => {
    const container = await kit.container();
    const blob = container.getBlockBlobClient("a b&é");
    await blob.upload("four", 4, {
      blobHTTPHeaders: { blobContentType: "text/plain" },
      metadata: { one: "1", two: "zwei" },
    });
    await container.getPageBlobClient("page").create(512, { blobSequenceNumber: 7 });
    await container.getBlockBlobClient("folder/x").upload("", 0);
    const { etag, lastModified, createdOn } = await blob.getProperties();
    const [first, folder, page, ...rest] = (
      await table(container, { include: "metadata", delimiter: "/" })
    ).toArray();
    assert.equal(rest.length, 0);
    assert.deepEqual(
      [
        first.ResourceType,
        first.Name,
        first.Etag,
        first["Content-Length"],
        first["Content-Type"],
        first.BlobType,
      ],
      ["blob", "a b&é", etag!.replaceAll('"', ""), 4n, "text/plain", "BlockBlob"],
    );
    assert.equal(first["Last-Modified"], lastModified!.getTime());
    assert.equal(first["Creation-Time"], createdOn!.getTime());
    assert.deepEqual(
      [first.AccessTier, first.AccessTierInferred, first.ServerEncrypted],
      ["Hot", true, true],
    );
    assert.deepEqual([first["Content-Encoding"], first.Snapshot, first.Deleted], [null, null, null]);
    assert.deepEqual(first.Metadata.toJSON(), { one: "1", two: "zwei" });
    assert.deepEqual([folder.ResourceType, folder.Name, folder.Etag], ["blobprefix", "folder/", null]);
    assert.deepEqual([page.Name, page["x-ms-blob-sequence-number"], page.AccessTier], ["page", 7n, null]);
  });

  test("the marker is in the metadata of the schema", async () => {
    const container = await kit.container();
    const names = ["a", "b", "c"];
    for (const name of names) await container.getBlockBlobClient(name).upload("", 0);
    const first = await table(container, { maxresults: "2" });
    assert.deepEqual([...first.getChild("Name")!], ["a", "b"]);
    const marker = first.schema.metadata.get("NextMarker")!;
    const second = await table(container, { maxresults: "2", marker });
    assert.deepEqual([...second.getChild("Name")!], ["c"]);
    assert.equal(second.schema.metadata.get("NextMarker"), undefined);
    assert.equal((await table(container, { prefix: "nothing" })).numRows, 0);
  });

  test("tags are a map, and a long page has every row", async () => {
    const container = await kit.container();
    const names = Array.from({ length: 1_100 }, (_, i) => `blob-${String(i).padStart(4, "0")}`);
    for (let i = 0; i < names.length; i += 50) {
      const some = names.slice(i, i + 50);
      await Promise.all(some.map((name) => container.getBlockBlobClient(name).upload("", 0)));
    }
    await container.getBlockBlobClient(names[0]!).setTags({ key: "value", other: "" });
    const rows = await table(container, { include: "tags" });
    assert.deepEqual([...rows.getChild("Name")!], names);
    assert.deepEqual([rows.get(0)!.Tags.toJSON(), rows.get(1)!.Tags], [{ key: "value", other: "" }, null]);
  });

  test("versions without the format, and clients that do not ask for it, get XML", async () => {
    const container = await kit.container();
    const older = await list(container, {}, "2026-06-06");
    assert.equal(older.headers.get("content-type"), "application/xml");
    await older.text();
  });
});
