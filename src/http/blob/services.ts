import type { BlobContext } from "../../services/blob/context.ts";
import type { AuthContext } from "../auth/context.ts";
import type { CopySourceFetcher } from "../common/copy-source-fetcher.ts";
import type { CommonServices } from "../common/service-operations.ts";

/** What the handlers of the Blob service get. */
export interface BlobServices extends CommonServices {
  readonly blobs: BlobContext;
  /** For user delegation keys, and for the permission to read the source of a copy. */
  readonly auth: AuthContext;
  /** For sources on other servers, or at other services of this one. */
  readonly sources: CopySourceFetcher;
  /**
   * How many Put Blobs have a body, or its beginning, and no reply yet: with many, their MD5s are computed
   * together.
   */
  readonly puts: { inFlight: number };
}
