import type { Revision } from "../../base/revision.ts";
import { changeContainer, type GuardedContainer } from "./containers.ts";
import type { BlobContext } from "./context.ts";

/** Set Container Metadata replaces all of it. */
export async function setContainerMetadata(
  blobs: BlobContext,
  request: GuardedContainer & { readonly metadata: Readonly<Record<string, string>> },
): Promise<Revision> {
  return changeContainer(blobs, request, ({ metadata: _, ...rest }) =>
    Object.keys(request.metadata).length === 0 ? rest : { ...rest, metadata: request.metadata },
  );
}
