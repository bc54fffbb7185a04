import { Refusal } from "../../../base/refusals.ts";
import { leaseAfterWrite } from "../../../concurrency/lease.ts";
import type { Ahead, Reader, Writer } from "../../../store/kv.ts";
import type { NodeRecord, ShareRecord } from "../../../store/records/file.ts";
import { ATTRIBUTE } from "../attributes.ts";
import { changeEas, type EaRecord, easTold, putEas, withoutEas } from "../extended-attributes.ts";
import type { FileService } from "../file-service.ts";
import type { ShareRef } from "../names.ts";
import { findNode, findPlace, putEntry, putNode, readNode, ticksOf, touchDirectory } from "../nodes.ts";
import { markInTransaction } from "../opened-marks.ts";
import { putPermission, settlePermission } from "../permissions.ts";
import { dropContent } from "../ranges.ts";
import { changeUsage, findShare, leaseOf, withLease } from "../shares.ts";
import { LiveView } from "../versions.ts";
import type { OpenRequest } from "./open-node.ts";
import { type Granted, type RightsWish, settleNew } from "./open-rights.ts";

/** What a client may ask for in a new file: read-only, hidden, system, archive, temporary, offline, not indexed. */
const CREATED_ATTRIBUTES = 0x3127;

const NO_EAS: readonly EaRecord[] = [];

/** The share, marked as opened in the same transaction: the handle is already there. */
async function openedShare(write: Writer, ref: ShareRef, id: bigint): Promise<ShareRecord> {
  const share = await findShare(write, ref);
  if (share?.id !== id) throw new Refusal("ShareNotFound");
  return markInTransaction(write, ref, share);
}

interface Made {
  readonly record: NodeRecord;
  /** Undefined where access lists are not enforced. */
  readonly granted: Granted | undefined;
}

/** Creates the node a handle was placed for; undefined when something has come to be at the path. */
export function createNode(
  files: FileService,
  { ref, attributes = 0, sddl, eas, rights, isAhead = false }: OpenRequest,
  { share: shareId, node, kind }: { share: bigint; node: bigint; kind: NodeRecord["kind"] },
): Promise<Ahead<Made | undefined>> {
  return files.writeForHandle(
    async (write) => {
      const share = await openedShare(write, ref, shareId);
      const view = new LiveView(write);
      const { parent, name, entry } = await findPlace(view, shareId, ref.path);
      if (entry !== undefined || (await findNode(view, shareId, node)) !== undefined) return undefined;
      const revision = write.revision();
      const now = ticksOf(write);
      const above = await readNode(view, shareId, parent);
      const settled =
        rights && (await settleNew({ read: write, share: shareId }, rights.lists, above, { kind, sddl }));
      const wish = sddl === undefined ? undefined : { sddl };
      const permission =
        settled === undefined
          ? await settlePermission(write, shareId, wish, { own: undefined, inherited: above.permission })
          : putPermission(write, shareId, settled.sddl);
      const kept = attributes & CREATED_ATTRIBUTES;
      const given = eas === undefined ? NO_EAS : changeEas(NO_EAS, eas);
      const record: NodeRecord = {
        kind,
        parent,
        name,
        revision,
        attributes: kept | (kind === "directory" ? ATTRIBUTE.Directory : ATTRIBUTE.Archive),
        createdAt: now,
        writtenAt: now,
        changedAt: now,
        size: 0,
        content: revision,
        dataRevision: revision,
        ...(permission === undefined ? {} : { permission }),
        ...easTold(given),
      };
      if (given.length > 0) await putEas(write, share, node, { eas: given, since: revision });
      await putNode(write, share, node, record, revision);
      await putEntry(write, share, parent, { name, node, kind }, revision);
      await touchDirectory(write, share, parent);
      return { record, granted: settled && grantedToCreator(rights!, settled.maximal) };
    },
    isAhead && eas === undefined,
  );
}

/** Who creates something gets what it asks for, whatever the new list says to those who come later. */
function grantedToCreator({ access, optionalAccess }: RightsWish, maximal: number): Granted {
  return { access: access | optionalAccess, maximal };
}

/** Replaces a file's content by nothing; undefined when it is gone. Its id, name, times of birth and lease stay. */
export async function overwriteNode(
  files: FileService,
  { ref, attributes = 0, eas, isAhead = false }: OpenRequest,
  target: {
    share: bigint;
    node: bigint;
    check: (read: Reader, record: NodeRecord) => Promise<boolean> | undefined;
  },
): Promise<Ahead<NodeRecord | undefined>> {
  const { payloads } = files.parts;
  let isLeft = false;
  const overwritten = await files.writeForHandle(
    async (write) => {
      const share = await openedShare(write, ref, target.share);
      const record = await findNode(new LiveView(write), share.id, target.node);
      if (record === undefined) return undefined;
      const isStill = target.check(write, record);
      if (isStill !== undefined && !(await isStill)) return undefined;
      const outcome = await dropContent({ write, payloads, share }, record.content);
      isLeft = outcome === "left";
      await changeUsage(write, share, -record.size);
      const revision = write.revision(record.revision);
      const now = ticksOf(write);
      const given = eas === undefined ? NO_EAS : changeEas(NO_EAS, eas);
      if (given.length > 0 || record.eaSize !== undefined)
        await putEas(write, share, target.node, { eas: given, since: revision });
      const changed: NodeRecord = {
        ...withoutEas(record),
        ...easTold(given),
        revision,
        attributes: (attributes & CREATED_ATTRIBUTES) | ATTRIBUTE.Archive,
        writtenAt: now,
        changedAt: now,
        size: 0,
        content: revision,
        dataRevision: revision,
      };
      const kept = withLease(changed, leaseAfterWrite(leaseOf(record), write.now()));
      await putNode(write, share, target.node, kept, revision);
      return kept;
    },
    isAhead && eas === undefined,
  );
  if (isLeft) files.contentLeft.ring();
  return overwritten;
}
