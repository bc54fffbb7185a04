import { Refusal, type RefusalCode } from "../../base/refusals.ts";
import { safeText } from "../../observability/redact.ts";
import type { HttpRequest, ServiceName } from "../exchange.ts";

/**
 * The refusals of authentication. A refusal quotes the string to sign, because a client that signs wrongly
 * needs it, but no signatures and keys inside it: error bodies end in logs and bug reports.
 */
const TENANT = "00000000-0000-0000-0000-000000000000";
const CHALLENGE = `Bearer authorization_uri=https://login.microsoftonline.com/${TENANT}/oauth2/authorize resource_id=https://storage.azure.com`;

/** Header and parameter lines whose whole value is a secret; `safeText` masks signatures inside addresses. */
const SECRET_LINE = /^(x-ms-(?:[a-z-]+-)?(?:encryption-key|authorization|token)|sig):.*$/gm;

export function authenticationFailed(detail: string): Refusal {
  return new Refusal("AuthenticationFailed", { elements: { AuthenticationErrorDetail: detail } });
}

export function sharedKeyMismatch(stringToSign: string): Refusal {
  return authenticationFailed(
    `The MAC signature found in the HTTP request is not the same as any computed signature. Server used following string to sign: '${withoutSecrets(stringToSign)}'.`,
  );
}

export function sasMismatch(stringToSign: string): Refusal {
  return authenticationFailed(
    `Signature did not match. String to sign used was ${withoutSecrets(stringToSign)}`,
  );
}

/** A SAS field that is missing or not well formed. */
export function sasFieldInvalid(name: string): Refusal {
  return authenticationFailed(`The SAS field ${name} is missing or not in the correct format.`);
}

/** Since this version an unauthenticated caller gets a challenge instead of a plain refusal. */
const CHALLENGE_SINCE: Readonly<Record<ServiceName, string>> = {
  blob: "2019-12-12",
  queue: "2019-12-12",
  table: "2020-12-06",
  file: "2021-12-02",
};

export function isChallenged({ target, version }: Pick<HttpRequest, "target" | "version">): boolean {
  return version >= CHALLENGE_SINCE[target.service];
}

/** 401 with the address of the token issuer. */
export function challenge(code: RefusalCode, detail?: string): Refusal {
  return new Refusal(code, {
    headers: { "WWW-Authenticate": CHALLENGE },
    ...(detail === undefined ? {} : { elements: { AuthenticationErrorDetail: detail } }),
  });
}

function withoutSecrets(stringToSign: string): string {
  return safeText(stringToSign.replaceAll(SECRET_LINE, "$1:***"));
}
