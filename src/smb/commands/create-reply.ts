import { SMB_LIMITS } from "../limits.ts";
import type { FileInfo } from "../session/file-info.ts";
import type { Durability, Open } from "../session/open.ts";
import { type Reply, success } from "../transport/request.ts";
import { CREATE_ACTION, createResponse } from "../wire/create.ts";
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
import { timesAndSizes } from "./close.ts";
import { levelOfCache } from "./oplock-break.ts";

const BREAK_IN_PROGRESS = 2;
const PARENT_KEY_SET = 4;

/** Durability requested by contexts; the caller grants it only with a handle cache. */
export function durabilityFor({ durableV1, durableV2 }: CreateContexts): Durability | undefined {
  if (durableV2?.kind === "request") {
    const requested = durableV2.timeout === 0 ? SMB_LIMITS.durableMillisDefault : durableV2.timeout;
    const timeoutMillis = Math.min(requested, SMB_LIMITS.durableMillisMax);
    return { kind: "v2", createGuid: Buffer.from(durableV2.createGuid), timeoutMillis };
  }
  if (durableV1 !== "request") return undefined;
  return { kind: "v1", createGuid: undefined, timeoutMillis: SMB_LIMITS.durableMillisDefault };
}

export function createReply(
  open: Open,
  info: FileInfo,
  contexts: CreateContexts,
  { action = CREATE_ACTION[open.file.opened.action], level = levelOf(open) } = {},
): Reply {
  return success(
    createResponse.encode({
      oplockLevel: level,
      flags: 0,
      createAction: action,
      ...timesAndSizes(info),
      fileAttributes: info.attributes,
      fileId: open.fileId,
      contexts: encodeCreateContexts(answers(open, info, contexts, level)),
    }),
  );
}

function levelOf({ cache }: Open): number {
  return cache?.lease !== undefined ? OPLOCK.LEASE : levelOfCache(cache?.state ?? 0);
}

function answers(open: Open, info: FileInfo, contexts: CreateContexts, level: number): CreateContext[] {
  const list: CreateContext[] = [];
  if (contexts.wantsMaximalAccess)
    list.push({
      name: "MxAc",
      data: maximalAccessResponse.encode({ queryStatus: 0, maximalAccess: open.maximalAccess }),
    });
  if (contexts.wantsDiskId)
    list.push({
      name: "QFid",
      data: queryOnDiskIdResponse.encode({ diskFileId: info.inode, volumeId: open.file.share }),
    });
  const { cache } = open;
  const durability = level === OPLOCK.BATCH || level === OPLOCK.LEASE ? open.durability : undefined;
  if (cache?.lease !== undefined && contexts.lease !== undefined) {
    const { lease, state, epoch, breaking } = cache;
    const hasParent = lease.version === 2 && (contexts.lease.flags & PARENT_KEY_SET) !== 0;
    list.push({
      name: "RqLs",
      data: encodeLease({
        // A lease keeps its version, also when a request of the other version names its key.
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
