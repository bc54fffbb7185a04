import { instantOf, timestampOf } from "../../base/revision.ts";
import { quotedEtag } from "../../concurrency/etag.ts";
import { type ListedInode, listDirectory } from "../../services/file/list-directory.ts";
import { readBoolean } from "../common/read-headers.ts";
import { listReply } from "../common/replies.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { printHttpDate } from "../wire/dates.ts";
import { decodeMarker, encodeMarker, printListParams, readListParams } from "../wire/list-params.ts";
import { PrintedPage } from "../wire/printed-page.ts";
import { isSince } from "../wire/since.ts";
import { element, encodedElement, isPrintable, textElement } from "../wire/xml-print.ts";
import { readPathRef } from "./read-request.ts";
import { printAttributes } from "./replies.ts";
import type { FileServices } from "./services.ts";

/** GET /{share}/{directory}?restype=directory&comp=list */
export async function handleListDirectory(request: HttpRequest, { files }: FileServices): Promise<HttpReply> {
  const ref = readPathRef(request);
  const params = readListParams(request.query, {
    include: ["timestamps", "etag", "attributes", "permissionkey"],
  });
  const isExtended = readBoolean(request.headers, "x-ms-file-extended-info") === true;
  const path = ref.path.join("/");
  const scope = `directory ${ref.account} ${ref.share} ${path}`;
  const wants: Wants = {
    ids: isExtended || params.include.size > 0 || isSince(request.version, "FileId"),
    timestamps: params.include.has("timestamps"),
    etag: params.include.has("etag"),
    attributes: params.include.has("attributes"),
    permissionKey: params.include.has("permissionkey"),
  };
  const { directory, page, next } = await listDirectory(files, {
    ref,
    prefix: params.prefix,
    maxResults: params.maxResults,
    newPage: () =>
      new PrintedPage((listed: ListedInode) => printEntry(listed, wants), { countMax: params.maxResults }),
    from: params.marker === undefined ? undefined : decodeMarker(scope, params.marker)[0],
  });
  return listReply(request, {
    attributes: {
      ShareName: ref.share,
      ShareSnapshot: ref.snapshot === undefined ? undefined : timestampOf(ref.snapshot),
      ...(isPrintable(path)
        ? { DirectoryPath: path }
        : { Encoded: "true", DirectoryPath: encodeURIComponent(path) }),
    },
    head: printListParams(params) + (wants.ids ? textElement("DirectoryId", String(directory.id)) : ""),
    name: "Entries",
    page,
    nextMarker: next === undefined ? "" : encodeMarker(scope, [next]),
  });
}

interface Wants {
  readonly ids: boolean;
  readonly timestamps: boolean;
  readonly etag: boolean;
  readonly attributes: boolean;
  readonly permissionKey: boolean;
}

function printEntry({ entry, record }: ListedInode, wants: Wants): string {
  const isFile = entry.kind === "file";
  let properties = isFile ? textElement("Content-Length", record.size) : "";
  if (wants.timestamps) {
    properties +=
      textElement("CreationTime", timestampOf(record.createdAt)) +
      textElement("LastAccessTime", timestampOf(record.accessedAt ?? record.writtenAt)) +
      textElement("LastWriteTime", timestampOf(record.writtenAt)) +
      textElement("ChangeTime", timestampOf(record.changedAt)) +
      textElement("Last-Modified", printHttpDate(instantOf(record.revision)));
  }
  if (wants.etag) properties += textElement("Etag", quotedEtag(record.revision));
  let content = encodedElement("Name", entry.name);
  if (wants.ids) content += textElement("FileId", String(entry.inode));
  content += element("Properties", properties);
  if (wants.attributes) content += textElement("Attributes", printAttributes(record.attributes));
  if (wants.permissionKey && record.permission !== undefined) {
    content += textElement("PermissionKey", record.permission);
  }
  return element(isFile ? "File" : "Directory", content);
}
