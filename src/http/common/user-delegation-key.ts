import { LIMITS } from "../../base/limits.ts";
import { Refusal } from "../../base/refusals.ts";
import type { AuthContext } from "../auth/authenticate.ts";
import { delegationKeyValue, SERVICE_LETTERS } from "../auth/delegation-key.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { parseIsoDate } from "../wire/dates.ts";
import { parseXml, type XmlElement } from "../wire/xml.ts";
import { element, optionalElement, printXml, textElement } from "../wire/xml-print.ts";
import { invalidValue, onlyChildren, requiredChild } from "../wire/xml-values.ts";
import { XML } from "./replies.ts";
import { onService, row, xml } from "./rows.ts";

const DELEGATION_VERSION = "2018-11-09";

interface AuthServices {
  readonly auth: AuthContext;
}

/** POST /?restype=service&comp=userdelegationkey: a key for signing SAS, bound to the token's user. */
async function handleGetUserDelegationKey(request: HttpRequest, { auth }: AuthServices): Promise<HttpReply> {
  const { caller, target, version } = request;
  const account = auth.accounts.find(target.account);
  if (caller.kind !== "bearer" || account === undefined) {
    throw new Refusal("AuthenticationFailed", {
      elements: { AuthenticationErrorDetail: "Only authentication scheme Bearer is supported" },
    });
  }
  const root = parseXml(await request.body.read(LIMITS.keyInfoBytesMax));
  onlyChildren(root, ["Start", "Expiry", "DelegatedUserTid"]);
  const expiry = timeOf(requiredChild(root, "Expiry"), request.receivedAt);
  const startField = root.child("Start");
  const start =
    startField === undefined || startField.text === ""
      ? request.receivedAt
      : timeOf(startField, request.receivedAt);
  if (expiry <= start || expiry <= request.receivedAt) throw invalidValue(requiredChild(root, "Expiry"));
  const delegatedTenantId = root.textOf("DelegatedUserTid");
  const fields = {
    objectId: caller.objectId,
    tenantId: caller.tenantId,
    start,
    expiry,
    service: SERVICE_LETTERS[target.service],
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

function timeOf(field: XmlElement, now: number): number {
  const instant = parseIsoDate(field.text.trim());
  if (instant === undefined || Math.abs(instant - now) > LIMITS.delegationKeyMillisMax)
    throw invalidValue(field);
  return instant;
}

/** SDKs drop the fraction of a second, and the key is bound to the time that they send back. */
function wholeSeconds(instant: number): string {
  return `${new Date(instant).toISOString().slice(0, 19)}Z`;
}

export const GET_USER_DELEGATION_KEY = row(
  "GetUserDelegationKey",
  "POST service?restype=service&comp=userdelegationkey",
  { ...onService(), isIntentFree: true },
  handleGetUserDelegationKey,
  xml(LIMITS.keyInfoBytesMax),
);
