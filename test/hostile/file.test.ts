import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { createDirectory } from "../../src/services/file/directories.ts";
import { FILE_LIMITS } from "../../src/services/file/limits.ts";
import { collectAll, useFiles } from "../contract/file/kit.ts";

/** Names and paths as no friendly client would choose them. */
suite("hostile names and paths of files", () => {
  const kit = useFiles("memory");

  const put = (share: string, encoded: string, headers: Record<string, string> = {}) =>
    kit.raw({
      method: "PUT",
      path: `/${share}/${encoded}`,
      headers: { "x-ms-type": "file", "x-ms-content-length": "1", ...headers },
    });

  test("every legal character is kept, also those that XML and addresses must encode", async () => {
    const share = await kit.newShare();
    const names = [
      "a b",
      "100%",
      "%2F",
      "a+b&c=d;e,f",
      "#hash",
      "[brackets]{braces}(round)",
      "it's `quoted` ~ ^ ! @ $",
      "日本語 ไทย עברית",
      "😀.txt",
      "Straße",
      "ﬁ ligature",
      "a\u0300",
      "\u00e0",
      "İstanbul",
      " leading",
      "trailing ",
      "x".repeat(255),
      "é".repeat(255),
      "\u{1F600}".repeat(127),
      "nbsp\u00a0and\u2028line",
    ];
    for (const name of names) {
      const reply = await put(share.name, encodeURIComponent(name));
      assert.equal(reply.status, 201, `${name}: ${reply.body}`);
    }
    const listed = await collectAll(share.rootDirectoryClient.listFilesAndDirectories());
    assert.deepEqual(new Set(listed.map(({ name }) => name)), new Set(names));
    for (const name of names) await share.rootDirectoryClient.getFileClient(name).delete();
  });

  test("names that no file system of the protocol holds are refused", async () => {
    const share = await kit.newShare();
    for (const [encoded, code] of [
      ["a%3Ab", "InvalidResourceName"],
      ["a%2Ab", "InvalidResourceName"],
      ["a%3Fb", "InvalidResourceName"],
      ["a%22b", "InvalidResourceName"],
      ["a%3Cb", "InvalidResourceName"],
      ["a%3Eb", "InvalidResourceName"],
      ["a%7Cb", "InvalidResourceName"],
      ["a%00b", "InvalidResourceName"],
      ["a%1Fb", "InvalidResourceName"],
      ["a%C2%81b", "InvalidResourceName"],
      ["CON", "InvalidFileOrDirectoryPathName"],
      ["lpt1", "InvalidFileOrDirectoryPathName"],
      ["Clock$", "InvalidFileOrDirectoryPathName"],
      ["%2E%2E", "InvalidFileOrDirectoryPathName"],
      ["d/%2E%2E/x", "InvalidFileOrDirectoryPathName"],
      ["...", "InvalidFileOrDirectoryPathName"],
      ["x".repeat(256), "InvalidFileOrDirectoryPathName"],
      ["%FF", "InvalidUri"],
      ["a%zz", "InvalidUri"],
    ] as const) {
      const reply = await put(share.name, encoded);
      assert.deepEqual([reply.status, reply.code], [400, code], encoded);
    }
    assert.deepEqual(await collectAll(share.rootDirectoryClient.listFilesAndDirectories()), []);
  });

  test("paths are 2,048 characters and 250 levels at most", async () => {
    const share = await kit.newShare();
    const ref = { account: kit.server.account, share: share.name };
    const path: string[] = [];
    for (let level = 1; level < FILE_LIMITS.pathLevelsMax; level++) {
      path.push("d");
      await createDirectory(kit.files, { ref: { ...ref, path: [...path] }, requested: {} });
    }
    const deep = path.join("/");
    assert.equal((await put(share.name, `${deep}/f`)).status, 201);
    assert.equal((await kit.raw({ method: "HEAD", path: `/${share.name}/${deep}/F` })).status, 200);
    const deeper = await put(share.name, `${deep}/d/f`);
    assert.equal(deeper.code, "InvalidFileOrDirectoryPathName");
    const long = "x".repeat(250);
    const names = Array.from({ length: 8 }, () => long);
    for (let i = 1; i <= names.length; i++) {
      await createDirectory(kit.files, { ref: { ...ref, path: names.slice(0, i) }, requested: {} });
    }
    const room = FILE_LIMITS.pathCharsMax - names.join("/").length - 1;
    assert.equal((await put(share.name, `${names.join("/")}/${"y".repeat(room)}`)).status, 201);
    const longer = await put(share.name, `${names.join("/")}/${"y".repeat(room + 1)}`);
    assert.equal(longer.code, "InvalidFileOrDirectoryPathName");
  });

  test("dots at the end of a name are cut off, or kept where the client asks for them", async () => {
    const share = await kit.newShare();
    assert.equal((await put(share.name, "report...")).status, 201);
    await share.rootDirectoryClient.getFileClient("report").getProperties();
    const keep = { "x-ms-allow-trailing-dot": "true" };
    assert.equal((await put(share.name, "report.", keep)).status, 201);
    const names = (await collectAll(share.rootDirectoryClient.listFilesAndDirectories())).map(
      ({ name }) => name,
    );
    assert.deepEqual(names, ["report", "report."]);
    const path = `/${share.name}/report.`;
    assert.equal((await kit.raw({ method: "DELETE", path, headers: keep })).status, 202);
    assert.equal((await kit.raw({ method: "DELETE", path, headers: keep })).status, 404);
    assert.equal((await kit.raw({ method: "DELETE", path })).status, 202);
    const wrong = await put(share.name, "x.", { "x-ms-allow-trailing-dot": "perhaps" });
    assert.equal(wrong.code, "InvalidHeaderValue");
  });

  test("an encoded slash separates names like a plain one, and many slashes are as good as one", async () => {
    const share = await kit.newShare();
    const directory = { restype: "directory" };
    assert.equal((await kit.raw({ method: "PUT", path: `/${share.name}/d`, query: directory })).status, 201);
    assert.equal(
      (await kit.raw({ method: "PUT", path: `/${share.name}/d%2Fe`, query: directory })).status,
      201,
    );
    assert.equal((await put(share.name, "d%2Fe%2Ff")).status, 201);
    assert.equal((await kit.raw({ method: "HEAD", path: `/${share.name}/d/e/f` })).status, 200);
    assert.equal((await kit.raw({ method: "HEAD", path: `/${share.name}//d//e/f` })).status, 200);
  });

  test("markers of another listing, and made-up ones, are refused", async () => {
    const share = await kit.newShare();
    for (const name of ["a", "b", "c"]) await share.rootDirectoryClient.getFileClient(name).create(1);
    const list = (marker: string) =>
      kit.raw({
        method: "GET",
        path: `/${share.name}`,
        query: { restype: "directory", comp: "list", maxresults: "1", marker },
      });
    const first = await list("");
    const next = /<NextMarker>(.*)<\/NextMarker>/.exec(first.body)![1]!;
    assert.match((await list(next)).body, /<Name>b<\/Name>/);
    assert.equal((await list(`${next}x`)).code, "OutOfRangeInput");
    assert.equal((await list("AAAA")).code, "OutOfRangeInput");
    const handles = await kit.raw({
      method: "GET",
      path: `/${share.name}/a`,
      query: { comp: "listhandles", marker: next },
    });
    assert.equal(handles.code, "OutOfRangeInput");
  });

  test("requests that name no operation are told so", async () => {
    const share = await kit.newShare();
    for (const [method, path, query, code] of [
      ["GET", `/${share.name}`, {}, "InvalidUri"],
      ["PATCH", `/${share.name}/f`, {}, "UnsupportedHttpVerb"],
      ["GET", `/${share.name}/f`, { comp: "nonsense" }, "InvalidQueryParameterValue"],
      ["PUT", `/${share.name}/f`, { restype: "symboliclink" }, "UnsupportedQueryParameter"],
      ["PUT", `/${share.name}/f`, { restype: "hardlink" }, "UnsupportedQueryParameter"],
      ["GET", `/${share.name}/f`, { sharesnapshot: "noon" }, "InvalidQueryParameterValue"],
    ] as const) {
      const reply = await kit.raw({ method, path, query: { ...query } as never });
      assert.equal(reply.code, code, `${method} ${path} ${JSON.stringify(query)}`);
    }
  });
});
