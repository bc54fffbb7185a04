import { Refusal } from "../../base/refusals.ts";
import { BLOB_LIMITS } from "./limits.ts";

export interface ContainerRef {
  readonly account: string;
  readonly container: string;
}

export interface BlobRef extends ContainerRef {
  readonly blob: string;
}

const CONTAINER = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
/** Names with a meaning of their own; no rule of the others applies to them. */
const SPECIAL = new Set(["$root", "$web", "$logs", "$blobchangefeed"]);
/** Kept by the system on Azure: listed only when asked for. */
export const SYSTEM_CONTAINERS: ReadonlySet<string> = new Set(["$logs", "$blobchangefeed"]);

export function checkContainerName(name: string): void {
  if (SPECIAL.has(name)) return;
  const { containerNameCharsMin, containerNameCharsMax } = BLOB_LIMITS;
  if (name.length < containerNameCharsMin || name.length > containerNameCharsMax) {
    throw new Refusal("OutOfRangeInput", {
      text: "The specified resource name length is not within the permissible limits.",
    });
  }
  if (!CONTAINER.test(name)) throw new Refusal("InvalidResourceName");
}

export function checkBlobName(name: string): void {
  const { blobNameCharsMax, blobNameSegmentsMax } = BLOB_LIMITS;
  if (name.length === 0 || name.length > blobNameCharsMax) {
    throw new Refusal("OutOfRangeInput", {
      text: "The specified resource name length is not within the permissible limits.",
    });
  }
  if (name.length > blobNameSegmentsMax && name.split("/").length > blobNameSegmentsMax) {
    throw new Refusal("OutOfRangeInput", { text: "The specified resource name has too many path segments." });
  }
}
