import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import {
  AccountSASPermissions,
  AccountSASResourceTypes,
  AnonymousCredential,
  BlobServiceClient,
  generateAccountSASQueryParameters,
  SASProtocol,
} from "@azure/storage-blob";
import { blobContext } from "../../src/services/blob/context.ts";
import { reclaimStep } from "../../src/services/blob/reclaim-garbage.ts";
import { prefixRange } from "../../src/store/keys/pack.ts";
import { all, type BlobKit, onEachEngine, readableUrl, refused } from "../kit/blob.ts";

async function indexed(kit: BlobKit): Promise<number> {
  return kit.server.runtime.parts.store.read(async (read) => {
    let count = 0;
    for await (const _ of read.range(prefixRange("bi\0"))) count++;
    return count;
  });
}

const deletionOf = (path: string, headers: Record<string, string>): string =>
  `--b\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\nContent-ID: 7\r\n\r\n` +
  `DELETE ${path} HTTP/1.1\r\n${Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("")}\r\n`;

onEachEngine("find blobs by tags", (kit) => {
  test("finds by one tag, by several, by ranges, in a container and in the account", async () => {
    const [one, two] = [await kit.container(), await kit.container()];
    const mark = kit.name();
    for (const container of [one, two]) {
      for (let i = 0; i < 6; i++) {
        const tags = {
          mark,
          number: String(i),
          parity: i % 2 === 0 ? "even" : "odd",
          "a b": "x'y".slice(0, 1),
        };
        await container.getBlockBlobClient(`blob-${i}`).upload("x", 1, { tags });
      }
    }
    const find = async (where: string, container?: typeof one): Promise<string[]> => {
      const found = await all((container ?? kit.service).findBlobsByTags(where));
      return found
        .map(({ containerName, name }) => `${containerName === one.containerName ? 1 : 2}${name.at(-1)}`)
        .sort();
    };
    assert.deepEqual(await find(`mark='${mark}' AND number='3'`), ["13", "23"]);
    assert.deepEqual(await find(`mark='${mark}' AND number >= '4'`, two), ["24", "25"]);
    assert.deepEqual(await find(`number > '1' AND number < '4' AND mark = '${mark}'`), [
      "12",
      "13",
      "22",
      "23",
    ]);
    assert.deepEqual(await find(`number > '1' AND number <= '4'`, one), ["12", "13", "14"]);
    assert.deepEqual(await find(`@container = '${one.containerName}' AND "parity" = 'odd'`), [
      "11",
      "13",
      "15",
    ]);
    assert.deepEqual(await find(`"a b" = 'x' AND parity = 'even' AND number < '1'`, two), ["20"]);
    assert.deepEqual(await find(`mark='${mark}' AND number = '9'`), []);
    assert.deepEqual(await find(`@container='nowhere-to-be' AND mark='${mark}'`), []);
    const [item] = await all(one.findBlobsByTags(`number='2'`));
    assert.deepEqual(
      [item?.name, item?.containerName, item?.tagValue, item?.tags],
      ["blob-2", one.containerName, "2", { number: "2" }],
    );
  });

  test("pages fit together", async () => {
    const container = await kit.container();
    await Promise.all(
      Array.from({ length: 25 }, (_, i) =>
        container
          .getBlockBlobClient(`b${String(i).padStart(2, "0")}`)
          .upload("x", 1, { tags: { k: `v${i % 3}` } }),
      ),
    );
    for (const where of ["k='v0'", "k>='v0'"]) {
      const names: string[] = [];
      let pages = 0;
      for await (const page of container.findBlobsByTags(where).byPage({ maxPageSize: 4 })) {
        pages++;
        assert.ok(page.blobs.length <= 4);
        names.push(...page.blobs.map(({ name }) => name));
      }
      const expected = where === "k='v0'" ? 9 : 25;
      assert.deepEqual(
        [names.length, new Set(names).size, pages],
        [expected, expected, Math.ceil(expected / 4)],
      );
    }
  });

  test("the index follows every change of a blob", async () => {
    const container = await kit.container();
    const blob = container.getBlockBlobClient("followed");
    const found = async (where: string): Promise<number> =>
      (await all(container.findBlobsByTags(where))).length;
    await blob.upload("x", 1, { tags: { state: "new" } });
    assert.equal(await found("state='new'"), 1);
    await blob.setTags({ state: "old", more: "1" });
    assert.deepEqual(
      [await found("state='new'"), await found("state='old'"), await found("more='1'")],
      [0, 1, 1],
    );
    const copy = container.getBlobClient("copy");
    await copy.syncCopyFromURL(await readableUrl(kit, blob), { copySourceTags: "COPY" });
    assert.equal(await found("state='old'"), 2);
    await blob.upload("y", 1);
    assert.equal(await found("state='old'"), 1);
    await copy.delete();
    assert.equal(await found("state='old'"), 0);
    const before = await indexed(kit);
    await blob.setTags({ gone: "1" });
    assert.equal(await indexed(kit), before + 1);
    await container.delete();
    const blobs = blobContext(kit.server.runtime.parts);
    for (let more = "more"; more === "more"; ) more = await reclaimStep(blobs);
    assert.equal(await indexed(kit), before);
  });

  test("a deleted container's blobs are not found in a new one of its name", async () => {
    const container = await kit.container();
    const mark = kit.name();
    await container.getBlockBlobClient("old").upload("x", 1, { tags: { mark } });
    await container.delete();
    await container.create();
    assert.deepEqual(await all(kit.service.findBlobsByTags(`mark='${mark}'`)), []);
  });

  test("what is not a query is refused", async () => {
    const container = await kit.container();
    const bad = [
      "a",
      "a=b",
      "a='b' OR c='d'",
      "a<>'b'",
      "(a='b')",
      "@container>'x' AND a='b'",
      "@container='xyz'",
      "a='b' AND",
      "a='b",
    ];
    for (const where of bad) {
      await assert.rejects(all(container.findBlobsByTags(where)), refused(400), where);
    }
    await assert.rejects(
      all(kit.service.getContainerClient("absent-one").findBlobsByTags("a='b'")),
      refused(404, "ContainerNotFound"),
    );
  });
});

onEachEngine("blob batches", (kit) => {
  test("deletes and tiers, each part with an answer of its own", async () => {
    const container = await kit.container();
    const client = kit.service.getBlobBatchClient();
    const names = Array.from({ length: 40 }, (_, i) => `dir/ä b-${i}`);
    await Promise.all(names.map((name) => container.getBlockBlobClient(name).upload("x", 1)));
    const urls = names.map((name) => container.getBlobClient(name).url);
    const tiered = await client.setBlobsAccessTier(urls, kit.credential, "Cool");
    assert.deepEqual([tiered.subResponsesSucceededCount, tiered.subResponsesFailedCount], [40, 0]);
    assert.equal((await container.getBlobClient(names[7]!).getProperties()).accessTier, "Cool");
    const leased = container.getBlobClient(names[3]!);
    await leased.getBlobLeaseClient().acquireLease(-1);
    const absent = container.getBlobClient("absent").url;
    const deleted = await client.deleteBlobs([...urls, absent], kit.credential);
    assert.deepEqual([deleted.subResponsesSucceededCount, deleted.subResponsesFailedCount], [39, 2]);
    const codes = deleted.subResponses.filter(({ errorCode }) => errorCode !== undefined);
    assert.deepEqual(
      codes.map(({ status, errorCode }) => `${status} ${errorCode}`),
      ["412 LeaseIdMissing", "404 BlobNotFound"],
    );
    assert.match(codes[1]!.bodyAsText!, /<Code>BlobNotFound<\/Code>/);
    assert.deepEqual(
      (await all(container.listBlobsFlat())).map(({ name }) => name),
      [names[3]],
    );
  });

  test("a container's batch keeps to the container", async () => {
    const [one, two] = [await kit.container(), await kit.container()];
    for (const container of [one, two]) await container.getBlockBlobClient("b").upload("x", 1);
    const client = one.getBlobBatchClient();
    const both = [one.containerName, two.containerName];
    const reply = await kit.raw({
      method: "POST",
      path: `/${one.containerName}`,
      query: { restype: "container", comp: "batch" },
      headers: { "content-type": "multipart/mixed; boundary=b" },
      body: `${both.map((name) => deletionOf(`/${name}/b`, {})).join("")}--b--`,
    });
    assert.equal(reply.status, 202);
    assert.deepEqual(reply.text.match(/^HTTP\/1\.1 \d+/gm), ["HTTP/1.1 400"]);
    assert.match(reply.text, /x-ms-error-code: InvalidInput/);
    assert.equal((await all(one.listBlobsFlat())).length, 1);
    const done = await client.deleteBlobs([one.getBlobClient("b").url], kit.credential);
    assert.equal(done._response.status, 202);
    assert.equal((await all(one.listBlobsFlat())).length, 0);
  });

  test("a part has the permissions of its own sender, not of the sender of the batch", async () => {
    const container = await kit.container();
    await container.getBlockBlobClient("b").upload("x", 1);
    const sas = (letters: string): string =>
      generateAccountSASQueryParameters(
        {
          expiresOn: new Date(kit.server.clock.now() + 3_600_000),
          permissions: AccountSASPermissions.parse(letters),
          resourceTypes: AccountSASResourceTypes.parse("sco").toString(),
          services: "b",
          protocol: SASProtocol.HttpsAndHttp,
        },
        kit.credential,
      ).toString();
    const url = `${kit.server.endpoints.blob}/${kit.server.account}`;
    const attempt = async (letters: string): Promise<string> => {
      const service = new BlobServiceClient(`${url}?${sas(letters)}`, new AnonymousCredential());
      const target = service.getContainerClient(container.containerName).getBlobClient("b").url;
      const { subResponses } = await service
        .getBlobBatchClient()
        .deleteBlobs([target], new AnonymousCredential());
      return `${subResponses[0]!.status} ${subResponses[0]!.errorCode}`;
    };
    assert.equal(await attempt("rw"), "403 AuthorizationPermissionMismatch");
    assert.equal(await attempt("d"), "202 undefined");
  });

  test("paths of parts may leave the account out, and unsigned parts are refused one by one", async () => {
    const container = await kit.container();
    for (const name of ["a", "b"]) await container.getBlockBlobClient(name).upload("x", 1);
    const date = new Date(kit.server.clock.now()).toUTCString();
    const path = `/${container.containerName}/a`;
    const text = `DELETE\n\n\n\n\n\n\n\n\n\n\n\nx-ms-date:${date}\n/${kit.server.account}${path}`;
    const signature = createHmac("sha256", Buffer.from(kit.server.key, "base64"))
      .update(text)
      .digest("base64");
    const signed = { "x-ms-date": date, Authorization: `SharedKey ${kit.server.account}:${signature}` };
    const body = `${deletionOf(path, signed)}${deletionOf(`/${container.containerName}/b`, {})}--b--`;
    const headers = { "content-type": "multipart/mixed; boundary=b" };
    const reply = await kit.raw({ method: "POST", path: "/", query: { comp: "batch" }, headers, body });
    assert.equal(reply.status, 202, reply.text);
    assert.match(reply.text, /Content-ID: 7\r\n\r\nHTTP\/1.1 202 Accepted/);
    assert.match(
      reply.text,
      /HTTP\/1.1 401 Server failed to authenticate[^\r]*\r\nx-ms-error-code: NoAuthenticationInformation/,
    );
    assert.deepEqual(
      (await all(container.listBlobsFlat())).map(({ name }) => name),
      ["b"],
    );
  });

  test("what is no batch is refused as a whole", async () => {
    const container = await kit.container();
    const send = async (body: string, type = "multipart/mixed; boundary=b"): Promise<string> => {
      const request = {
        method: "POST",
        path: "/",
        query: { comp: "batch" },
        headers: { "content-type": type },
        body,
      };
      const { status, code } = await kit.raw(request);
      return `${status} ${code}`;
    };
    const path = `/${container.containerName}/x`;
    assert.equal(await send("--b--\r\n"), "400 InvalidInput");
    assert.equal(await send("nothing"), "400 InvalidInput");
    assert.equal(await send(`${deletionOf(path, {})}--b--`, "text/plain"), "400 InvalidInput");
    const put = deletionOf(path, {}).replace("DELETE", "PUT");
    assert.equal(await send(`${put}--b--`), "400 InvalidInput");
  });

  test("too many parts, or parts of two kinds, are refused in one part that stands for all", async () => {
    const container = await kit.container();
    await container.getBlockBlobClient("x").upload("x", 1);
    const path = `/${container.containerName}/x`;
    const deletion = deletionOf(path, {});
    const tier = deletionOf(`${path}?comp=tier`, {}).replace("DELETE", "PUT");
    const cases: [string, string][] = [
      [deletion.repeat(257), "ExceedsMaxBatchRequestCount"],
      [`${deletion}${tier}`, "AllBatchSubRequestsShouldBeSameApi"],
    ];
    for (const [parts, code] of cases) {
      const reply = await kit.raw({
        method: "POST",
        path: "/",
        query: { comp: "batch" },
        headers: { "content-type": "multipart/mixed; boundary=b" },
        body: `${parts}--b--`,
      });
      assert.equal(reply.status, 202, reply.text);
      assert.equal(reply.text.split("HTTP/1.1 400 ").length, 2, reply.text);
      assert.ok(reply.text.includes(`x-ms-error-code: ${code}\r\n`), reply.text);
      assert.ok(reply.text.includes(`<Code>${code}</Code>`), reply.text);
      assert.doesNotMatch(reply.text, /Content-ID/);
    }
    assert.equal((await all(container.listBlobsFlat())).length, 1);
  });
});
