import type { FileInfo } from "../file-system.ts";
import { SMB_LIMITS } from "../limits.ts";
import type { Durability, FileOpen } from "../session/open.ts";
import { type Reply, success } from "../transport/request.ts";
import { createResponse } from "../wire/create.ts";
import {
  type CreateContext,
  type CreateContexts,
  durableV2Response,
  encodeCreateContexts,
  encodeLease,
  maximalAccessResponse,
  queryOnDiskIdResponse,
} from "../wire/create-contexts.ts";
import { OPLOCK } from "../wire/oplock-break.ts";
import { levelOfCache } from "./oplock-break.ts";

const BREAK_IN_PROGRESS = 2;
const PARENT_KEY_SET = 4;

/** The promise to keep the open when the connection is lost; asked for by contexts, given only beside a handle cache. */
export function durabilityFor({ durableV1, durableV2 }: CreateContexts): Durability | undefined {
  if (durableV2?.kind === "request") {
    const asked = durableV2.timeout === 0 ? SMB_LIMITS.durableMillisDefault : durableV2.timeout;
    const timeoutMillis = Math.min(asked, SMB_LIMITS.durableMillisMax);
    return { kind: "v2", createGuid: Buffer.from(durableV2.createGuid), timeoutMillis };
  }
  if (durableV1 !== "request") return undefined;
  return { kind: "v1", createGuid: undefined, timeoutMillis: SMB_LIMITS.durableMillisDefault };
}

export function createReply(
  open: FileOpen,
  { action, info }: { readonly action: number; readonly info: FileInfo },
  contexts: CreateContexts,
  reportedLevel?: number,
): Reply {
  const level = reportedLevel ?? levelOf(open);
  return success(
    createResponse.encode({
      oplockLevel: level,
      flags: 0,
      createAction: action,
      creationTime: info.createdAt,
      lastAccessTime: info.accessedAt,
      lastWriteTime: info.writtenAt,
      changeTime: info.changedAt,
      allocationSize: BigInt(info.allocationSize),
      endOfFile: BigInt(info.size),
      fileAttributes: info.attributes,
      fileId: open.fileId,
      contexts: encodeCreateContexts(answers(open, info, contexts, level)),
    }),
  );
}

function levelOf({ cache }: FileOpen): number {
  return cache?.lease !== undefined ? OPLOCK.LEASE : levelOfCache(cache?.state ?? 0);
}

function answers(open: FileOpen, info: FileInfo, contexts: CreateContexts, level: number): CreateContext[] {
  const list: CreateContext[] = [];
  if (contexts.wantsMaximalAccess)
    list.push({
      name: "MxAc",
      data: maximalAccessResponse.encode({ queryStatus: 0, maximalAccess: open.maximalAccess }),
    });
  if (contexts.wantsDiskId)
    list.push({
      name: "QFid",
      data: queryOnDiskIdResponse.encode({ diskFileId: info.inode, volumeId: open.tree.share!.id }),
    });
  const { cache } = open;
  const durability = level === OPLOCK.BATCH || level === OPLOCK.LEASE ? open.durability : undefined;
  if (cache?.lease !== undefined && contexts.lease !== undefined) {
    const { lease, state, epoch, breaking } = cache;
    const hasParent = lease.version === 2 && (contexts.lease.flags & PARENT_KEY_SET) !== 0;
    list.push({
      name: "RqLs",
      data: encodeLease({
        // A lease stays what it was first asked for as, in whichever words its key comes again.
        version: lease.version,
        key: lease.key,
        state,
        flags: (breaking === undefined ? 0 : BREAK_IN_PROGRESS) | (hasParent ? PARENT_KEY_SET : 0),
        duration: 0n,
        parentKey: hasParent ? lease.parentKey : Buffer.alloc(16),
        epoch,
      }),
    });
  }
  if (durability?.kind === "v1" && contexts.durableV1 === "request")
    list.push({ name: "DHnQ", data: Buffer.alloc(8) });
  if (durability?.kind === "v2" && contexts.durableV2?.kind === "request")
    list.push({
      name: "DH2Q",
      data: durableV2Response.encode({ timeout: durability.timeoutMillis, flags: 0 }),
    });
  return list;
}
