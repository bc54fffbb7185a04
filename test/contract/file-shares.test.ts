import assert from "node:assert/strict";
import { suite, test } from "node:test";
import {
  FileSASPermissions,
  generateFileSASQueryParameters,
  ShareClient,
  ShareFileClient,
  ShareSASPermissions,
  StorageSharedKeyCredential,
} from "@azure/storage-file-share";
import { seconds } from "../../src/base/clock.ts";
import { GIB } from "../../src/base/limits.ts";
import { FILE_LIMITS } from "../../src/services/file/limits.ts";
import { fileJobs } from "../../src/services/file/reclaim.ts";
import { createSnapshot } from "../../src/services/file/snapshots.ts";
import { ENGINES } from "../kit/server.ts";
import { collectAll, type FileKit, refused, sample, useFiles, withAccountSas } from "./file/kit.ts";

/** Shares as a whole: properties, quotas, snapshots, leases, deletion, permissions, access. */
const GUID = "11111111-2222-3333-4444-555555555555";
const OTHER = "99999999-2222-3333-4444-555555555555";

/** Runs the background work to its end. */
async function settle(kit: FileKit): Promise<void> {
  for (const job of fileJobs(kit.files)) {
    for (let step = 0; step < 10_000 && (await job.run()) === "more"; step++);
  }
}

for (const engine of ENGINES) {
  suite(`shares over ${engine}`, () => {
    const kit = useFiles(engine);

    test("a share is created once, read, changed and deleted", async () => {
      const share = kit.client.getShareClient("first-share");
      await share.create({ quota: 7, metadata: { Team: "blue" }, accessTier: "Hot" });
      await refused(share.create(), 409, "ShareAlreadyExists");
      const got = await share.getProperties();
      assert.equal(got.quota, 7);
      assert.equal(got.accessTier, "Hot");
      assert.deepEqual(got.metadata, { team: "blue" });
      assert.equal(got.leaseState, "available");
      await share.setMetadata({ Team: "red" });
      await share.setProperties({ quotaInGB: 9, accessTier: "Cool" });
      const changed = await share.getProperties();
      assert.equal(changed.quota, 9);
      assert.equal(changed.accessTier, "Cool");
      assert.deepEqual(changed.metadata, { team: "red" });
      assert.notEqual(changed.etag, got.etag);
      await share.delete();
      await refused(share.getProperties(), 404, "ShareNotFound");
      await share.create();
      assert.deepEqual(await collectAll(share.rootDirectoryClient.listFilesAndDirectories()), []);
      await share.delete();
    });

    test("names, quotas and tiers outside their rules are refused", async () => {
      for (const name of ["Ab-c", "a--b", "-ab", "a_b", "a.b"]) {
        const path = `/${name}`;
        const reply = await kit.raw({ method: "PUT", path, query: { restype: "share" } });
        assert.equal(reply.code, "InvalidResourceName", name);
      }
      for (const name of ["ab", "a".repeat(64)]) {
        const reply = await kit.raw({ method: "PUT", path: `/${name}`, query: { restype: "share" } });
        assert.equal(reply.code, "OutOfRangeInput", name);
      }
      const put = (headers: Record<string, string>) =>
        kit.raw({ method: "PUT", path: "/some-share", query: { restype: "share" }, headers });
      for (const quota of ["0", "102401", "x"]) {
        assert.equal((await put({ "x-ms-share-quota": quota })).code, "InvalidHeaderValue", quota);
      }
      assert.equal((await put({ "x-ms-access-tier": "Frozen" })).code, "InvalidHeaderValue");
      assert.equal((await put({ "x-ms-enabled-protocols": "FTP" })).code, "InvalidHeaderValue");
      assert.equal((await put({ "if-match": "*" })).code, "ConditionHeadersNotSupported");
      assert.equal((await put({ "x-ms-meta-": "v" })).code, "EmptyMetadataKey");
    });

    test("a share for NFS is refused, as on an account without that feature", async () => {
      const share = kit.client.getShareClient("nfs-share");
      await refused(share.create({ protocols: { nfsEnabled: true } }), 400, "InvalidHeaderValue");
      await refused(share.getProperties(), 404, "ShareNotFound");
      await share.create({ protocols: { smbEnabled: true } });
    });

    test("bytes used are the sizes of all files, and a quota stops growth and nothing else", async () => {
      const share = await kit.newShare();
      await share.setProperties({ quotaInGB: 1 });
      const root = share.rootDirectoryClient;
      const used = async (): Promise<number> => (await share.getStatistics()).shareUsageBytes;
      assert.equal(await used(), 0);
      await root.getFileClient("a").create(1_000);
      await root.getFileClient("b").create(500);
      assert.equal(await used(), 1_500);
      await root.getFileClient("a").resize(200);
      await root.getFileClient("b").create(50);
      assert.equal(await used(), 250);
      await refused(root.getFileClient("c").create(GIB), 413, "ShareSizeLimitReached");
      await refused(root.getFileClient("a").resize(GIB), 413, "ShareSizeLimitReached");
      await root.getFileClient("c").create(GIB - 250);
      await refused(root.getFileClient("d").create(1), 413, "ShareSizeLimitReached");
      await root.getFileClient("a").resize(100);
      await root.getFileClient("c").delete();
      assert.equal(await used(), 150);
    });

    test("a snapshot stays as it was while the share changes, is listed, read and deleted", async () => {
      const share = await kit.newShare();
      const root = share.rootDirectoryClient;
      const bytes = sample(100_000);
      const file = root.getFileClient("f");
      await file.create(100_000);
      await file.uploadRange(bytes, 0, bytes.length);
      await root.getDirectoryClient("gone").create();
      const { snapshot } = await share.createSnapshot({ metadata: { created: "now" } });
      assert.match(snapshot!, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.0000000Z$/);
      await file.uploadRange(sample(5, 9), 50_000, 5);
      await file.setMetadata({ later: "1" });
      await root.getDirectoryClient("gone").delete();
      await root.getFileClient("new").create(1);
      const earlier = share.withSnapshot(snapshot!);
      assert.deepEqual(await earlier.rootDirectoryClient.getFileClient("f").downloadToBuffer(), bytes);
      assert.deepEqual((await earlier.rootDirectoryClient.getFileClient("f").getProperties()).metadata, {});
      const names = (await collectAll(earlier.rootDirectoryClient.listFilesAndDirectories())).map(
        ({ name }) => name,
      );
      assert.deepEqual(names.sort(), ["f", "gone"]);
      assert.deepEqual((await earlier.getProperties()).metadata, { created: "now" });
      await refused(
        earlier.rootDirectoryClient.getFileClient("new").getProperties(),
        404,
        "ResourceNotFound",
      );
      const write = { method: "PUT", query: { sharesnapshot: snapshot! } };
      for (const [path, query] of [
        [`/${share.name}/f`, { comp: "metadata" }],
        [`/${share.name}`, { restype: "share", comp: "metadata" }],
        [`/${share.name}/d`, { restype: "directory" }],
      ] as const) {
        const reply = await kit.raw({ ...write, path, query: { ...write.query, ...query } });
        assert.equal(reply.code, "InvalidQueryParameterValue", path);
      }
      const lease = await kit.raw({
        ...write,
        path: `/${share.name}/f`,
        query: { ...write.query, comp: "lease" },
        headers: { "x-ms-lease-action": "acquire", "x-ms-lease-duration": "-1" },
      });
      assert.equal(lease.code, "ShareSnapshotOperationNotSupported");
      const listed = await collectAll(kit.client.listShares({ prefix: share.name, includeSnapshots: true }));
      assert.deepEqual(
        listed.map(({ snapshot: time }) => time),
        [snapshot, undefined],
      );
      const [old] = listed;
      assert.deepEqual(
        [old!.properties.leaseState, old!.properties.accessTier, old!.properties.quota],
        ["available", undefined, 5_120],
      );
      const kept = await earlier.rootDirectoryClient.getFileClient("f").getProperties();
      assert.equal(kept.leaseState, undefined, "only the live file has a lease");
      const second = await share.createSnapshot();
      assert.notEqual(second.snapshot, snapshot);
      await refused(share.delete(), 409, "ShareHasSnapshots");
      await earlier.delete();
      await settle(kit);
      await refused(earlier.getProperties(), 404, "ShareNotFound");
      await refused(earlier.delete(), 404, "ShareSnapshotNotFound");
      await share.delete({ deleteSnapshots: "include" });
    });

    test("there are at most two hundred snapshots", async () => {
      const share = await kit.newShare();
      const ref = { account: kit.server.account, share: share.name };
      for (let i = 0; i < FILE_LIMITS.shareSnapshotsMax; i++) await createSnapshot(kit.files, ref, undefined);
      await refused(share.createSnapshot(), 409, "ShareSnapshotCountExceeded");
      await share.delete({ deleteSnapshots: "include" });
    });

    test("a share's lease goes through its states and guards its deletion", async () => {
      const share = await kit.newShare();
      const lease = (action: string, headers: Record<string, string> = {}) =>
        kit.raw({
          method: "PUT",
          path: `/${share.name}`,
          query: { restype: "share", comp: "lease" },
          headers: { ...(action === "" ? {} : { "x-ms-lease-action": action }), ...headers },
        });
      const state = async (): Promise<unknown> => (await share.getProperties()).leaseState;
      const own = { "x-ms-lease-id": GUID };
      const acquire = { "x-ms-lease-duration": "15", "x-ms-proposed-lease-id": GUID };
      const before = await share.getProperties();
      const acquired = await lease("acquire", acquire);
      assert.equal(acquired.status, 201);
      assert.equal(acquired.headers["x-ms-lease-id"], GUID);
      assert.equal((await lease("acquire", { "x-ms-lease-duration": "-1" })).code, "LeaseAlreadyPresent");
      await refused(share.delete(), 412, "LeaseIdMissing");
      const other = { leaseAccessConditions: { leaseId: OTHER } };
      await refused(share.setMetadata({}), 412, "LeaseIdMissing");
      await refused(share.setQuota(3), 412, "LeaseIdMissing");
      await refused(share.setAccessPolicy([]), 412, "LeaseIdMissing");
      assert.equal((await share.getProperties()).quota, 5_120);
      await refused(share.delete(other), 412, "LeaseIdMismatchWithContainerOperation");
      await refused(share.getProperties(other), 412, "LeaseIdMismatchWithContainerOperation");
      assert.equal((await lease("renew", own)).status, 200);
      assert.equal((await lease("change", { ...own, "x-ms-proposed-lease-id": OTHER })).status, 200);
      assert.equal((await lease("release", own)).code, "LeaseIdMismatchWithLeaseOperation");
      assert.equal((await share.getProperties()).leaseDuration, "fixed");
      kit.server.clock.advance(seconds(15));
      assert.equal(await state(), "expired");
      await refused(share.delete(other), 412, "LeaseLost");
      const changed = { "x-ms-lease-id": OTHER };
      assert.equal((await lease("renew", changed)).status, 200);
      const breaking = await lease("break", { "x-ms-lease-break-period": "10" });
      assert.equal(breaking.status, 202);
      assert.equal(breaking.headers["x-ms-lease-time"], "10");
      assert.equal(await state(), "breaking");
      const again = { ...acquire, "x-ms-proposed-lease-id": OTHER };
      assert.equal((await lease("acquire", again)).code, "LeaseIsBreakingAndCannotBeAcquired");
      const change = { ...changed, "x-ms-proposed-lease-id": GUID };
      assert.equal((await lease("change", change)).code, "LeaseIsBreakingAndCannotBeChanged");
      assert.equal((await lease("renew", changed)).code, "LeaseIsBrokenAndCannotBeRenewed");
      kit.server.clock.advance(seconds(10));
      assert.equal(await state(), "broken");
      const released = await lease("release", changed);
      assert.equal(released.status, 200);
      assert.equal(released.headers["x-ms-lease-time"], "0");
      await refused(share.getProperties(other), 412, "LeaseNotPresentWithContainerOperation");
      assert.equal((await lease("break")).code, "LeaseNotPresentWithLeaseOperation");
      assert.equal((await share.getProperties()).etag, before.etag, "no lease action changes an ETag");
      for (const [action, headers, code] of [
        ["acquire", {}, "MissingRequiredHeader"],
        ["acquire", { "x-ms-lease-duration": "14" }, "InvalidHeaderValue"],
        ["steal", {}, "InvalidHeaderValue"],
        ["", {}, "MissingRequiredHeader"],
        ["renew", { "x-ms-lease-id": "no-guid" }, "InvalidHeaderValue"],
      ] as const) {
        assert.equal((await lease(action, headers)).code, code);
      }
      kit.server.clock.set(Date.now());
      await share.delete();
    });

    test("a leased snapshot holds its share, unless the request says otherwise", async () => {
      const share = await kit.newShare();
      const { snapshot } = await share.createSnapshot();
      const earlier = share.withSnapshot(snapshot!);
      await earlier.getShareLeaseClient(GUID).acquireLease(-1);
      await refused(earlier.delete(), 412, "LeaseIdMissing");
      await refused(share.delete({ deleteSnapshots: "include" }), 409, "DeleteShareWhenSnapshotLeased");
      const wrong = await kit.raw({
        method: "DELETE",
        path: `/${share.name}`,
        query: { restype: "share", sharesnapshot: snapshot! },
        headers: { "x-ms-delete-snapshots": "include" },
      });
      assert.equal(wrong.status, 400);
      await share.delete({ deleteSnapshots: "include-leased" });
    });

    test("a deleted share is listed, comes back with its contents, and goes when its time is over", async () => {
      const share = await kit.newShare();
      await share.rootDirectoryClient.getFileClient("f").create(3);
      await share.rootDirectoryClient.getFileClient("f").uploadRange("abc", 0, 3);
      await share.delete();
      await share.create();
      await share.delete();
      const deleted = await collectAll(kit.client.listShares({ prefix: share.name, includeDeleted: true }));
      assert.equal(deleted.length, 2);
      assert.equal(deleted[0]!.deleted, true);
      assert.equal(deleted[0]!.properties.leaseState, "broken");
      assert.equal(deleted[0]!.properties.remainingRetentionDays, FILE_LIMITS.shareRetentionDays);
      const restored = await kit.client.undeleteShare(share.name, deleted[0]!.version!);
      assert.equal(
        (await restored.rootDirectoryClient.getFileClient("f").downloadToBuffer()).toString(),
        "abc",
      );
      await refused(kit.client.undeleteShare(share.name, deleted[1]!.version!), 409, "ShareAlreadyExists");
      await refused(kit.client.undeleteShare(share.name, "0x123"), 404, "ShareNotFound");
      kit.server.clock.advance(FILE_LIMITS.shareRetentionDays * 24 * 3_600_000 + 1);
      await settle(kit);
      kit.server.clock.set(Date.now());
      const left = await collectAll(kit.client.listShares({ prefix: share.name, includeDeleted: true }));
      assert.deepEqual(
        left.map(({ deleted: isDeleted }) => isDeleted),
        [undefined],
      );
    });

    test("shares are listed in order, by prefix, page by page", async () => {
      for (const name of ["list-a", "list-b", "list-c"])
        await kit.client.getShareClient(name).create({ metadata: { n: name } });
      const pages: string[][] = [];
      for await (const page of kit.client
        .listShares({ prefix: "list-", includeMetadata: true })
        .byPage({ maxPageSize: 2 })) {
        pages.push((page.shareItems ?? []).map(({ name, metadata }) => `${name}=${metadata?.n}`));
      }
      assert.deepEqual(pages, [["list-a=list-a", "list-b=list-b"], ["list-c=list-c"]]);
      for (const [query, code] of [
        [{ maxresults: "0" }, "OutOfRangeQueryParameterValue"],
        [{ maxresults: "x" }, "InvalidQueryParameterValue"],
        [{ marker: "nonsense" }, "OutOfRangeInput"],
        [{ include: "everything" }, "InvalidQueryParameterValue"],
      ] as const) {
        const reply = await kit.raw({ method: "GET", path: "", query: { comp: "list", ...query } as never });
        assert.equal(reply.code, code);
      }
    });

    test("a permission that has no binary form is refused when it is sent, not when it is read", async () => {
      const share = await kit.newShare();
      const conditional = 'O:SYG:SYD:(XA;;FA;;;BA;(Title=="x"))';
      for (const sddl of [conditional, "O:SYG:SYD:(A;;FA;;;DA)", "G:SYO:SY"])
        await refused(share.createPermission(sddl), 400, "FileInvalidPermission");
      const { filePermissionKey } = await share.createPermission(
        "O:SYG:SYD:AI(A;ID;FA;;;BA)S:NO_ACCESS_CONTROL",
      );
      const { permission } = await share.getPermission(filePermissionKey!);
      assert.equal(permission, "O:SYG:SYD:AI(A;ID;FA;;;BA)S:NO_ACCESS_CONTROL");
    });

    test("permissions come and go in binary too, and are the same ones as in SDDL", async () => {
      const share = await kit.newShare();
      const sddl = "O:SYG:SYD:(A;;FA;;;BA)";
      const system = "010100000000000512000000";
      const list = "020020000100000000001800ff011f0001020000000000052000000020020000";
      const listFirst = `0100048034000000400000000000000014000000${list}${system}${system}`;
      const ownerFirst = `010004801400000020000000000000002c000000${system}${system}${list}`;
      const base64 = (hex: string): string => Buffer.from(hex, "hex").toString("base64");
      const { filePermissionKey: key } = await share.createPermission(sddl);
      for (const hex of [listFirst, ownerFirst]) {
        const made = await share.createPermission({
          permission: base64(hex),
          format: "Binary",
        });
        assert.equal(made.filePermissionKey, key);
      }
      const got = await share.getPermission(key!, { filePermissionFormat: "Binary" });
      assert.equal(got.permission, base64(listFirst));
      const file = { "x-ms-type": "file", "x-ms-content-length": "1" };
      const create = (permission: string, format: string) =>
        kit.raw({
          method: "PUT",
          path: `/${share.name}/f`,
          headers: {
            ...file,
            "x-ms-file-permission": permission,
            "x-ms-file-permission-format": format,
          },
        });
      const created = await create(base64(ownerFirst), "binary");
      assert.equal(created.status, 201);
      assert.equal(created.headers["x-ms-file-permission-key"], key);
      for (const [permission, format, code] of [
        [base64(ownerFirst.slice(0, -2)), "binary", "FileInvalidPermission"],
        [base64(ownerFirst.replace("01000480", "02000480")), "binary", "FileInvalidPermission"],
        ["AQAEg", "binary", "FileInvalidPermission"],
        ["*not base64*", "binary", "FileInvalidPermission"],
        [sddl, "xml", "InvalidHeaderValue"],
      ] as const) {
        const reply = await create(permission, format);
        assert.deepEqual([reply.status, reply.code], [400, code], permission);
      }
      // A descriptor without a list grants everything to everyone; it is not one with an empty list.
      const open = await share.createPermission("O:SYG:SYD:NO_ACCESS_CONTROL");
      assert.equal(
        (await share.getPermission(open.filePermissionKey!)).permission,
        "O:SYG:SYD:NO_ACCESS_CONTROL",
      );
    });

    test("permissions are kept by what they say, and files name them by key", async () => {
      const share = await kit.newShare();
      const sddl =
        "O:S-1-5-21-2127521184-1604012920-1887927527-21560751G:S-1-5-21-2127521184-1604012920-1887927527-513D:AI(A;;FA;;;SY)(A;;FA;;;BA)(A;;0x1200a9;;;S-1-5-21-397955417-626881126-188441444-3053964)S:NO_ACCESS_CONTROL";
      const { filePermissionKey } = await share.createPermission(sddl);
      assert.match(filePermissionKey!, /^\d+\*\d+$/);
      assert.equal((await share.createPermission(sddl)).filePermissionKey, filePermissionKey);
      assert.equal((await share.getPermission(filePermissionKey!)).permission, sddl);
      // Every right of its own, as in the samples of the protocol, and one for an object of a directory
      // service.
      for (const list of [
        "D:(A;CI;RPWPCCDCLCSWRCWDWOGA;;;S-1-0-0)",
        "D:(A;;CCDCLCSWRPWPDTLOCRSDRCWDWO;;;SY)(OA;;CCDC;bf967aba-0de6-11d0-a285-00aa003049e2;;AO)",
      ]) {
        const spelled = `O:S-1-5-32-544G:S-1-5-21-397955417-626881126-188441444-512${list}`;
        const made = await share.createPermission(spelled);
        assert.equal((await share.getPermission(made.filePermissionKey!)).permission, spelled);
        const binary = await share.getPermission(made.filePermissionKey!, { filePermissionFormat: "Binary" });
        const sent = { permission: binary.permission, format: "Binary" } as const;
        assert.equal((await share.createPermission(sent)).filePermissionKey, made.filePermissionKey);
      }
      await refused(share.createPermission("not a descriptor"), 400, "FileInvalidPermission");
      await refused(share.getPermission("1*2"), 400, "FileInvalidPermissionKey");
      await refused(share.getPermission("no-key"), 400, "InvalidHeaderValue");
      await refused(share.getPermission("1*99999999999999999999"), 400, "InvalidHeaderValue");
      const file = share.rootDirectoryClient.getFileClient("f");
      assert.equal(
        (await file.create(1, { filePermissionKey: filePermissionKey! })).filePermissionKey,
        filePermissionKey,
      );
      await refused(file.create(1, { filePermissionKey: "3*4" }), 400, "FileInvalidPermissionKey");
      await file.setProperties({ filePermission: "preserve" });
      assert.equal((await file.getProperties()).filePermissionKey, filePermissionKey);
      await file.setProperties({ filePermission: sddl.replace("FA;;;BA", "FR;;;BA") });
      assert.notEqual((await file.getProperties()).filePermissionKey, filePermissionKey);
    });

    test("stored policies are set, read, and used by a SAS", async () => {
      const share = await kit.newShare();
      const file = share.rootDirectoryClient.getFileClient("f");
      await file.create(3);
      await share.setAccessPolicy([
        {
          id: "read",
          accessPolicy: {
            permissions: "r",
            expiresOn: new Date(Date.now() + 3_600_000),
            startsOn: new Date(Date.now() - 60_000),
          },
        },
      ]);
      const { signedIdentifiers } = await share.getAccessPolicy();
      assert.equal(signedIdentifiers[0]!.id, "read");
      const credential = new StorageSharedKeyCredential(kit.server.account, kit.server.key);
      const sas = generateFileSASQueryParameters({ shareName: share.name, identifier: "read" }, credential);
      const reader = new ShareFileClient(`${file.url}?${sas}`);
      assert.equal((await reader.downloadToBuffer()).length, 3);
      await refused(reader.delete(), 403, "AuthorizationPermissionMismatch");
      for (const permissions of ["lr", "ra"]) {
        const [startsOn, expiresOn] = [new Date(), new Date(Date.now() + 60_000)];
        const accessPolicy = { permissions, startsOn, expiresOn };
        const unfit = share.setAccessPolicy([{ id: "unfit", accessPolicy }]);
        await refused(unfit, 400, "InvalidXmlDocument");
      }
    });

    test("service and account SAS reach shares, directories and files, and no further", async () => {
      const share = await kit.newShare();
      const directory = share.getDirectoryClient("d");
      await directory.create();
      const file = directory.getFileClient("f");
      await file.create(3);
      const credential = new StorageSharedKeyCredential(kit.server.account, kit.server.key);
      const expiresOn = new Date(Date.now() + 3_600_000);
      const shareSas = generateFileSASQueryParameters(
        { shareName: share.name, permissions: ShareSASPermissions.parse("rcwdl"), expiresOn },
        credential,
      );
      const withShare = new ShareClient(`${share.url}?${shareSas}`);
      await withShare.getDirectoryClient("d").getFileClient("g").create(1);
      assert.equal((await collectAll(withShare.getDirectoryClient("d").listFilesAndDirectories())).length, 2);
      await withShare.getDirectoryClient("d").getFileClient("g").rename(`d/h?${shareSas}`);
      await directory.getFileClient("h").getProperties();
      await refused(withShare.delete(), 403, "AuthorizationFailure");
      const fileSas = generateFileSASQueryParameters(
        {
          shareName: share.name,
          filePath: "d/f",
          permissions: FileSASPermissions.parse("r"),
          expiresOn,
          contentType: "text/special",
        },
        credential,
      );
      const withFile = new ShareFileClient(`${file.url}?${fileSas}`);
      assert.equal((await withFile.download()).contentType, "text/special");
      await refused(withFile.setMetadata({ a: "1" }), 403, "AuthorizationPermissionMismatch");
      const elsewhere = new ShareFileClient(`${directory.getFileClient("g").url}?${fileSas}`);
      await refused(elsewhere.getProperties(), 403, "AuthenticationFailed");
      const [, account] = withAccountSas(kit, "rl");
      assert.ok((await collectAll(account.listShares())).length > 0);
      const shareByAccount = account.getShareClient(share.name);
      assert.equal(
        (await shareByAccount.getDirectoryClient("d").getFileClient("f").downloadToBuffer()).length,
        3,
      );
      await refused(shareByAccount.delete(), 403, "AuthorizationPermissionMismatch");
    });
  });
}
