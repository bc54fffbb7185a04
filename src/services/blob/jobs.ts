import type { BackgroundJob } from "../reclaim/background-jobs.ts";
import type { BlobContext } from "./context.ts";
import { deadlineJob } from "./deadlines.ts";
import { defragmentPages } from "./defragment-pages.ts";
import { interruptedBlobCopies } from "./interrupted-copies.ts";
import { reclaimGarbage } from "./reclaim-garbage.ts";

/** What the Blob service does in the background. */
export function blobJobs(blobs: BlobContext): readonly BackgroundJob[] {
  return [reclaimGarbage(blobs), deadlineJob(blobs), defragmentPages(blobs), interruptedBlobCopies(blobs)];
}
