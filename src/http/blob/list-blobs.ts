import type { Instant } from "../../base/clock.ts";
import { badQuery, Refusal } from "../../base/refusals.ts";
import { type BlobPosition, type ListedBlob, listBlobs } from "../../services/blob/list-blobs.ts";
import { serviceEndpoint } from "../common/replies.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { decodeMarker, encodeMarker, printListParams, readListParams } from "../wire/list-params.ts";
import { PrintedPage, printListing } from "../wire/printed-page.ts";
import { encodedElement } from "../wire/xml-print.ts";
import { printBlob } from "./listed-blob.ts";
import { readContainerRef } from "./read-request.ts";
import { XML } from "./replies.ts";
import type { BlobServices } from "./services.ts";

const INCLUDE = [
  "snapshots",
  "metadata",
  "uncommittedblobs",
  "copy",
  "deleted",
  "tags",
  "versions",
  "deletedwithversions",
  "immutabilitypolicy",
  "legalhold",
  "permissions",
];

/** GET /{container}?restype=container&comp=list, flat or with a delimiter */
export async function handleListBlobs(request: HttpRequest, { blobs }: BlobServices): Promise<HttpReply> {
  const ref = readContainerRef(request);
  const params = readListParams(request.query, { include: INCLUDE });
  const { include, delimiter } = params;
  if (delimiter !== undefined && include.has("snapshots")) {
    throw badQuery("include", "snapshots", "Snapshots cannot be listed by hierarchy.");
  }
  checkTagLetter(request, include);
  const scope = `blobs ${ref.account}/${ref.container}`;
  const print = (item: ListedBlob, now: Instant): string =>
    "folder" in item
      ? `<BlobPrefix>${encodedElement("Name", item.folder)}</BlobPrefix>`
      : printBlob(item, include, now);
  const { page, next } = await listBlobs(blobs, {
    ref,
    prefix: params.prefix,
    delimiter,
    maxResults: params.maxResults,
    newPage: (now) =>
      new PrintedPage((item: ListedBlob) => print(item, now), { countMax: params.maxResults }),
    include: {
      snapshots: include.has("snapshots"),
      versions: include.has("versions"),
      deleted: include.has("deleted"),
      uncommitted: include.has("uncommittedblobs"),
      deletedWithVersions: include.has("deletedwithversions") && !include.has("versions"),
    },
    startFrom: request.query.get("startfrom") || undefined,
    endBefore: request.query.get("endbefore") || undefined,
    from: params.marker === undefined ? undefined : positionOf(params.marker, scope),
  });
  const body = printListing({
    attributes: { ServiceEndpoint: serviceEndpoint(request), ContainerName: ref.container },
    head: printListParams(params),
    name: "Blobs",
    page,
    nextMarker: next === undefined ? "" : encodeMarker(scope, partsOf(next)),
  });
  return { status: 200, headers: XML, body };
}

function checkTagLetter({ caller }: HttpRequest, include: ReadonlySet<string>): void {
  const isSas = caller.kind === "accountSas" || caller.kind === "serviceSas";
  if (include.has("tags") && (caller.kind === "anonymous" || (isSas && !caller.permissions.includes("t")))) {
    throw new Refusal("AuthorizationPermissionMismatch");
  }
}

function partsOf(position: BlobPosition): string[] {
  if ("folder" in position) return ["folder", position.folder];
  return position.past === undefined
    ? ["blob", position.blob]
    : ["past", position.blob, String(position.past)];
}

function positionOf(marker: string, scope: string): BlobPosition {
  const [kind, name, past] = decodeMarker(scope, marker);
  if (name !== undefined) {
    if (kind === "folder") return { folder: name };
    if (kind === "blob") return { blob: name };
    if (kind === "past" && past !== undefined && /^\d{1,20}$/.test(past))
      return { blob: name, past: BigInt(past) };
  }
  throw badQuery("marker", marker, "The marker is not valid.");
}
