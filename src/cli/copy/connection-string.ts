import { ConfigError } from "../../base/config-error.ts";
import { WELL_KNOWN_ACCOUNT, WELL_KNOWN_KEY } from "../../services/account/account-list.ts";

export const SERVICES = ["blob", "queue", "table", "file"] as const;
export type CopiedService = (typeof SERVICES)[number];

/** An account of any Azure-compatible server, as its connection string describes it. */
export interface Account {
  readonly name: string;
  /** One of them signs requests. */
  readonly key: Buffer | undefined;
  readonly sas: string | undefined;
  /** A service without an endpoint does not exist there. */
  readonly endpoints: Readonly<Partial<Record<CopiedService, URL>>>;
}

const DEVELOPMENT = [
  `AccountName=${WELL_KNOWN_ACCOUNT}`,
  `AccountKey=${WELL_KNOWN_KEY}`,
  `BlobEndpoint=http://127.0.0.1:10000/${WELL_KNOWN_ACCOUNT}`,
  `QueueEndpoint=http://127.0.0.1:10001/${WELL_KNOWN_ACCOUNT}`,
  `TableEndpoint=http://127.0.0.1:10002/${WELL_KNOWN_ACCOUNT}`,
  `FileEndpoint=http://127.0.0.1:10003/${WELL_KNOWN_ACCOUNT}`,
].join(";");

/** `flag` names where the text came from. The text is never quoted in an error, because it holds a key. */
export function parseConnectionString(flag: string, text: string): Account {
  const parts = new Map<string, string>();
  for (const part of text.split(";")) {
    const equals = part.indexOf("=");
    if (equals > 0) parts.set(part.slice(0, equals).trim().toLowerCase(), part.slice(equals + 1).trim());
  }
  if (parts.get("usedevelopmentstorage") === "true") return parseConnectionString(flag, DEVELOPMENT);
  const name = parts.get("accountname");
  const key = parts.get("accountkey");
  const sas = parts.get("sharedaccesssignature")?.replace(/^\?/, "");
  if ((name === undefined || key === undefined) && sas === undefined)
    throw new ConfigError(flag, "expected AccountName and AccountKey, or SharedAccessSignature");
  const protocol = parts.get("defaultendpointsprotocol") ?? "https";
  const suffix = parts.get("endpointsuffix") ?? "core.windows.net";
  const hasOwn = SERVICES.some((service) => parts.has(`${service}endpoint`));
  const endpoints = SERVICES.flatMap((service) => {
    const own = parts.get(`${service}endpoint`);
    if (own === undefined && (hasOwn || name === undefined)) return [];
    return [[service, urlOf(flag, own ?? `${protocol}://${name}.${service}.${suffix}`)]];
  });
  return {
    name: name ?? "",
    key: key === undefined ? undefined : Buffer.from(key, "base64"),
    sas,
    endpoints: Object.fromEntries(endpoints) as Account["endpoints"],
  };
}

function urlOf(flag: string, text: string): URL {
  if (!URL.canParse(text)) throw new ConfigError(flag, `expected the address of a service, found ${text}`);
  return new URL(text);
}
