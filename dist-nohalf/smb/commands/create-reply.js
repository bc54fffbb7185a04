import { SMB_LIMITS } from "../../base/limits-smb.js";
import { success } from "../request.js";
import { ACCESS, createResponse } from "../wire/create.js";
import { durableV2Response, encodeCreateContexts, encodeLease, maximalAccessResponse, queryOnDiskIdResponse, } from "../wire/create-contexts.js";
import { OPLOCK } from "../wire/oplock-break.js";
import { timesAndSizes } from "./close.js";
import { levelOfCache } from "./oplock-break.js";
const BREAK_IN_PROGRESS = 2;
const PARENT_KEY_SET = 4;
/** The promise to keep the open when the connection is lost; asked for by contexts, given only beside a handle cache. */
export function durabilityFor({ durableV1, durableV2 }) {
    if (durableV2?.kind === "request") {
        const asked = durableV2.timeout === 0 ? SMB_LIMITS.durableMillisDefault : durableV2.timeout;
        const timeoutMillis = Math.min(asked, SMB_LIMITS.durableMillisMax);
        return { kind: "v2", createGuid: Buffer.from(durableV2.createGuid), timeoutMillis };
    }
    if (durableV1 !== "request")
        return undefined;
    return { kind: "v1", createGuid: undefined, timeoutMillis: SMB_LIMITS.durableMillisDefault };
}
export function createReply(open, { action, info }, contexts) {
    const { attributes, ...rest } = timesAndSizes(info);
    return success(createResponse.encode({
        oplockLevel: open.cache?.lease !== undefined ? OPLOCK.LEASE : levelOfCache(open.cache?.state ?? 0),
        flags: 0,
        createAction: action,
        ...rest,
        fileAttributes: attributes,
        fileId: open.fileId,
        contexts: encodeCreateContexts(answers(open, info, contexts)),
    }));
}
function answers(open, info, contexts) {
    const list = [];
    if (contexts.wantsMaximalAccess)
        list.push({
            name: "MxAc",
            data: maximalAccessResponse.encode({ queryStatus: 0, maximalAccess: ACCESS.FILE_ALL }),
        });
    if (contexts.wantsDiskId)
        list.push({
            name: "QFid",
            data: queryOnDiskIdResponse.encode({ diskFileId: info.node, volumeId: open.tree.share.id }),
        });
    const { cache, durability } = open;
    if (cache?.lease !== undefined && contexts.lease !== undefined) {
        const { lease, state, epoch, breaking } = cache;
        const hasParent = lease.version === 2 && (contexts.lease.flags & PARENT_KEY_SET) !== 0;
        list.push({
            name: "RqLs",
            data: encodeLease({
                version: contexts.lease.version,
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
