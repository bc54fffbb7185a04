import assert from "node:assert/strict";
import { test } from "node:test";
import {
  FileSASPermissions,
  generateFileSASQueryParameters,
  ShareFileClient,
  ShareServiceClient,
} from "@azure/storage-file-share";
import { startOauthServer } from "../kit/oauth.ts";
import { refused } from "./file/kit.ts";

test("a bearer token works a share, and its user delegation key signs a SAS for a file", async () => {
  const kit = await startOauthServer();
  const { server, credential, startsOn, expiresOn } = kit;
  try {
    const options = { ...kit.options, fileRequestIntent: "backup" as const };
    const url = kit.url("file");
    const service = new ShareServiceClient(url, credential, options);
    const share = service.getShareClient("tokens");
    await share.create();
    await share.rootDirectoryClient.createFile("f", 3);
    // The key belongs to the user and to no share: the SDK sends no intent along.
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

    const silent = new ShareServiceClient(url, credential, kit.options).getShareClient("tokens");
    await refused(silent.rootDirectoryClient.getProperties(), 400, "MissingRequiredHeader");
    await refused(silent.delete(), 400, "MissingRequiredHeader");
    // The SDK states no intent for these, whatever its options.
    assert.equal((await silent.getProperties()).quota, 5_120);
    assert.equal(await silent.exists(), true);
    await share.delete();
    const { value } = await service.listShares({ includeDeleted: true }).next();
    await service.undeleteShare("tokens", value.version);
    assert.equal(await share.exists(), true);
  } finally {
    await server.close();
  }
});
