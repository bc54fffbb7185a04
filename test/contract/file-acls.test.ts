import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { ShareClient } from "@azure/storage-file-share";
import { RIGHT } from "../../src/concurrency/acl.ts";
import { DELETE, READ, usesOf, WRITE } from "../../src/concurrency/share-mode.ts";
import type { FileService } from "../../src/services/file/file-service.ts";
import type { OpenFile } from "../../src/services/file/open-file.ts";
import { openInode } from "../../src/services/file/opens/open-inode.ts";
import type { Disposition } from "../../src/services/file/opens/open-request.ts";
import { Acls } from "../../src/services/file/security/acls.ts";
import { parseSddl, printSid } from "../../src/services/file/security/sddl.ts";
import { SECURITY_PART } from "../../src/services/file/security/security-descriptor.ts";
import { ENGINES } from "../kit/server.ts";
import { type FileKit, refusal, useFiles } from "./file/kit.ts";

/**
 * Enforced ACLs, through the service: each is obeyed as it is when the open, the create or the
 * rename is done.
 */
const DENIED = refusal("AuthorizationPermissionMismatch");
const ALL = READ | WRITE | DELETE;
const { READ_DATA, WRITE_DATA, READ_CONTROL, WRITE_DAC } = RIGHT;
const OWNERS = READ_CONTROL | WRITE_DAC;

for (const engine of ENGINES) {
  suite(`ACLs over ${engine}`, () => {
    const kit = useFiles(engine);
    const listsOf = (own: FileKit): Acls => new Acls(own.server.account);

    function open(
      share: ShareClient,
      path: string,
      request: {
        readonly access: number;
        readonly optionalAccess?: number;
        readonly disposition?: Disposition;
      },
      files: FileService = kit.files,
    ): Promise<OpenFile> {
      const { access, optionalAccess = 0, disposition = "open" } = request;
      const [names = "", stream] = path.split(":");
      return openInode(files, {
        ref: { account: kit.server.account, share: share.name, path: names.split("/") },
        stream,
        access: usesOf(access),
        optionalAccess: usesOf(optionalAccess),
        rights: { acls: listsOf(kit), access, optionalAccess },
        shareMode: ALL,
        disposition,
        session: 1n,
        clientAddress: "10.0.0.9:1",
        clientName: "workstation",
      });
    }

    const setList = (handle: OpenFile, sddl: string): Promise<void> =>
      handle.setSecurity({ descriptor: parseSddl(sddl), parts: SECURITY_PART.DACL });

    async function made(share: ShareClient, path: string, sddl: string): Promise<OpenFile> {
      const handle = await open(share, path, { access: RIGHT.ALL, disposition: "create" });
      await setList(handle, sddl);
      return handle;
    }

    /** The same service, in which something happens after an open has looked and before it is done. */
    function interrupted(happens: () => Promise<unknown>): FileService {
      let isDone = false;
      const liveness = {
        placed: () => {},
        quarantineEnded: async () => {},
        confirm: async () => {
          if (!isDone) {
            isDone = true;
            await happens();
          }
          return true;
        },
      };
      return Object.create(kit.files, { liveness: { value: liveness } }) as FileService;
    }

    test("the maximum is what the list grants, and what it denies is denied", async () => {
      const share = await kit.newShare();
      const opened = await made(share, "f", "D:P(A;;0x1;;;WD)");
      const most = await open(share, "f", { access: 0, optionalAccess: RIGHT.ALL });
      // The root lets the account delete what is in it, and look at it.
      assert.equal(most.opened.granted?.access, READ_DATA | OWNERS | RIGHT.DELETE | RIGHT.READ_ATTRIBUTES);
      assert.equal(most.opened.access, READ | DELETE);
      await assert.rejects(open(share, "f", { access: WRITE_DATA }), DENIED);
      await assert.rejects(open(share, "f", { access: READ_DATA, disposition: "overwrite" }), DENIED);
      for (const one of [most, opened]) await one.close();
      const content = await share.rootDirectoryClient.getFileClient("f").getProperties();
      assert.equal(content.contentLength, 0);
    });

    test("the list of a file is that of its named streams, and who adds one must be able to write", async () => {
      const share = await kit.newShare();
      const opened = await made(share, "f", "D:P(A;;FA;;;WD)");
      const stream = await open(share, "f:s", { access: WRITE_DATA, disposition: "create" });
      assert.equal(stream.opened.granted?.access, WRITE_DATA);
      await setList(opened, "D:P(A;;FR;;;WD)");
      await assert.rejects(open(share, "f:s", { access: WRITE_DATA }), DENIED);
      await assert.rejects(open(share, "f:s", { access: READ_DATA, disposition: "overwrite" }), DENIED);
      await assert.rejects(open(share, "f:t", { access: READ_DATA, disposition: "openIf" }), DENIED);
      await assert.rejects(open(share, "f:t", { access: READ_DATA }), refusal("ResourceNotFound"));
      const most = await open(share, "f:s", { access: 0, optionalAccess: RIGHT.ALL });
      assert.equal((most.opened.granted?.access ?? 0) & (READ_DATA | WRITE_DATA), READ_DATA);
      for (const handle of [stream, most]) await handle.close();
      for (const disposition of ["open", "overwrite", "openIf"] as const) {
        await setList(opened, "D:P(A;;FA;;;WD)");
        const denying = interrupted(() => setList(opened, "D:P(A;;FR;;;WD)"));
        const path = disposition === "openIf" ? "f:late" : "f:s";
        await assert.rejects(open(share, path, { access: WRITE_DATA, disposition }, denying), DENIED);
      }
      await opened.close();
      const closed = await made(share, "f2", "D:P(A;;FA;;;WD)");
      await setList(closed, "D:P");
      await closed.close();
      await assert.rejects(open(share, "f2:s", { access: WRITE_DATA, disposition: "create" }), DENIED);
      const both = await open(share, "f3:s", { access: WRITE_DATA, disposition: "create" });
      assert.equal(both.opened.isBaseNew, true);
      await both.close();
      const { filePermissionKey } = await share.rootDirectoryClient.getFileClient("f3").getProperties();
      const { permission } = await share.getPermission(filePermissionKey!);
      assert.ok(permission.startsWith(`O:${printSid(listsOf(kit).identity.user)}`), permission);
    });

    test("an open obeys a list that changes during the open", async () => {
      const share = await kit.newShare();
      const opened = await made(share, "f", "D:P(A;;FA;;;WD)");
      const denying = interrupted(() => setList(opened, "D:P(A;;FR;;;WD)"));
      await assert.rejects(open(share, "f", { access: WRITE_DATA }, denying), DENIED);
      await setList(opened, "D:P(A;;FA;;;WD)");
      const shrinking = interrupted(() => setList(opened, "D:P(A;;0x1;;;WD)"));
      const most = await open(share, "f", { access: 0, optionalAccess: RIGHT.ALL }, shrinking);
      assert.equal((most.opened.granted?.access ?? 0) & (READ_DATA | WRITE_DATA), READ_DATA);
      assert.equal(most.opened.access & WRITE, 0);
      await most.close();
      await setList(opened, "D:P(A;;FA;;;WD)");
      const keeping = interrupted(() => setList(opened, "D:P(A;;FR;;;WD)"));
      await assert.rejects(
        open(share, "f", { access: WRITE_DATA, disposition: "overwrite" }, keeping),
        DENIED,
      );
      await opened.close();
    });

    test("nothing is made in a directory whose list has just come to deny it", async () => {
      const share = await kit.newShare();
      await share.createDirectory("d");
      const directory = await open(share, "d", { access: RIGHT.ALL });
      const closing = interrupted(() => setList(directory, "D:P(A;;FR;;;WD)"));
      const request = { access: READ_DATA, disposition: "create" } as const;
      await assert.rejects(open(share, "d/f", request, closing), DENIED);
      await assert.rejects(open(share, "d/f", request), DENIED);
      const names: string[] = [];
      for await (const { name } of share.getDirectoryClient("d").listFilesAndDirectories()) names.push(name);
      assert.deepEqual(names, []);
      await directory.close();
    });

    test("a rename needs the right to add where it goes, and to delete what gives way", async () => {
      const share = await kit.newShare();
      await share.createDirectory("d");
      const directory = await open(share, "d", { access: OWNERS });
      const target = await open(share, "d/t", { access: RIGHT.ALL, disposition: "create" });
      await setList(target, "D:P(A;;FR;;;WD)");
      await target.close();
      const moved = await open(share, "f", { access: RIGHT.ALL, disposition: "create" });
      const to = (name: string, isReplacing = false) => moved.rename({ path: ["d", name], isReplacing });
      await setList(directory, "D:P(A;;FR;;;WD)");
      await assert.rejects(to("new"), DENIED);
      // To add, and not to delete.
      await setList(directory, "D:P(A;;0x120116;;;WD)");
      await assert.rejects(to("t", true), DENIED);
      await assert.rejects(to("t"), refusal("ResourceAlreadyExists"));
      assert.deepEqual(await to("new"), ["d", "new"]);
      await setList(directory, "D:P(A;;FA;;;WD)");
      assert.deepEqual(await to("t", true), ["d", "t"]);
      for (const handle of [moved, directory]) await handle.close();
    });

    test("what is made belongs to the account, and its list to the directory above", async () => {
      const share = await kit.newShare();
      await share.createDirectory("d");
      const directory = await open(share, "d", { access: RIGHT.ALL });
      await setList(directory, "D:P(A;OICI;FR;;;WD)(A;OICIIO;GA;;;CO)");
      await setList(directory, "D:P(A;OICI;FA;;;WD)(A;OICIIO;GA;;;CO)");
      const file = await open(share, "d/f", { access: READ_DATA, disposition: "create" });
      const properties = await share.getDirectoryClient("d").getFileClient("f").getProperties();
      const { permission } = await share.getPermission(properties.filePermissionKey!);
      const { user, primaryGroup } = listsOf(kit).identity;
      const me = printSid(user);
      assert.equal(permission, `O:${me}G:${printSid(primaryGroup)}D:(A;;FA;;;WD)(A;;FA;;;${me})`);
      assert.equal(file.opened.granted?.access, READ_DATA);
      assert.equal(file.opened.granted?.maximal, RIGHT.ALL);
      for (const handle of [file, directory]) await handle.close();
    });

    test("no caller makes another account the owner", async () => {
      const share = await kit.newShare();
      const opened = await made(share, "f", "D:P(A;;FA;;;WD)");
      const lists = listsOf(kit);
      const owner = (sddl: string) =>
        opened.setSecurity({ descriptor: parseSddl(sddl), parts: SECURITY_PART.OWNER });
      for (const other of ["O:BA", "O:SY"]) await assert.rejects(owner(other), refusal("InvalidOwner"));
      await owner("O:BU");
      await owner(`O:${printSid(lists.identity.user)}`);
      await opened.close();
    });
  });
}
