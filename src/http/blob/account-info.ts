import { GET_USER_DELEGATION_KEY } from "../common/user-delegation-key.ts";
import type { HttpReply } from "../exchange.ts";
import type { ResourceKind } from "../operation.ts";
import { type BlobRow, getAndHead } from "./rows.ts";

/** The same on any address; nothing there needs to exist. */
async function getAccountInformation(): Promise<HttpReply> {
  const headers = {
    "x-ms-sku-name": "Standard_RAGRS",
    "x-ms-account-kind": "StorageV2",
    "x-ms-is-hns-enabled": "false",
  };
  return { status: 200, headers };
}

const ANY_LETTER = [..."rwdlacuptfixy"];

function accountInformation(resource: ResourceKind): BlobRow[] {
  const where = { service: "", container: "OfContainer", blob: "OfBlob" }[resource as string];
  return getAndHead({
    name: `GetAccountInformation${where}`,
    resource,
    query: { restype: "account", comp: "properties" },
    permission: { type: "sco", account: ANY_LETTER, service: ANY_LETTER, bearerSince: "2025-07-05" },
    handle: getAccountInformation,
  });
}

export const ACCOUNT_ROWS: readonly BlobRow[] = [
  ...accountInformation("service"),
  ...accountInformation("container"),
  ...accountInformation("blob"),
  GET_USER_DELEGATION_KEY,
];
