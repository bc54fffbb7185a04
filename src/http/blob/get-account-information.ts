import type { HttpReply } from "../exchange.ts";

/** The same on any address, whether or not the container or blob exists. */
export async function handleGetAccountInformation(): Promise<HttpReply> {
  const headers = {
    "x-ms-sku-name": "Standard_RAGRS",
    "x-ms-account-kind": "StorageV2",
    "x-ms-is-hns-enabled": "false",
  };
  return { status: 200, headers };
}
