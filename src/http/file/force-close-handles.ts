import { badHeader } from "../../base/refusals.ts";
import { forceCloseHandles } from "../../services/file/list-handles.ts";
import { readBoolean, requireHeader } from "../common/read-headers.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { markerOf, positionOf } from "./list-handles.ts";
import { readPathRef } from "./read-request.ts";
import type { FileServices } from "./services.ts";

/** PUT /{share}/{path}?comp=forceclosehandles */
export async function handleForceCloseHandles(
  request: HttpRequest,
  { files }: FileServices,
): Promise<HttpReply> {
  const id = requireHeader(request.headers, "x-ms-handle-id");
  if (id !== "*" && !/^\d{1,20}$/.test(id)) throw badHeader("x-ms-handle-id", id);
  const { closed, failed, next } = await forceCloseHandles(files, {
    ref: readPathRef(request),
    isRecursive: readBoolean(request.headers, "x-ms-recursive") ?? false,
    handle: id === "*" ? "*" : BigInt(id),
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
