import type { ServiceName } from "../exchange.ts";

/** The caller, as the request proves it. `authorize` decides what it may do. */
export type Caller =
  | { readonly kind: "owner"; readonly account: string }
  | {
      readonly kind: "bearer";
      readonly account: string;
      readonly objectId: string;
      readonly tenantId: string;
    }
  | { readonly kind: "anonymous"; readonly account: string }
  | AccountSasCaller
  | ServiceSasCaller;

export interface AccountSasCaller {
  readonly kind: "accountSas";
  readonly account: string;
  /** sv: the version whose rules of authorization apply. */
  readonly version: string;
  readonly services: string;
  readonly resourceTypes: string;
  readonly permissions: string;
  readonly encryptionScope: string | undefined;
}

/**
 * A SAS for one container, blob, queue, table, share or file, signed by the account key or a delegated key.
 */
export interface ServiceSasCaller {
  readonly kind: "serviceSas";
  readonly account: string;
  /** sv: permission failures before 2015-04-05 have another refusal. */
  readonly version: string;
  readonly isDelegated: boolean;
  readonly service: ServiceName;
  /** sr: c, b, bs, bv, d, s, f; "q" and "t" stand for queue and table. */
  readonly resource: "c" | "b" | "bs" | "bv" | "d" | "s" | "f" | "q" | "t";
  /**
   * Decoded path the SAS is for: "container", "container/blob" ("$root/blob" for a blob of the root
   * container), "container/directory", "share", "share/file", "queue", "table" (lower-cased).
   */
  readonly path: string;
  /** The snapshot time of `bs`, the version id of `bv`. */
  readonly snapshot: string | undefined;
  readonly permissions: string;
  readonly encryptionScope: string | undefined;
  /**
   * rscc, rscd, rsce, rscl, rsct: headers that the reply to a GET has instead, by lower-cased header name
   * ("cache-control", "content-disposition", "content-encoding", "content-language", "content-type").
   */
  readonly overrides: Readonly<Record<string, string>>;
  readonly tableBounds: TableBounds | undefined;
}

/** A SAS with "create" alone may create and not change. */
export function mayOverwrite(caller: Caller): boolean {
  const isSas = caller.kind === "accountSas" || caller.kind === "serviceSas";
  return !isSas || caller.permissions.includes("w");
}

export interface TableBounds {
  readonly startPartition: string | undefined;
  readonly startRow: string | undefined;
  readonly endPartition: string | undefined;
  readonly endRow: string | undefined;
}
