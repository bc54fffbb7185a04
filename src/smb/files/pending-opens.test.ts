import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock, systemTimers } from "../../base/clock.ts";
import { systemRandom } from "../../base/random.ts";
import { silentLog } from "../../observability/log.ts";
import { Runtime } from "../../process/runtime.ts";
import { putRequests, wakeHolders } from "../../services/file/cache-breaks.ts";
import { createShare } from "../../services/file/create-share.ts";
import { FileService } from "../../services/file/file-service.ts";
import { ServerHost } from "../host.ts";
import { SmbServer } from "../server.ts";
import { DISPOSITION } from "../wire/create.ts";
import { ServiceFileSystem } from "./file-system.ts";

async function withShare(story: (system: ServiceFileSystem, files: FileService) => Promise<void>) {
  const onFatal = (error: unknown): void => {
    throw error;
  };
  const runtime = new Runtime({ choice: { kind: "memory" }, owner: "here", log: silentLog, onFatal });
  await runtime.start();
  const files = new FileService(runtime.parts);
  await createShare(files, {
    ref: { account: "account", share: "work" },
    settings: { quotaGib: 1, tier: "TransactionOptimized", protocols: "SMB" },
    metadata: undefined,
  });
  const fileSystem = new ServiceFileSystem(files);
  const server = new SmbServer({
    fileSystem,
    accounts: { find: () => undefined },
    serverName: "TEST",
    encryption: "enabled",
    clock: systemClock,
    timers: systemTimers,
    random: systemRandom,
    log: silentLog,
  });
  const detach = fileSystem.attach(new ServerHost(server));
  try {
    await story(fileSystem, files);
  } finally {
    detach();
    await server.close();
    await runtime.close();
  }
}

const REQUEST = {
  path: ["f"],
  snapshot: undefined,
  access: 3,
  optionalAccess: 0,
  share: 7,
  disposition: DISPOSITION.OPEN_IF,
  kind: undefined,
  isDeleteOnClose: false,
  isWriteThrough: false,
  attributes: 0,
  allocationSize: undefined,
  security: undefined,
  mayCache: true,
  client: { session: 1n, address: "here", name: "here" },
};

test("an open that somebody elsewhere has asked about before its client was answered gets no cache", () =>
  withShare(async (system, files) => {
    const share = (await system.share("account", "work"))!;
    const undisturbed = await share.open(REQUEST);
    assert.equal(undisturbed.mayCacheNow!(), true);
    const opened = await share.open(REQUEST);
    const other = await share.open({ ...REQUEST, path: ["g"] });
    const { ephemeral } = files.parts.store;
    const inode = { share: share.id, inode: opened.handle.inode };
    const [key] = await ephemeral.write(async (write) => putRequests(write, inode, ["here"], "write"));
    wakeHolders(files.context);
    // Nobody holds a cache yet, so the answer comes at once.
    while ((await ephemeral.read((read) => read.get(key!))) !== undefined)
      await new Promise((resolve) => setImmediate(resolve));
    assert.equal(opened.mayCacheNow!(), false);
    assert.equal(other.mayCacheNow!(), true, "of another file nothing was asked");
    for (const { handle } of [undisturbed, opened, other]) await handle.close();
  }));
