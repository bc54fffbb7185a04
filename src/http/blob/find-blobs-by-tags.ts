import { badQuery } from "../../base/refusals.ts";
import { timestampOf } from "../../base/revision.ts";
import { parseTagQuery } from "../../concurrency/tag-query.ts";
import { type FindBlobs, type FoundBlob, findBlobsByTags } from "../../services/blob/find-blobs-by-tags.ts";
import { invalidMarker, listReply } from "../common/replies.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { decodeMarker, encodeMarker, printListParams, readListParams } from "../wire/list-params.ts";
import { PrintedPage } from "../wire/printed-page.ts";
import { encodedElement, textElement } from "../wire/xml-print.ts";
import { readContainerRef } from "./read-request.ts";
import type { BlobServices } from "./services.ts";
import { isPossibleTag, printTags } from "./tags-wire.ts";

type Place = NonNullable<FindBlobs<never>["from"]>;

/** GET /?comp=blobs&where=, of the account or of one container */
export async function handleFindBlobsByTags(
  request: HttpRequest,
  services: BlobServices,
): Promise<HttpReply> {
  return findBlobs(request, services, undefined);
}

export async function handleFindBlobsByTagsInContainer(
  request: HttpRequest,
  services: BlobServices,
): Promise<HttpReply> {
  return findBlobs(request, services, readContainerRef(request).container);
}

async function findBlobs(
  request: HttpRequest,
  { blobs }: BlobServices,
  container: string | undefined,
): Promise<HttpReply> {
  const { account } = request.target;
  const where = request.query.get("where") ?? "";
  if (where === "") throw badQuery("where", "", "A query is expected.", "MissingRequiredQueryParameter");
  const query = parseTagQuery(where);
  const isSound = query?.comparisons.every(({ tag, value }) => isPossibleTag(tag, value)) === true;
  if (query === undefined || !isSound)
    throw badQuery("where", where.slice(0, 256), "This is not a query over tags.");
  const params = readListParams(request.query, { include: ["none", "versions"] });
  const withVersions = params.include.has("versions");
  const scope = `tags ${account}/${container ?? ""} ${withVersions ? "versions" : ""} ${where}`;
  const { page, next } = await findBlobsByTags(blobs, {
    account,
    container,
    query,
    newPage: () =>
      new PrintedPage((item: FoundBlob) => printFound(item, withVersions), { countMax: params.maxResults }),
    withVersions,
    from: params.marker === undefined ? undefined : placeOf(scope, params.marker),
  });
  return listReply(request, {
    head: printListParams(params, where),
    name: "Blobs",
    page,
    nextMarker: next === undefined ? "" : encodeMarker(scope, partsOf(next)),
  });
}

function printFound({ container, blob, tags, version, isCurrent }: FoundBlob, withVersions: boolean): string {
  const ofVersion =
    withVersions && version !== undefined
      ? textElement("VersionId", timestampOf(version)) +
        (isCurrent ? textElement("IsCurrentVersion", "true") : "")
      : "";
  const name = encodedElement("Name", blob) + textElement("ContainerName", container);
  return `<Blob>${name}${printTags(tags)}${ofVersion}</Blob>`;
}

function partsOf({ value, container, blob, version }: Place): string[] {
  const parts = [value, String(container), blob];
  return version === undefined ? parts : [...parts, String(version)];
}

function placeOf(scope: string, marker: string): Place {
  const [value, container, blob, version] = decodeMarker(scope, marker);
  const isSound =
    value !== undefined &&
    blob !== undefined &&
    isWhole(container) &&
    (version === undefined || isWhole(version));
  if (!isSound) throw invalidMarker();
  const place = { value, container: BigInt(container), blob };
  return version === undefined ? place : { ...place, version: BigInt(version) };
}

function isWhole(text: string | undefined): text is string {
  return text !== undefined && /^\d{1,19}$/.test(text);
}
