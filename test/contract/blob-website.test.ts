import assert from "node:assert/strict";
import { type IncomingHttpHeaders, request } from "node:http";
import { test } from "node:test";
import { type BlobKit, onEachEngine, refused } from "../kit/blob.ts";

interface Page {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** What a browser would send; the name stands in the Host header only, so that nothing is looked up. */
function browse(
  kit: BlobKit,
  path: string,
  options: { method?: string; headers?: Record<string, string> } = {},
): Promise<Page> {
  const { port } = new URL(kit.server.endpoints.blob);
  const host = `${kit.server.account}.web.localhost:${port}`;
  return new Promise((resolve, reject) => {
    const { method = "GET", headers = {} } = options;
    const message = request(
      { host: "127.0.0.1", port, path, method, headers: { host, ...headers } },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text: Buffer.concat(chunks).toString(),
          }),
        );
      },
    );
    message.on("error", reject);
    message.end();
  });
}

onEachEngine("static website", (kit) => {
  test("there is none until the account says so", async () => {
    const page = await browse(kit, "/");
    assert.deepEqual([page.status, page.headers["x-ms-error-code"]], [404, "WebContentNotFound"]);
  });

  test("serves pages, index documents and the error document to anybody", async () => {
    await kit.service.setProperties({
      staticWebsite: { enabled: true, indexDocument: "index.html", errorDocument404Path: "errors/404.html" },
    });
    // The container comes with the website, and stays as it is when the rules are set again.
    const web = kit.service.getContainerClient("$web");
    await web.setMetadata({ site: "ours" });
    await kit.service.setProperties({
      staticWebsite: { enabled: true, indexDocument: "index.html", errorDocument404Path: "errors/404.html" },
    });
    assert.deepEqual((await web.getProperties()).metadata, { site: "ours" });
    await assert.rejects(web.create(), refused(409, "ContainerAlreadyExists"));
    const put = (name: string, text: string): Promise<unknown> =>
      web
        .getBlockBlobClient(name)
        .upload(text, text.length, { blobHTTPHeaders: { blobContentType: "text/html" } });
    await put("index.html", "home");
    await put("docs/index.html", "docs");
    await put("docs/a page.html", "page");
    await put("errors/404.html", "nothing here");
    for (const [path, text] of [
      ["/", "home"],
      ["/index.html", "home"],
      ["/docs/", "docs"],
      ["/docs/a%20page.html?comp=list&restype=container", "page"],
    ]) {
      const page = await browse(kit, path!);
      assert.deepEqual([page.status, page.text, page.headers["content-type"]], [200, text, "text/html"]);
    }
    const absent = await browse(kit, "/none.html", { headers: { range: "bytes=0-3" } });
    assert.deepEqual(
      [absent.status, absent.text, absent.headers["content-type"]],
      [404, "nothing here", "text/html"],
    );
    const head = await browse(kit, "/docs/", { method: "HEAD" });
    assert.deepEqual([head.status, head.headers["content-length"], head.text], [200, "4", ""]);
    const part = await browse(kit, "/", { headers: { range: "bytes=1-2" } });
    assert.deepEqual([part.status, part.text], [206, "om"]);
    const etag = head.headers.etag!;
    const unchanged = await browse(kit, "/docs/", { headers: { "if-none-match": etag } });
    assert.equal(unchanged.status, 304);
  });

  test("nothing but reading is possible there, and nothing but $web is shown", async () => {
    for (const method of ["PUT", "DELETE", "POST"]) {
      const page = await browse(kit, "/index.html", { method });
      assert.deepEqual([page.status, page.headers["x-ms-error-code"]], [405, "UnsupportedHttpVerb"]);
    }
    const container = await kit.container();
    await container.getBlockBlobClient("secret").upload("secret", 6);
    const page = await browse(kit, `/../${container.containerName}/secret`);
    assert.deepEqual([page.status, page.text], [404, "nothing here"]);
    await kit.service.setProperties({ staticWebsite: { enabled: false } });
    assert.equal((await browse(kit, "/index.html")).status, 404);
  });
});
