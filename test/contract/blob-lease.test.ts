import assert from "node:assert/strict";
import { test } from "node:test";
import { BlobSASPermissions, generateBlobSASQueryParameters } from "@azure/storage-blob";
import { type BlobKit, onEachEngine, refused } from "../kit/blob.ts";
import type { RawReply, RawRequest } from "../kit/raw.ts";
import { ACTION_TABLE, cellOf, LEASE_STATES, type LeaseStateName, USE_TABLE } from "../model/lease-table.ts";

const IDS: Readonly<Record<string, string>> = {
  A: "aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa",
  B: "bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb",
  C: "cccccccc-cccc-4ccc-8ccc-cccccccccccc",
};
const LEASE = "x-ms-lease-action";

/** A leased thing over HTTP: a blob or a container. */
class Leasable {
  readonly kit: BlobKit;
  readonly what: "Blob" | "Container";
  readonly path: string;

  constructor(kit: BlobKit, what: "Blob" | "Container", path: string) {
    this.kit = kit;
    this.what = what;
    this.path = path;
  }

  #query(comp: Record<string, string>): Record<string, string> {
    return this.what === "Blob" ? comp : { restype: "container", ...comp };
  }

  send(request: RawRequest): Promise<RawReply> {
    return this.kit.raw({ path: this.path, ...request, query: this.#query({ ...request.query }) });
  }

  lease(action: string, headers: Record<string, string> = {}): Promise<RawReply> {
    return this.send({ method: "PUT", query: { comp: "lease" }, headers: { [LEASE]: action, ...headers } });
  }

  async state(): Promise<string> {
    const { headers } = await this.send({ method: "HEAD" });
    const shown = ["state", "status", "duration"].map((name) => headers[`x-ms-lease-${name}`] ?? "-");
    return shown.join(" ");
  }

  /** Brings it into a state, held or once held by A. */
  async bring(state: LeaseStateName): Promise<void> {
    if (state === "available") return;
    const length = state === "expired" ? "15" : "-1";
    const acquired = await this.lease("acquire", {
      "x-ms-lease-duration": length,
      "x-ms-proposed-lease-id": IDS.A!,
    });
    assert.equal(acquired.status, 201);
    if (state === "expired") this.kit.server.clock.advance(15_000);
    if (state === "breaking") await this.lease("break", { "x-ms-lease-break-period": "30" });
    if (state === "broken") await this.lease("break", { "x-ms-lease-break-period": "0" });
  }

  act(row: string): Promise<RawReply> {
    const [verb, first, second] = row.split(" ") as [string, string, string | undefined];
    const id = { "x-ms-lease-id": IDS[first] ?? "" };
    switch (verb) {
      case "acquire": {
        const proposed = first === "none" ? {} : { "x-ms-proposed-lease-id": IDS[first]! };
        return this.lease("acquire", { "x-ms-lease-duration": "-1", ...proposed });
      }
      case "change":
        return this.lease("change", { ...id, "x-ms-proposed-lease-id": IDS[second!]! });
      case "break": {
        const period = first === "n" ? "20" : first;
        return this.lease("break", first === "none" ? {} : { "x-ms-lease-break-period": period });
      }
      default:
        return this.lease(verb, id);
    }
  }
}

const STATUS: Readonly<Record<string, number>> = {
  acquire: 201,
  renew: 200,
  change: 200,
  release: 200,
  break: 202,
};
const SHOWN: Readonly<Record<string, string>> = {
  available: "available unlocked -",
  leased: "leased locked infinite",
  breaking: "breaking locked -",
  broken: "broken unlocked -",
};

async function leasable(kit: BlobKit, what: "Blob" | "Container"): Promise<Leasable> {
  const container = await kit.container();
  if (what === "Container") return new Leasable(kit, what, `/${container.containerName}`);
  await container.uploadBlockBlob("leased", "text", 4, { tags: { a: "b" } });
  return new Leasable(kit, what, `/${container.containerName}/leased`);
}

onEachEngine("leases", (kit) => {
  for (const what of ["Blob", "Container"] as const) {
    for (const row of Object.keys(ACTION_TABLE)) {
      test(`${what}: ${row}, in every state`, async () => {
        for (const state of LEASE_STATES) {
          const thing = await leasable(kit, what);
          await thing.bring(state);
          const { headers: before } = await thing.send({ method: "HEAD" });
          const cell = cellOf(ACTION_TABLE, row, state);
          const reply = await thing.act(row);
          const [verb] = row.split(" ") as [string];
          const next = /^(available|leased|breaking|broken)( (\w))?$/.exec(cell);
          if (next === null) {
            assert.deepEqual([reply.status, reply.code], [409, cell], `${row} on ${state}`);
            continue;
          }
          assert.equal(reply.status, STATUS[verb], `${row} on ${state}: ${reply.code}`);
          assert.equal(reply.headers.etag, before.etag);
          assert.equal(reply.headers["last-modified"], before["last-modified"]);
          const shown = state === "expired" && verb === "renew" ? "leased locked fixed" : SHOWN[next[1]!];
          assert.equal(await thing.state(), shown, `${row} on ${state}`);
          const { "x-ms-lease-id": id, "x-ms-lease-time": time } = reply.headers;
          if (verb === "release" || verb === "break") assert.equal(id, undefined);
          else if (next[3] === "X") assert.match(String(id), /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
          else assert.equal(id, IDS[next[3]!]);
          const left = next[1] !== "breaking" ? "0" : row === "break n" ? "20" : "30";
          assert.equal(time, verb === "break" ? left : undefined, `${row} on ${state}`);
        }
      });
    }
  }

  const container = (path: string): string => path.slice(0, path.lastIndexOf("/"));
  const sasOf = (path: string): string =>
    generateBlobSASQueryParameters(
      {
        containerName: container(path).slice(1),
        blobName: "source",
        permissions: BlobSASPermissions.parse("r"),
        expiresOn: new Date(kit.server.clock.now() + 3_600_000),
      },
      kit.credential,
    ).toString();
  /** Every operation that a blob's lease reserves, and every one that only looks. */
  const OPERATIONS: Readonly<
    Record<"write" | "read", Readonly<Record<string, (path: string) => RawRequest>>>
  > = {
    write: {
      "Put Blob": () => ({ method: "PUT", headers: { "x-ms-blob-type": "BlockBlob" }, body: "new" }),
      "Put Block": () => ({ method: "PUT", query: { comp: "block", blockid: "AAAA" }, body: "b" }),
      "Put Block List": () => ({ method: "PUT", query: { comp: "blocklist" }, body: "<BlockList/>" }),
      "Set Metadata": () => ({ method: "PUT", query: { comp: "metadata" } }),
      "Set Properties": () => ({ method: "PUT", query: { comp: "properties" } }),
      "Set Tags": () => ({ method: "PUT", query: { comp: "tags" }, body: "<Tags><TagSet/></Tags>" }),
      "Set Expiry": () => ({
        method: "PUT",
        query: { comp: "expiry" },
        headers: { "x-ms-expiry-option": "NeverExpire" },
      }),
      "Copy Blob": (path) => ({
        method: "PUT",
        headers: {
          "x-ms-copy-source": `${kit.server.endpoints.blob}/${kit.server.account}${container(path)}/source`,
        },
      }),
      "Copy Blob From URL": (path) => ({
        method: "PUT",
        headers: {
          "x-ms-copy-source": `${kit.server.endpoints.blob}/${kit.server.account}${container(path)}/source?${sasOf(path)}`,
          "x-ms-requires-sync": "true",
        },
      }),
      "Delete Blob": () => ({ method: "DELETE" }),
    },
    read: {
      "Get Blob": () => ({}),
      "Get Properties": () => ({ method: "HEAD" }),
      "Get Metadata": () => ({ query: { comp: "metadata" } }),
      "Get Block List": () => ({ query: { comp: "blocklist" } }),
      "Get Tags": () => ({ query: { comp: "tags" } }),
      "Snapshot Blob": () => ({ method: "PUT", query: { comp: "snapshot" } }),
      "Set Tier": () => ({ method: "PUT", query: { comp: "tier" }, headers: { "x-ms-access-tier": "Cool" } }),
    },
  };

  for (const kind of ["write", "read"] as const) {
    for (const [name, requestOf] of Object.entries(OPERATIONS[kind])) {
      test(`${name} meets a lease in every state, with and without its id`, async () => {
        for (const state of LEASE_STATES) {
          for (const id of ["A", "B", "none"]) {
            const thing = await leasable(kit, "Blob");
            await kit.raw({
              method: "PUT",
              path: `${container(thing.path)}/source`,
              headers: { "x-ms-blob-type": "BlockBlob" },
              body: "source",
            });
            await thing.bring(state);
            const request = requestOf(thing.path);
            const lease: Record<string, string> = id === "none" ? {} : { "x-ms-lease-id": IDS[id]! };
            const reply = await thing.send({ ...request, headers: { ...request.headers, ...lease } });
            const cell = cellOf(USE_TABLE.Blob, `${kind} ${id}`, state);
            const label = `${name}, ${state}, ${id}`;
            if (!cell.startsWith("ok")) {
              assert.deepEqual([reply.status, reply.code], [412, cell], label);
              continue;
            }
            // A copy may outlast a break, so a breaking lease on the destination is not enough.
            if (name === "Copy Blob" && state === "breaking") {
              assert.equal(reply.code, "InfiniteLeaseDurationRequired", label);
              continue;
            }
            assert.ok(reply.status < 300, `${label}: ${reply.status} ${reply.code}`);
            if (name === "Delete Blob") continue;
            const writesContent = kind === "write" && !["Put Block", "Set Tags"].includes(name);
            const after = cell === "ok -> available" && writesContent ? "available" : state;
            assert.equal((await thing.state()).split(" ")[0], after, label);
          }
        }
      });
    }
  }

  test("a container's lease reserves its deletion and nothing else", async () => {
    const uses: Readonly<Record<"write" | "read", readonly RawRequest[]>> = {
      write: [{ method: "DELETE" }],
      read: [
        { method: "GET" },
        { query: { comp: "metadata" } },
        { query: { comp: "acl" } },
        { method: "PUT", query: { comp: "metadata" } },
        { method: "PUT", query: { comp: "acl" } },
      ],
    };
    for (const kind of ["write", "read"] as const) {
      for (const request of uses[kind]) {
        for (const state of LEASE_STATES) {
          for (const id of ["A", "B", "none"]) {
            const thing = await leasable(kit, "Container");
            await thing.bring(state);
            const headers: Record<string, string> = id === "none" ? {} : { "x-ms-lease-id": IDS[id]! };
            const reply = await thing.send({ ...request, headers });
            const cell = cellOf(USE_TABLE.Container, `${kind} ${id}`, state);
            const label = `${request.method} ${request.query?.comp} ${state} ${id}`;
            if (cell === "ok") assert.ok(reply.status < 300, `${label}: ${reply.code}`);
            else assert.deepEqual([reply.status, reply.code], [412, cell], label);
          }
        }
      }
    }
    const thing = await leasable(kit, "Container");
    await thing.bring("expired");
    await thing.send({ method: "PUT", query: { comp: "metadata" } });
    assert.equal((await thing.act("renew A")).status, 200);
    const put = await kit.raw({
      method: "PUT",
      path: `${thing.path}/free`,
      headers: { "x-ms-blob-type": "BlockBlob" },
      body: "x",
    });
    assert.equal(put.status, 201);
  });

  test("an expired lease is renewed unless another client wrote meanwhile", async () => {
    const thing = await leasable(kit, "Blob");
    await thing.bring("expired");
    await thing.send({});
    assert.equal((await thing.act("renew A")).status, 200);
    kit.server.clock.advance(15_000);
    await thing.send({ method: "PUT", query: { comp: "metadata" } });
    const lost = await thing.act("renew A");
    assert.deepEqual([lost.status, lost.code], [409, "LeaseIdMismatchWithLeaseOperation"]);
  });

  test("an overwrite with the id keeps the lease on the new content; a deletion ends it", async () => {
    const created = await kit.container();
    const blob = created.getBlockBlobClient("kept");
    await blob.upload("one", 3);
    const lease = blob.getBlobLeaseClient(IDS.A);
    await lease.acquireLease(30);
    kit.server.clock.advance(10_000);
    await blob.upload("two", 3, { conditions: { leaseId: IDS.A! } });
    assert.equal((await blob.getProperties()).leaseState, "leased");
    kit.server.clock.advance(20_000);
    assert.equal((await blob.getProperties()).leaseState, "expired");
    await lease.acquireLease(-1);
    await blob.delete({ conditions: { leaseId: IDS.A! } });
    await blob.upload("three", 5);
    assert.equal((await blob.getProperties()).leaseState, "available");
    await assert.rejects(
      created.getBlockBlobClient("absent").upload("x", 1, { conditions: { leaseId: IDS.A! } }),
      refused(412, "LeaseNotPresentWithBlobOperation"),
    );
  });

  test("a blob of uncommitted blocks can be leased, and then needs its id", async () => {
    const created = await kit.container();
    const blob = created.getBlockBlobClient("uncommitted");
    await blob.stageBlock("AAAA", "x", 1);
    await blob.getBlobLeaseClient(IDS.A).acquireLease(-1);
    await assert.rejects(blob.stageBlock("BBBB", "y", 1), refused(412, "LeaseIdMissing"));
    await assert.rejects(blob.commitBlockList(["AAAA"]), refused(412, "LeaseIdMissing"));
    await blob.commitBlockList(["AAAA"], { conditions: { leaseId: IDS.A! } });
    assert.equal((await blob.getProperties()).leaseState, "leased");
    await assert.rejects(
      created.getBlockBlobClient("none").getBlobLeaseClient().acquireLease(15),
      refused(404, "BlobNotFound"),
    );
  });

  test("the headers of a lease request are checked", async () => {
    const thing = await leasable(kit, "Blob");
    const code = async (action: string, headers: Record<string, string> = {}) =>
      (await thing.lease(action, headers)).code;
    assert.equal(await code("acquire"), "MissingRequiredHeader");
    for (const length of ["0", "14", "61", "-2", "x", ""]) {
      assert.equal(await code("acquire", { "x-ms-lease-duration": length }), "InvalidHeaderValue", length);
    }
    assert.equal(
      await code("acquire", { "x-ms-lease-duration": "15", "x-ms-proposed-lease-id": "mine" }),
      "InvalidHeaderValue",
    );
    assert.equal(await code("renew"), "MissingRequiredHeader");
    assert.equal(await code("release", { "x-ms-lease-id": "mine" }), "InvalidHeaderValue");
    assert.equal(await code("change", { "x-ms-lease-id": IDS.A! }), "MissingRequiredHeader");
    assert.equal(await code("break", { "x-ms-lease-break-period": "61" }), "InvalidHeaderValue");
    assert.equal(await code("borrow"), "InvalidHeaderValue");
    const none = await thing.send({ method: "PUT", query: { comp: "lease" } });
    assert.equal(none.code, "MissingRequiredHeader");
    const braces = { "x-ms-lease-duration": "15", "x-ms-proposed-lease-id": `{${IDS.A!.toUpperCase()}}` };
    assert.equal((await thing.lease("acquire", braces)).headers["x-ms-lease-id"], IDS.A);
    const tags = await thing.send({ query: { comp: "tags" }, headers: { "x-ms-lease-id": "mine" } });
    assert.deepEqual([tags.status, tags.code], [400, "InvalidHeaderValue"]);
  });
});
