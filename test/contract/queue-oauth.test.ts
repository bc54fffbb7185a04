import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import {
  generateQueueSASQueryParameters,
  QueueClient,
  QueueSASPermissions,
  QueueServiceClient,
} from "@azure/storage-queue";
import { refusedWith } from "../kit/queues.ts";
import { sendRaw } from "../kit/raw-request.ts";
import { startTestServer } from "../kit/server.ts";
import { tokenOf } from "../support/tokens.ts";

const file = (name: string): string => fileURLToPath(new URL(`../kit/certificates/${name}`, import.meta.url));

test("a bearer token works a queue, and its user delegation key signs a SAS for it", async () => {
  const flags = ["--cert", file("cert.pem"), "--key", file("key.pem"), "--oauth", "basic"];
  const server = await startTestServer({ flags });
  try {
    const seconds = Math.floor(Date.now() / 1_000);
    const token = tokenOf({ nbf: seconds - 60, exp: seconds + 3_600 });
    const credential = { getToken: async () => ({ token, expiresOnTimestamp: Date.now() + 3_600_000 }) };
    const options = {
      retryOptions: { maxTries: 1 },
      tlsOptions: { ca: readFileSync(file("cert.pem"), "utf8"), rejectUnauthorized: false },
    };
    const url = `${server.endpoints.queue}/${server.account}`;
    const service = new QueueServiceClient(url, credential, options);
    const queue = service.getQueueClient("tokens");
    await queue.create();
    await queue.sendMessage("by token");

    const startsOn = new Date(Date.now() - 60_000);
    const expiresOn = new Date(Date.now() + 3_600_000);
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
