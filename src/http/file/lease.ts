import { leaseFile, leaseShare } from "../../services/file/lease.ts";
import { type ActionName, leaseReply, readLeaseAction } from "../common/lease.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { readPathRef, readSnapshotRef } from "./read-request.ts";
import type { FileServices } from "./services.ts";

/** PUT /{share}/{file}?comp=lease */
export async function handleLeaseFile(
  action: ActionName,
  request: HttpRequest,
  { files }: FileServices,
): Promise<HttpReply> {
  const lease = readLeaseAction(action, request.headers, files.parts.random, { isEndless: true });
  return leaseReply(action, await leaseFile(files, { ref: readPathRef(request), lease }));
}

/** PUT /{share}?restype=share&comp=lease */
export async function handleLeaseShare(
  action: ActionName,
  request: HttpRequest,
  { files }: FileServices,
): Promise<HttpReply> {
  const lease = readLeaseAction(action, request.headers, files.parts.random);
  const reply = leaseReply(action, await leaseShare(files, { ref: readSnapshotRef(request), lease }));
  return action === "release" ? { ...reply, headers: { ...reply.headers, "x-ms-lease-time": "0" } } : reply;
}
