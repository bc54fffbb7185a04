import { Refusal, type SourceAnswer, sourceRefusal } from "../../base/refusals.ts";
import type { SourceUse } from "../../concurrency/conditions.ts";
import type { RemoteSource } from "../common/copy-source-fetcher.ts";
import type { FetchedSource } from "../common/fetched-source.ts";
import type { Headers, HttpRequest } from "../exchange.ts";
import type { BlobServices } from "./services.ts";

/**
 * A blob from elsewhere. The conditions on it are for the other server to judge; its "no" becomes ours, in the words
 * each operation has for it.
 */
export function fetchBlobSource(
  request: HttpRequest,
  { sources }: BlobServices,
  source: RemoteSource,
  options: { readonly use: SourceUse; readonly range?: string | undefined; readonly isBackground?: boolean },
): Promise<FetchedSource> {
  const { headers } = request;
  const { use, range, isBackground = false } = options;
  return sources.fetch(request, source, {
    range,
    isBackground,
    headers: conditionsAndKey(headers),
    refuse: (answer) => refusalOf(answer, headers, use),
  });
}

const CONDITIONS = ["if-match", "if-none-match", "if-modified-since", "if-unmodified-since", "if-tags"];

function conditionsAndKey(headers: Headers): Record<string, string> {
  const out: Record<string, string> = {};
  for (const name of CONDITIONS) {
    const value = headers[`x-ms-source-${name}`];
    if (value !== undefined) out[name === "if-tags" ? "x-ms-if-tags" : name] = value;
  }
  for (const name of ["key", "key-sha256", "algorithm"]) {
    const value = headers[`x-ms-source-encryption-${name}`];
    if (value !== undefined) out[`x-ms-encryption-${name}`] = value;
  }
  return out;
}

function refusalOf(answer: SourceAnswer, headers: Headers, use: SourceUse): Refusal {
  const { status } = answer;
  const hasEtag = (name: string): boolean => headers[`x-ms-source-${name}`] !== undefined;
  if (use !== "partFromUrl") {
    const isEtag = (status === 412 && hasEtag("if-match")) || (status === 304 && hasEtag("if-none-match"));
    if (isEtag || (use === "copy" && (status === 304 || status === 412))) {
      return new Refusal("SourceConditionNotMet");
    }
  }
  return sourceRefusal(answer);
}
