import type { FileService } from "../../services/file/file-service.ts";
import type { AuthContext } from "../auth/context.ts";
import type { CopySourceFetcher } from "../common/copy-source-fetcher.ts";
import type { CommonServices } from "../common/service-operations.ts";

/** What the handlers of the File service get. */
export interface FileServices extends CommonServices {
  readonly files: FileService;
  /** For the SAS in the address of a copy or rename source. */
  readonly auth: AuthContext;
  /** For sources on other servers, or at other services of this one. */
  readonly sources: CopySourceFetcher;
}
