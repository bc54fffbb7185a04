import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import {
  BlobClient,
  BlobSASPermissions,
  BlobServiceClient,
  generateBlobSASQueryParameters,
} from "@azure/storage-blob";
import { refused } from "../kit/blob.ts";
import { startOauthServer } from "../kit/oauth.ts";

test("over HTTPS: bearer tokens, a user delegation SAS, and keys of the customer's own", async () => {
  const kit = await startOauthServer();
  const { server, credential, options, startsOn, expiresOn } = kit;
  try {
    const url = kit.url("blob");
    const service = new BlobServiceClient(url, credential, options);
    const container = service.getContainerClient("tokens");
    await container.create();
    await container.uploadBlockBlob("by-token", "text", 4);
    assert.equal((await service.getAccountInfo()).accountKind, "StorageV2");

    const key = await service.getUserDelegationKey(startsOn, expiresOn);
    assert.equal(key.signedService, "b");
    const sas = generateBlobSASQueryParameters(
      {
        containerName: "tokens",
        blobName: "by-token",
        permissions: BlobSASPermissions.parse("r"),
        startsOn,
        expiresOn,
      },
      key,
      server.account,
    );
    const delegated = new BlobClient(`${url}/tokens/by-token?${sas}`, undefined, options);
    assert.equal((await delegated.downloadToBuffer()).toString(), "text");
    await assert.rejects(delegated.delete(), refused(403, "AuthorizationPermissionMismatch"));

    const keyOf = (seed: number) => {
      const bytes = Buffer.alloc(32, seed);
      return {
        encryptionKey: bytes.toString("base64"),
        encryptionKeySha256: createHash("sha256").update(bytes).digest("base64"),
        encryptionAlgorithm: "AES256" as const,
      };
    };
    const secret = container.getBlockBlobClient("secret");
    await secret.upload("mine", 4, { customerProvidedKey: keyOf(1) });
    await assert.rejects(secret.download(), refused(409, "BlobUsesCustomerSpecifiedEncryption"));
    await assert.rejects(secret.download(0, undefined, { customerProvidedKey: keyOf(2) }), refused(409));
    const read = await secret.downloadToBuffer(0, undefined, { customerProvidedKey: keyOf(1) });
    assert.equal(read.toString(), "mine");
  } finally {
    await server.close();
  }
});
