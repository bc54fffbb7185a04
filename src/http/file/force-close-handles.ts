import { badHeader } from "../../base/refusals.ts";
import { forceCloseHandles } from "../../services/file/list-handles.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { markerOf, positionOf } from "./list-handles.ts";
import { readFlag, readPathRef, requireHeader } from "./read-request.ts";
import type { FileServices } from "./services.ts";

/** PUT /{share}/{path}?comp=forceclosehandles */
export async function handleForceCloseHandles(
  request: HttpRequest,
  { files }: FileServices,
): Promise<HttpReply> {
  const given = requireHeader(request.headers, "x-ms-handle-id");
  if (given !== "*" && !/^\d{1,20}$/.test(given)) throw badHeader("x-ms-handle-id", given);
  const { closed, failed, next } = await forceCloseHandles(files, {
    ref: readPathRef(request),
    isRecursive: readFlag(request.headers, "x-ms-recursive") ?? false,
    handle: given === "*" ? "*" : BigInt(given),
    from: positionOf(request),
  });
  return {
    status: 200,
    headers: {
      "x-ms-marker": next === undefined ? undefined : markerOf(request, next),
      "x-ms-number-of-handles-closed": String(closed),
      "x-ms-number-of-handles-failed": String(failed),
    },
  };
}
