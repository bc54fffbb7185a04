import assert from "node:assert/strict";
import { test } from "node:test";
import {
  generateQueueSASQueryParameters,
  QueueClient,
  QueueSASPermissions,
  QueueServiceClient,
} from "@azure/storage-queue";
import { startOauthServer } from "../kit/oauth.ts";
import { refusedWith } from "../kit/queues.ts";
import { sendRaw } from "../kit/raw-request.ts";

test("a bearer token works a queue, and its user delegation key signs a SAS for it", async () => {
  const kit = await startOauthServer();
  const { server, credential, options, startsOn, expiresOn } = kit;
  try {
    const url = kit.url("queue");
    const service = new QueueServiceClient(url, credential, options);
    const queue = service.getQueueClient("tokens");
    await queue.create();
    await queue.sendMessage("by token");

    const key = await service.getUserDelegationKey(startsOn, expiresOn);
    assert.equal(key.signedService, "q");
    const sas = generateQueueSASQueryParameters(
      { queueName: "tokens", permissions: QueueSASPermissions.parse("r"), startsOn, expiresOn },
      key,
      server.account,
    );
    const delegated = new QueueClient(`${url}/tokens?${sas}`, undefined, options);
    const { peekedMessageItems } = await delegated.peekMessages();
    assert.equal(peekedMessageItems[0]?.messageText, "by token");
    await assert.rejects(delegated.sendMessage("x"), refusedWith("AuthorizationPermissionMismatch"));

    const byKey = await sendRaw(server, "queue", {
      method: "POST",
      path: "/",
      query: { restype: "service", comp: "userdelegationkey" },
      body: "<KeyInfo><Expiry>2030-01-01T00:00:00Z</Expiry></KeyInfo>",
    });
    assert.deepEqual([byKey.status, byKey.code], [403, "AuthenticationFailed"]);
  } finally {
    await server.close();
  }
});
