import type { BlobService } from "../../services/blob/blob-service.ts";
import type { AuthContext } from "../auth/context.ts";
import type { CopySourceFetcher } from "../common/copy-source-fetcher.ts";
import type { CommonServices } from "../common/service-operations.ts";

/** What the handlers of the Blob service are given. */
export interface BlobServices extends CommonServices {
  readonly blobs: BlobService;
  /** For user delegation keys, and for the right to read what is copied from. */
  readonly auth: AuthContext;
  /** For sources that are on other servers, or at other services of this one. */
  readonly sources: CopySourceFetcher;
}
