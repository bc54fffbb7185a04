import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import {
  AccountSASPermissions,
  AccountSASResourceTypes,
  AccountSASServices,
  generateAccountSASQueryParameters,
  generateQueueSASQueryParameters,
  QueueClient,
  QueueSASPermissions,
  QueueServiceClient,
  StorageSharedKeyCredential,
} from "@azure/storage-queue";
import { refusedWith } from "../kit/queues.ts";
import { startTestServer, type TestServer } from "../kit/server.ts";

const NONE = "not grantable";

/** Each operation on a queue, the letter a service SAS needs for it, and those of an account SAS. */
const OPERATIONS: readonly {
  readonly name: string;
  readonly service: string;
  readonly account: { readonly type: string; readonly letters: readonly string[] } | typeof NONE;
  readonly run: (queue: QueueClient, owner: QueueClient) => Promise<unknown>;
}[] = [
  {
    name: "Put Message",
    service: "a",
    account: { type: "o", letters: ["a"] },
    run: (queue) => queue.sendMessage("x"),
  },
  {
    name: "Get Messages",
    service: "p",
    account: { type: "o", letters: ["p"] },
    run: (queue) => queue.receiveMessages(),
  },
  {
    name: "Peek Messages",
    service: "r",
    account: { type: "o", letters: ["r"] },
    run: (queue) => queue.peekMessages(),
  },
  {
    name: "Update Message",
    service: "u",
    account: { type: "o", letters: ["u"] },
    run: async (queue, owner) => {
      const { messageId, popReceipt } = await owner.sendMessage("x");
      return queue.updateMessage(messageId, popReceipt, "y", 0);
    },
  },
  {
    name: "Delete Message",
    service: "p",
    account: { type: "o", letters: ["p"] },
    run: async (queue, owner) => {
      const { messageId, popReceipt } = await owner.sendMessage("x");
      return queue.deleteMessage(messageId, popReceipt);
    },
  },
  {
    name: "Clear Messages",
    service: NONE,
    account: { type: "o", letters: ["d"] },
    run: (queue) => queue.clearMessages(),
  },
  {
    name: "Get Queue Metadata",
    service: "r",
    account: { type: "c", letters: ["r"] },
    run: (queue) => queue.getProperties(),
  },
  {
    name: "Set Queue Metadata",
    service: NONE,
    account: { type: "c", letters: ["w"] },
    run: (queue) => queue.setMetadata({}),
  },
  { name: "Get Queue ACL", service: NONE, account: NONE, run: (queue) => queue.getAccessPolicy() },
  { name: "Set Queue ACL", service: NONE, account: NONE, run: (queue) => queue.setAccessPolicy([]) },
  {
    name: "Create Queue",
    service: NONE,
    account: { type: "c", letters: ["c", "w"] },
    run: (queue) => queue.create(),
  },
  {
    name: "Delete Queue",
    service: NONE,
    account: { type: "c", letters: ["d"] },
    run: async (queue, owner) => {
      await queue.delete();
      await owner.create();
    },
  },
];

suite("shared access signatures of queues", () => {
  let server: TestServer;
  let credential: StorageSharedKeyCredential;
  let owner: QueueClient;
  const expiresOn = new Date(Date.now() + 3_600_000);
  const once = { retryOptions: { maxTries: 1 } };
  before(async () => {
    server = await startTestServer();
    credential = new StorageSharedKeyCredential(server.account, server.key);
    owner = QueueServiceClient.fromConnectionString(server.connectionString).getQueueClient("orders");
    await owner.create();
  });
  after(() => server.close());

  const serviceSas = (permissions: string, queueName = "orders"): string =>
    generateQueueSASQueryParameters(
      { queueName, expiresOn, permissions: QueueSASPermissions.parse(permissions) },
      credential,
    ).toString();
  const accountSas = (permissions: string, resourceTypes: string): string =>
    generateAccountSASQueryParameters(
      {
        expiresOn,
        permissions: AccountSASPermissions.parse(permissions),
        resourceTypes: AccountSASResourceTypes.parse(resourceTypes).toString(),
        services: AccountSASServices.parse("q").toString(),
      },
      credential,
    ).toString();
  const clientWith = (sas: string, queue = "orders"): QueueClient =>
    new QueueClient(`${server.endpoints.queue}/${server.account}/${queue}?${sas}`, undefined, once);

  for (const { name, service, account, run } of OPERATIONS) {
    test(`${name} with a service SAS`, async () => {
      for (const letter of ["r", "a", "u", "p"]) {
        const attempt = run(clientWith(serviceSas(letter)), owner);
        if (service === letter) await attempt;
        else {
          const code = service === NONE ? "AuthorizationFailure" : "AuthorizationPermissionMismatch";
          await assert.rejects(attempt, refusedWith(code), letter);
        }
      }
    });

    test(`${name} with an account SAS`, async () => {
      const all = "rwdlacup";
      if (account === NONE) {
        await assert.rejects(
          run(clientWith(accountSas(all, "sco")), owner),
          refusedWith("AuthorizationFailure"),
        );
        return;
      }
      for (const letter of all) {
        const attempt = run(clientWith(accountSas(letter, account.type)), owner);
        if (account.letters.includes(letter)) await attempt;
        else await assert.rejects(attempt, refusedWith("AuthorizationPermissionMismatch"), letter);
      }
      const others = "sco".replace(account.type, "");
      await assert.rejects(
        run(clientWith(accountSas(all, others)), owner),
        refusedWith("AuthorizationResourceTypeMismatch"),
      );
    });
  }

  test("List Queues needs an account SAS with l on the service", async () => {
    const list = async (sas: string): Promise<void> => {
      const client = new QueueServiceClient(
        `${server.endpoints.queue}/${server.account}?${sas}`,
        undefined,
        once,
      );
      for await (const _ of client.listQueues()) break;
    };
    await list(accountSas("l", "s"));
    await assert.rejects(list(accountSas("r", "s")), refusedWith("AuthorizationPermissionMismatch"));
    await assert.rejects(list(accountSas("l", "c")), refusedWith("AuthorizationResourceTypeMismatch"));
  });

  test("a service SAS opens its own queue only", async () => {
    await assert.rejects(
      clientWith(serviceSas("raup", "orders"), "others").peekMessages(),
      refusedWith("AuthenticationFailed"),
    );
  });

  test("a stored policy gives what the SAS leaves out, and takes it away at once", async () => {
    await owner.setAccessPolicy([
      { id: "readers", accessPolicy: { permissions: "r", expiresOn } },
      { id: "late", accessPolicy: { permissions: "r", expiresOn: new Date(server.clock.now() - 1_000) } },
    ]);
    const named = (identifier: string): QueueClient =>
      clientWith(generateQueueSASQueryParameters({ queueName: "orders", identifier }, credential).toString());
    await named("readers").peekMessages();
    await assert.rejects(named("readers").sendMessage("x"), refusedWith("AuthorizationPermissionMismatch"));
    await assert.rejects(named("late").peekMessages(), refusedWith("AuthenticationFailed"));
    await assert.rejects(named("unknown").peekMessages(), refusedWith("AuthenticationFailed"));
    await owner.setAccessPolicy([{ id: "readers", accessPolicy: { permissions: "a", expiresOn } }]);
    await assert.rejects(named("readers").peekMessages(), refusedWith("AuthorizationPermissionMismatch"));
    await named("readers").sendMessage("x");
    await owner.setAccessPolicy([]);
    await assert.rejects(named("readers").sendMessage("x"), refusedWith("AuthenticationFailed"));
  });
});
