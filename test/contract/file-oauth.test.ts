import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import {
  FileSASPermissions,
  generateFileSASQueryParameters,
  ShareFileClient,
  ShareServiceClient,
} from "@azure/storage-file-share";
import { startTestServer } from "../kit/server.ts";
import { tokenOf } from "../support/tokens.ts";
import { refused } from "./file/kit.ts";

const file = (name: string): string => fileURLToPath(new URL(`../kit/certificates/${name}`, import.meta.url));

test("a bearer token works a share, and its user delegation key signs a SAS for a file", async () => {
  const flags = ["--cert", file("cert.pem"), "--key", file("key.pem"), "--oauth", "basic"];
  const server = await startTestServer({ flags });
  try {
    const seconds = Math.floor(Date.now() / 1_000);
    const token = tokenOf({ nbf: seconds - 60, exp: seconds + 3_600 });
    const credential = { getToken: async () => ({ token, expiresOnTimestamp: Date.now() + 3_600_000 }) };
    const options = {
      retryOptions: { maxTries: 1 },
      tlsOptions: { ca: readFileSync(file("cert.pem"), "utf8"), rejectUnauthorized: false },
      fileRequestIntent: "backup" as const,
    };
    const url = `${server.endpoints.file}/${server.account}`;
    const service = new ShareServiceClient(url, credential, options);
    const share = service.getShareClient("tokens");
    await share.create();
    await share.rootDirectoryClient.createFile("f", 3);
    // The key belongs to the user and to no share: the SDK sends no intent along.
    const startsOn = new Date(Date.now() - 60_000);
    const expiresOn = new Date(Date.now() + 3_600_000);
    const key = await service.getUserDelegationKey(startsOn, expiresOn);
    assert.equal(key.signedService, "f");
    const sas = generateFileSASQueryParameters(
      { shareName: "tokens", filePath: "f", permissions: FileSASPermissions.parse("r"), startsOn, expiresOn },
      key,
      server.account,
    );
    const delegated = new ShareFileClient(`${url}/tokens/f?${sas}`, undefined, options);
    assert.equal((await delegated.downloadToBuffer()).length, 3);
    await refused(delegated.delete(), 403, "AuthorizationPermissionMismatch");

    const { fileRequestIntent: _, ...without } = options;
    const silent = new ShareServiceClient(url, credential, without).getShareClient("tokens");
    await refused(silent.getProperties(), 400, "MissingRequiredHeader");
  } finally {
    await server.close();
  }
});
