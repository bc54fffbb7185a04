import assert from "node:assert/strict";
import { test } from "node:test";
import { SMB_ACCOUNT, startSmbServer } from "../../../test/kit/smb-server.ts";
import { putRequests, wakeHolders } from "../../services/file/cache-breaks.ts";
import { openInode } from "../../services/file/opens/open-inode.ts";

test("an open gets no cache when another process asked to break it before its client was answered", async () => {
  const { server, files, close } = await startSmbServer();
  const open = async (name: string) => {
    const pending = server.pendingOpens.begin();
    const file = await openInode(files, {
      ref: { account: SMB_ACCOUNT, share: "work", path: [name] },
      access: 3,
      shareMode: 7,
      disposition: "openIf",
      mayCache: true,
      session: 1n,
      clientAddress: "here",
      clientName: "here",
    });
    return { file, mayCache: () => pending.end(file.share, file.inode) && file.opened.isAlone };
  };
  try {
    const undisturbed = await open("f");
    assert.equal(undisturbed.mayCache(), true);
    const disturbed = await open("f");
    const other = await open("g");
    const { ephemeral } = files.parts.store;
    const { share, inode } = disturbed.file;
    const [key] = await ephemeral.write(async (write) =>
      putRequests(write, { share, inode }, [ephemeral.owner], "write"),
    );
    wakeHolders(files.context);
    // No client has a cache yet, so the request is answered at once.
    while ((await ephemeral.read((read) => read.get(key!))) !== undefined)
      await new Promise((resolve) => setImmediate(resolve));
    assert.equal(disturbed.mayCache(), false);
    assert.equal(other.mayCache(), true, "the request was about another file");
    for (const { file } of [undisturbed, disturbed, other]) await file.close();
  } finally {
    await close();
  }
});
