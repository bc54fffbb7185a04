import { TextMemo } from "../../../base/memo.ts";
import { Refusal } from "../../../base/refusals.ts";

/** How much metadata a reply has. */
export type MetadataLevel = "none" | "minimal" | "full";

const LEVELS: Readonly<Record<string, MetadataLevel>> = {
  nometadata: "none",
  minimalmetadata: "minimal",
  fullmetadata: "full",
};

const JSON_SINCE = "2013-08-15";

/** `$format` outranks Accept. Plain JSON means minimal metadata. */
export function metadataLevelOf(
  accept: string | undefined,
  format: string | undefined,
  version: string,
): MetadataLevel {
  if (version !== "" && version < JSON_SINCE) throw new Refusal("JsonFormatNotSupported");
  const formats = format ?? accept;
  return formats === undefined || formats === "" ? "minimal" : levels.get(formats);
}

/** SDKs send the same Accept header with every request. */
const levels = new TextMemo(readFormats, { count: 64, chars: 256 });

function readFormats(text: string): MetadataLevel {
  let refused: "AtomFormatNotSupported" | "JsonVerboseFormatNotSupported" | "MediaTypeNotSupported" =
    "MediaTypeNotSupported";
  for (const item of text.toLowerCase().split(",")) {
    const [type, ...parameters] = item.split(";").map((part) => part.trim());
    if (type === "*/*" || type === "application/*") return "minimal";
    if (type === "application/json" || type === "json") {
      const odata = parameters.find((parameter) => parameter.startsWith("odata="))?.slice(6);
      if (odata === undefined) return "minimal";
      const level = Object.hasOwn(LEVELS, odata) ? LEVELS[odata] : undefined;
      if (level !== undefined) return level;
      refused = odata === "verbose" ? "JsonVerboseFormatNotSupported" : "MediaTypeNotSupported";
    } else if (type === "application/atom+xml" || type === "application/xml" || type === "atom") {
      refused = "AtomFormatNotSupported";
    }
  }
  throw new Refusal(refused);
}

/** Bodies are JSON, also without a content type. */
export function checkContentType(contentType: string | undefined): void {
  if (contentType === undefined || contentType === "" || contentType.startsWith("application/json")) {
    if (contentType?.includes("verbose") === true) throw new Refusal("JsonVerboseFormatNotSupported");
    return;
  }
  const type = contentType.toLowerCase();
  if (type.startsWith("application/json")) return;
  throw new Refusal(
    type.startsWith("application/atom+xml") ? "AtomFormatNotSupported" : "MediaTypeNotSupported",
  );
}

export const JSON_TYPES: Readonly<Record<MetadataLevel, string>> = {
  none: "application/json;odata=nometadata;streaming=true;charset=utf-8",
  minimal: "application/json;odata=minimalmetadata;streaming=true;charset=utf-8",
  full: "application/json;odata=fullmetadata;streaming=true;charset=utf-8",
};
