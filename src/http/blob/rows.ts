import type { BlobService } from "../../services/blob/blob-service.ts";
import type { AuthContext } from "../auth/context.ts";
import type { CopySourceFetcher } from "../common/copy-source-fetcher.ts";
import type { CommonServices } from "../common/service-operations.ts";
import type { Operation, Permission } from "../operation.ts";

/** What the handlers of the Blob service are given. */
export interface BlobServices extends CommonServices {
  readonly blobs: BlobService;
  /** For user delegation keys, and for the right to read what is copied from. */
  readonly auth: AuthContext;
  /** For sources that are on other servers, or at other services of this one. */
  readonly sources: CopySourceFetcher;
}

export type BlobRow = Operation<BlobServices>;

/** A row with what most rows have: no body, no conditions, no lease, 200. */
export function row(
  given: Pick<BlobRow, "name" | "method" | "resource" | "permission" | "handle"> & Partial<BlobRow>,
): BlobRow {
  return {
    returnsEtag: false,
    conditions: [],
    lease: "none",
    body: "none",
    bodyBytesMax: 0,
    ok: [200],
    ...given,
  };
}

/** A read that answers GET with and HEAD without its body. */
export function getAndHead(given: Omit<Parameters<typeof row>[0], "method">): BlobRow[] {
  return [row({ ...given, method: "GET" }), row({ ...given, name: `${given.name}Head`, method: "HEAD" })];
}

/** Only the account's owner (or a token): no SAS of either kind may do it. */
export const OWNER_ONLY = { account: [], service: [] } as const;

export const onContainer = (account: readonly string[], service: readonly string[] = []): Permission => ({
  type: "c",
  account,
  service,
});

export const onBlob = (letters: readonly string[]): Permission => ({
  type: "o",
  account: letters,
  service: letters,
});
