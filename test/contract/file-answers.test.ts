import assert from "node:assert/strict";
import { suite, test } from "node:test";
import {
  FileSASPermissions,
  generateFileSASQueryParameters,
  ShareFileClient,
  StorageSharedKeyCredential,
} from "@azure/storage-file-share";
import { FILE_LIMITS } from "../../src/services/file/limits.ts";
import { ENGINES } from "../kit/server.ts";
import { collectAll, refused, sample, useFiles, withAccountSas } from "./file/kit.ts";

/**
 * What clients read out of replies: a field that never comes, or comes otherwise, breaks programs quietly.
 */
for (const engine of ENGINES) {
  suite(`what clients read of file replies over ${engine}`, () => {
    const kit = useFiles(engine);
    const listed = async (name: string) => {
      const shares = await collectAll(kit.client.listShares({ prefix: name }));
      return shares.find((share) => share.name === name)!.properties;
    };

    test("a share lists its encryption scope, and its protocols only where it is premium", async () => {
      const list = async (prefix: string) =>
        (await kit.raw({ method: "GET", path: "/", query: { comp: "list", prefix } })).body;
      const share = await kit.newShare();
      const scope =
        "<DefaultEncryptionScope>$account-encryption-key</DefaultEncryptionScope>" +
        "<DenyEncryptionScopeOverride>false</DenyEncryptionScopeOverride>";
      const standard = await list(share.name);
      assert.ok(standard.includes(scope), standard);
      assert.doesNotMatch(standard, /EnabledProtocols/);
      assert.equal((await share.getProperties()).protocols, undefined);
      await kit.client.getShareClient("premium-listed").create({ accessTier: "Premium" });
      assert.match(await list("premium-listed"), /<EnabledProtocols>SMB<.*<AccessTier>Premium</);
    });

    test("the root of a share has an ETag of its own, and a permission that is not shown", async () => {
      const share = await kit.newShare();
      const root = await share.rootDirectoryClient.getProperties();
      assert.notEqual(root.etag, (await share.getProperties()).etag);
      assert.equal(root.filePermissionKey, undefined);
      const { filePermissionKey } = await share.rootDirectoryClient.getDirectoryClient("d").create();
      const { permission } = await share.getPermission(filePermissionKey!);
      assert.match(permission, /^O:SYG:SYD:\(A;OICI;FA;;;BA\)\(A;OICI;FA;;;SY\)/);
    });

    test("a share that gets another tier says from which, for a while", async () => {
      const share = kit.client.getShareClient("moving-share");
      await share.create({ accessTier: "Hot" });
      assert.equal((await share.getProperties()).accessTierTransitionState, undefined);
      await share.setProperties({ accessTier: "Cool" });
      assert.equal((await share.getProperties()).accessTierTransitionState, "pending-from-hot");
      assert.equal((await listed(share.name)).accessTierTransitionState, "pending-from-hot");
      await share.setProperties({ accessTier: "TransactionOptimized" });
      await share.setProperties({ accessTier: "TransactionOptimized", quotaInGB: 3 });
      assert.equal((await share.getProperties()).accessTierTransitionState, "pending-from-cool");
      await share.setProperties({ accessTier: "Hot" });
      const { accessTierTransitionState } = await share.getProperties();
      assert.equal(accessTierTransitionState, "pending-from-transactionOptimized");
      kit.server.clock.advance(FILE_LIMITS.tierTransitionMillis);
      assert.equal((await share.getProperties()).accessTierTransitionState, undefined);
      assert.equal((await listed(share.name)).accessTierTransitionState, undefined);
      await share.delete();
    });

    test("a provisioned share reports its performance, its burst limits, and when it may be lowered", async () => {
      const share = kit.client.getShareClient("premium-share");
      const made = await share.create({
        accessTier: "Premium",
        quota: 100,
        paidBurstingEnabled: true,
        paidBurstingMaxIops: 5_000,
        paidBurstingMaxBandwidthMibps: 1_000,
      });
      const expected = { provisionedIops: 3_100, includedBurstIops: 10_000 };
      assert.equal(made.shareProvisionedIops, expected.provisionedIops);
      assert.equal(made.shareIncludedBurstIops, expected.includedBurstIops);
      const got = await share.getProperties();
      assert.equal(got.provisionedIops, 3_100);
      assert.equal(got.provisionedIngressMBps, 44);
      assert.equal(got.provisionedEgressMBps, 66);
      assert.equal(got.provisionedBandwidthMibps, 110);
      assert.equal(got.includedBurstIops, 10_000);
      assert.equal(got.maxBurstCreditsForIops, (10_000 - 3_100) * 3_600);
      assert.ok(got.nextAllowedQuotaDowngradeTime instanceof Date);
      assert.ok(got.nextAllowedProvisionedIopsDowngradeTime instanceof Date);
      assert.ok(got.nextAllowedProvisionedBandwidthDowngradeTime instanceof Date);
      const line = await listed(share.name);
      assert.equal(line.provisionedIops, 3_100);
      assert.equal(line.provisionedIngressMBps, 44);
      assert.equal(line.provisionedEgressMBps, 66);
      assert.ok(line.nextAllowedQuotaDowngradeTime instanceof Date);
      assert.equal(line.paidBurstingEnabled, true);
      assert.equal(line.paidBurstingMaxIops, 5_000);
      assert.equal(line.paidBurstingMaxBandwidthMibps, 1_000);
      assert.equal(line.includedBurstIops, 10_000);
      const set = await share.setProperties({
        shareProvisionedIops: 40_000,
        shareProvisionedBandwidthMibps: 500,
      });
      assert.equal(set.provisionedIops, 40_000);
      assert.equal(set.provisionedBandwidthMibps, 500);
      assert.equal(set.includedBurstIops, 102_400);
      assert.ok(set.nextAllowedQuotaDowngradeTime instanceof Date);
      await share.delete();
    });

    test("paid bursting without a bound of its own goes as far as it can", async () => {
      const share = kit.client.getShareClient("bursting-share");
      await share.create({ paidBurstingEnabled: true });
      const got = await share.getProperties();
      assert.deepEqual([got.paidBurstingMaxIops, got.paidBurstingMaxBandwidthMibps], [102_400, 10_340]);
      await share.setProperties({ paidBurstingEnabled: false });
      assert.equal((await share.getProperties()).paidBurstingEnabled, false);
      assert.equal((await share.getProperties()).paidBurstingMaxIops, undefined);
      await share.delete();
    });

    test("a completed copy is reported until the file's properties are set", async () => {
      const share = await kit.newShare();
      const source = share.rootDirectoryClient.getFileClient("s");
      await source.create(3);
      const file = share.rootDirectoryClient.getFileClient("f");
      const { copyId } = await file.startCopyFromURL(source.url);
      await file.uploadRange("abc", 0, 3);
      await file.setMetadata({ a: "1" });
      assert.equal((await file.getProperties()).copyId, copyId);
      await file.setHttpHeaders({ fileContentType: "text/a" });
      const got = await file.getProperties();
      assert.deepEqual([got.copyId, got.copyStatus, got.copySource], [undefined, undefined, undefined]);
    });

    test("a file's content type is a stream of bytes until it is set, and nothing once it is cleared", async () => {
      const share = await kit.newShare();
      const file = share.rootDirectoryClient.getFileClient("f");
      await file.create(3);
      assert.equal((await file.getProperties()).contentType, "application/octet-stream");
      await file.create(3, { fileHttpHeaders: { fileContentLanguage: "de" } });
      const named = await file.getProperties();
      assert.deepEqual([named.contentType, named.contentLanguage], ["application/octet-stream", "de"]);
      await file.setHttpHeaders({ fileContentType: "text/a", fileCacheControl: "no-store" });
      await file.resize(9);
      assert.equal((await file.getProperties()).contentType, "text/a", "a change of size leaves it");
      const fileContentMD5 = new Uint8Array([1, 2, 3, 4]);
      await file.setHttpHeaders({ fileContentMD5 });
      const { contentMD5 } = await file.getProperties();
      assert.deepEqual([...contentMD5!], [...fileContentMD5], "a hash is kept as it is, whatever its length");
      await file.setHttpHeaders({});
      const cleared = await file.getProperties();
      assert.deepEqual([cleared.contentType, cleared.cacheControl], [undefined, undefined]);
      const plain = await kit.raw({
        method: "PUT",
        path: `/${share.name}/g`,
        headers: {
          "x-ms-type": "file",
          "x-ms-content-length": "1",
          "Content-Type": "text/plain",
          "Cache-Control": "no-cache",
          "x-ms-cache-control": "max-age=5",
        },
      });
      assert.equal(plain.status, 201, plain.body);
      const got = await share.rootDirectoryClient.getFileClient("g").getProperties();
      assert.deepEqual([got.contentType, got.cacheControl], ["text/plain", "max-age=5"]);
    });

    test("a new file waits to be archived, unless it is one that is restored", async () => {
      const share = await kit.newShare();
      const made = async (headers: Record<string, string>): Promise<unknown> => {
        const reply = await kit.raw({
          method: "PUT",
          path: `/${share.name}/f`,
          headers: { "x-ms-type": "file", "x-ms-content-length": "1", ...headers },
        });
        return reply.headers["x-ms-file-attributes"] ?? reply.code;
      };
      const hidden = { "x-ms-file-attributes": "Hidden" };
      const restore = { "x-ms-file-property-semantics": "Restore" };
      assert.equal(await made({}), "Archive");
      assert.equal(await made({ "x-ms-file-attributes": "None" }), "Archive");
      assert.equal(await made(hidden), "Hidden | Archive");
      assert.equal(await made({ ...hidden, "x-ms-file-property-semantics": "New" }), "Hidden | Archive");
      assert.equal(
        await made({ ...hidden, ...restore }),
        "Hidden | Archive",
        "without a permission it is new",
      );
      const permission = { "x-ms-file-permission": "O:SYG:SYD:(A;;FA;;;SY)" };
      assert.equal(await made({ ...hidden, ...restore, ...permission }), "Hidden");
      assert.equal(await made({ "x-ms-file-property-semantics": "Old" }), "InvalidHeaderValue");
    });

    test("a file made with its first bytes answers with their MD5", async () => {
      const share = await kit.newShare();
      const made = await kit.raw({
        method: "PUT",
        path: `/${share.name}/f`,
        headers: { "x-ms-type": "file", "x-ms-content-length": "5", "x-ms-version": "2026-02-06" },
        body: Buffer.from("hello"),
      });
      assert.equal(made.status, 201, made.body);
      assert.equal(made.headers["content-md5"], "XUFAKrxLKna5cZ2REBfFkg==");
    });

    test("a permission comes back from its binary form as it was sent", async () => {
      const share = await kit.newShare();
      const sddl =
        "O:S-1-5-21-2127521184-1604012920-1887927527-21560751G:S-1-5-21-2127521184-1604012920-1887927527-513" +
        "D:AI(A;;FA;;;SY)(A;;FA;;;BA)(A;;0x1200a9;;;S-1-5-21-397955417-626881126-188441444-3053964)" +
        "S:NO_ACCESS_CONTROL";
      const { filePermissionKey } = await share.createPermission(sddl);
      const binary = await share.getPermission(filePermissionKey!, { filePermissionFormat: "Binary" });
      // Bit 4 of the control word: a system list is there, and it is none.
      assert.equal(Buffer.from(binary.permission, "base64").readUInt16LE(2), 0x8414);
      const again = await share.createPermission({ permission: binary.permission, format: "Binary" });
      assert.equal(again.filePermissionKey, filePermissionKey);
    });

    test("changes since a snapshot include a renamed file only on request", async () => {
      const share = await kit.newShare();
      const root = share.rootDirectoryClient;
      await root.createSubdirectory("d");
      const file = root.getDirectoryClient("d").getFileClient("f");
      await file.create(2_048);
      await file.uploadRange(sample(1_024), 0, 1_024);
      const { snapshot } = await share.createSnapshot();
      await file.uploadRange(sample(512, 9), 1_024, 512);
      const before = await file.getRangeListDiff(snapshot!);
      assert.deepEqual(before.ranges, [{ start: 1_024, end: 1_535 }]);
      await file.rename("d/F");
      assert.equal(
        (await file.getRangeListDiff(snapshot!)).ranges?.length,
        1,
        "the same path, spelled otherwise",
      );
      // The directory above it moves: the file has another path all the same.
      await root.getDirectoryClient("d").rename("e");
      const moved = root.getDirectoryClient("e").getFileClient("f");
      await refused(moved.getRangeListDiff(snapshot!), 409, "PreviousSnapshotNotFound");
      await refused(
        moved.getRangeListDiff(snapshot!, { includeRenames: false }),
        409,
        "PreviousSnapshotNotFound",
      );
      const followed = await moved.getRangeListDiff(snapshot!, { includeRenames: true });
      assert.deepEqual(followed.ranges, before.ranges);
    });

    test("ranges come in pages to who asks for pages", async () => {
      const share = await kit.newShare();
      const file = share.rootDirectoryClient.getFileClient("f");
      await file.create(8_192);
      for (const at of [0, 2_048, 4_096]) await file.uploadRange(sample(512, at + 1), at, 512);
      const { snapshot } = await share.createSnapshot();
      await file.clearRange(0, 512);
      await file.uploadRange(sample(512, 3), 2_048, 512);
      await file.uploadRange(sample(512, 4), 6_144, 512);
      const pages = async (query: Record<string, string>): Promise<string[]> => {
        const found: string[] = [];
        for (let marker = ""; ; ) {
          const reply = await kit.raw({
            method: "GET",
            path: `/${share.name}/f`,
            query: { comp: "rangelist", maxresults: "2", ...query, ...(marker === "" ? {} : { marker }) },
          });
          assert.equal(reply.status, 200, reply.body);
          found.push(
            [...reply.body.matchAll(/<(Range|ClearRange)><Start>(\d+)/g)]
              .map((m) => m[1]![0]! + m[2])
              .join(" "),
          );
          marker = /<NextMarker>([^<]+)</.exec(reply.body)?.[1] ?? "";
          if (marker === "") return found;
        }
      };
      assert.deepEqual(await pages({}), ["R2048 R4096", "R6144"]);
      assert.deepEqual(await pages({ prevsharesnapshot: snapshot! }), ["C0 R2048", "R6144"]);
      assert.deepEqual(await pages({ maxresults: "1", prevsharesnapshot: snapshot! }), [
        "C0",
        "R2048",
        "R6144",
      ]);
      assert.deepEqual(await pages({ maxresults: "3" }), ["R2048 R4096 R6144"]);
      const whole = await kit.raw({ method: "GET", path: `/${share.name}/f`, query: { comp: "rangelist" } });
      assert.doesNotMatch(whole.body, /NextMarker/);
      const bad = { comp: "rangelist", marker: "nonsense" };
      assert.equal(
        (await kit.raw({ method: "GET", path: `/${share.name}/f`, query: bad })).code,
        "OutOfRangeInput",
      );
    });

    test("names that XML cannot hold are listed encoded, and so is the path of their directory", async () => {
      const share = await kit.newShare();
      const directory = share.getDirectoryClient("d\uffff");
      await directory.create();
      await directory.getFileClient("f\ufffe x").create(1);
      await directory.getDirectoryClient("plain").create();
      const [page] = await collectAll(directory.listFilesAndDirectories({ prefix: "f\ufffe" }).byPage());
      assert.equal(page!.directoryPath, "d\uffff");
      assert.equal(page!.prefix, "f\ufffe");
      assert.deepEqual(
        page!.segment.fileItems.map(({ name }) => name),
        ["f\ufffe x"],
      );
      const names = await collectAll(directory.listFilesAndDirectories());
      assert.deepEqual(names.map(({ name }) => name).sort(), ["f\ufffe x", "plain"]);
      await directory.getFileClient("f\ufffe x").rename("d\uffff/g\ufffe");
      assert.equal((await directory.getFileClient("g\ufffe").getProperties()).contentLength, 1);
    });

    test("a backslash in the address is the slash that was meant, for a SAS as well", async () => {
      const share = await kit.newShare();
      await share.createDirectory("d");
      await share.getDirectoryClient("d").createFile("f", 3);
      const put = await kit.raw({
        method: "PUT",
        path: `/${share.name}/d%5Cg`,
        headers: { "x-ms-type": "file", "x-ms-content-length": "1" },
      });
      assert.equal(put.status, 201, put.body);
      assert.equal((await share.getDirectoryClient("d").getFileClient("g").getProperties()).contentLength, 1);
      const credential = new StorageSharedKeyCredential(kit.server.account, kit.server.key);
      const expiresOn = new Date(Date.now() + 3_600_000);
      const permissions = FileSASPermissions.parse("r");
      const values = { shareName: share.name, filePath: "d/f", permissions, expiresOn };
      const sas = generateFileSASQueryParameters(values, credential);
      const file = new ShareFileClient(`${share.url}/d%5Cf?${sas}`);
      assert.equal((await file.downloadToBuffer()).length, 3);
    });

    test("a snapshot has the ETag of its share, unless it has metadata of its own", async () => {
      const share = await kit.newShare();
      const { etag } = await share.getProperties();
      const plain = await share.createSnapshot();
      assert.equal(plain.etag, etag);
      const named = await share.createSnapshot({ metadata: { a: "1" } });
      assert.notEqual(named.etag, etag);
      assert.equal((await share.withSnapshot(named.snapshot!).getProperties()).etag, named.etag);
      assert.equal((await share.getProperties()).etag, etag);
    });

    test("what is done to a share snapshot is not done to its share", async () => {
      const share = await kit.newShare();
      const { snapshot } = await share.createSnapshot();
      const earlier = share.withSnapshot(snapshot!);
      await refused(earlier.setAccessPolicy([]), 400, "InvalidQueryParameterValue");
      await refused(earlier.createPermission("O:SYG:SYD:(A;;FA;;;SY)"), 400, "InvalidQueryParameterValue");
      await refused(earlier.setMetadata({ a: "1" }), 400, "InvalidQueryParameterValue");
      // But for Snapshot Share: it is the share that a snapshot is taken of.
      assert.notEqual((await earlier.createSnapshot()).snapshot, snapshot);
    });

    test("a copy is aborted by its id, and a file without a copy reports that", async () => {
      const share = await kit.newShare();
      const file = share.rootDirectoryClient.getFileClient("f");
      await file.create(1);
      await refused(file.abortCopyFromURL("no-id-of-a-copy"), 400, "InvalidQueryParameterValue");
      await refused(
        file.abortCopyFromURL("11111111-2222-3333-4444-555555555555"),
        409,
        "NoPendingCopyOperation",
      );
    });

    test("a SAS that may create makes new files and replaces none", async () => {
      const share = await kit.newShare();
      const source = share.rootDirectoryClient.getFileClient("s");
      await source.create(3);
      const credential = new StorageSharedKeyCredential(kit.server.account, kit.server.key);
      const expiresOn = new Date(Date.now() + 3_600_000);
      const sas = generateFileSASQueryParameters(
        { shareName: share.name, filePath: "f", permissions: FileSASPermissions.parse("rc"), expiresOn },
        credential,
      );
      const file = new ShareFileClient(`${share.rootDirectoryClient.getFileClient("f").url}?${sas}`);
      await file.create(1);
      await refused(file.create(2), 403, "AuthorizationPermissionMismatch");
      const [accountSas, account] = withAccountSas(kit, "rc");
      const byAccount = account.getShareClient(share.name).rootDirectoryClient;
      await refused(
        byAccount.getFileClient("f").startCopyFromURL(`${source.url}?${accountSas}`),
        403,
        "AuthorizationPermissionMismatch",
      );
      await byAccount.getFileClient("g").startCopyFromURL(`${source.url}?${accountSas}`);
      assert.equal((await file.getProperties()).contentLength, 1);
    });
  });
}
