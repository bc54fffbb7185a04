import { LIMITS } from "../../base/limits.ts";
import { BLOB_LIMITS } from "../../base/limits-blob.ts";
import { Refusal } from "../../base/refusals.ts";
import { delegationKeyValue } from "../auth/delegation-key.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import type { ResourceKind } from "../operation.ts";
import { parseIsoDate } from "../wire/dates.ts";
import { parseXml, type XmlElement } from "../wire/xml.ts";
import { element, optionalElement, printXml, textElement } from "../wire/xml-print.ts";
import { invalidValue, onlyChildren, requiredChild } from "../wire/xml-values.ts";
import { XML } from "./replies.ts";
import { type BlobRow, type BlobServices, getAndHead, OWNER_ONLY, row } from "./rows.ts";

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

function accountInformation(resource: ResourceKind, type: "s" | "c" | "o"): BlobRow[] {
  const where = { service: "", container: "OfContainer", blob: "OfBlob" }[resource as string];
  return getAndHead({
    name: `GetAccountInformation${where}`,
    resource,
    query: { restype: "account", comp: "properties" },
    permission: { type, account: ANY_LETTER, service: ANY_LETTER, bearerSince: "never" },
    handle: getAccountInformation,
  });
}

const DELEGATION_VERSION = "2018-11-09";

/** POST /?restype=service&comp=userdelegationkey: a key for signing SAS, bound to the token's user. */
async function getUserDelegationKey(request: HttpRequest, { accounts }: BlobServices): Promise<HttpReply> {
  const { caller, target, version } = request;
  const account = accounts.find(target.account);
  if (caller.kind !== "bearer" || account === undefined) {
    throw new Refusal("AuthenticationFailed", {
      elements: { AuthenticationErrorDetail: "Only authentication scheme Bearer is supported" },
    });
  }
  const root = parseXml(await request.body.read(BLOB_LIMITS.keyInfoBodyBytesMax));
  onlyChildren(root, ["Start", "Expiry", "DelegatedUserTid"]);
  const expiry = timeOf(requiredChild(root, "Expiry"), request.receivedAt);
  const given = root.child("Start");
  const start =
    given === undefined || given.text === "" ? request.receivedAt : timeOf(given, request.receivedAt);
  if (expiry <= start || expiry <= request.receivedAt) throw invalidValue(requiredChild(root, "Expiry"));
  const delegatedTenantId = root.textOf("DelegatedUserTid");
  const fields = {
    objectId: caller.objectId,
    tenantId: caller.tenantId,
    start,
    expiry,
    service: "b",
    version: version === "" ? DELEGATION_VERSION : version,
    delegatedTenantId,
  };
  const content =
    textElement("SignedOid", fields.objectId) +
    textElement("SignedTid", fields.tenantId) +
    textElement("SignedStart", wholeSeconds(start)) +
    textElement("SignedExpiry", wholeSeconds(expiry)) +
    textElement("SignedService", fields.service) +
    textElement("SignedVersion", fields.version) +
    optionalElement("SignedDelegatedUserTid", delegatedTenantId) +
    textElement("Value", delegationKeyValue(account, fields));
  return { status: 200, headers: XML, body: printXml(element("UserDelegationKey", content)) };
}

function timeOf(node: XmlElement, now: number): number {
  const instant = parseIsoDate(node.text.trim());
  if (instant === undefined || Math.abs(instant - now) > LIMITS.delegationKeyMillisMax)
    throw invalidValue(node);
  return instant;
}

/** SDKs drop the fraction of what they are given, and the key is bound to what they send back. */
function wholeSeconds(instant: number): string {
  return `${new Date(instant).toISOString().slice(0, 19)}Z`;
}

export const ACCOUNT_ROWS: readonly BlobRow[] = [
  ...accountInformation("service", "s"),
  ...accountInformation("container", "c"),
  ...accountInformation("blob", "o"),
  row({
    name: "GetUserDelegationKey",
    method: "POST",
    resource: "service",
    query: { restype: "service", comp: "userdelegationkey" },
    permission: { type: "s", ...OWNER_ONLY },
    body: "xml",
    bodyBytesMax: BLOB_LIMITS.keyInfoBodyBytesMax,
    handle: getUserDelegationKey,
  }),
];
