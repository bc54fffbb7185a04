import type { Access } from "../../../concurrency/share-mode.ts";
import type { InodeRecord } from "../../../store/records/file.ts";
import type { EaRecord } from "../extended-attributes.ts";
import type { PathRef, SnapshotRef } from "../names.ts";
import type { RightsRequest } from "./open-rights.ts";

export type Disposition = "supersede" | "open" | "create" | "openIf" | "overwrite" | "overwriteIf";

export interface OpenRequest {
  readonly ref: PathRef;
  /** A named stream of the file or directory at the path. */
  readonly stream?: string | undefined;
  readonly access: Access;
  /** Granted as far as the file allows it. */
  readonly optionalAccess?: Access;
  readonly shareMode: Access;
  /** It requests a right to change the inode, which a share snapshot refuses. */
  readonly mayChange?: boolean;
  readonly disposition?: Disposition;
  /** With it, the open is refused when the path leads to an inode of the other kind. */
  readonly kind?: InodeRecord["kind"] | undefined;
  /** When this handle closes, the file becomes delete-pending, and its last handle removes it. */
  readonly isDeleteOnClose?: boolean;
  /** Of a file that is created or overwritten, as are the next three. */
  readonly attributes?: number;
  readonly sddl?: string | undefined;
  /** The complete list of extended attributes. */
  readonly eas?: readonly EaRecord[] | undefined;
  readonly allocationBytes?: number | undefined;
  /** Refuses a file that has an extended attribute which a client must understand. */
  readonly ignoresEas?: boolean;
  /** Where ACLs are enforced; what they grant replaces `access` and `optionalAccess`. */
  readonly rights?: RightsRequest | undefined;
  /** The client requested an oplock or a lease. */
  readonly mayCache?: boolean;
  /** The open may be answered before what it creates or overwrites is durable. */
  readonly mayCommitAsync?: boolean;
  readonly session: bigint;
  readonly clientAddress: string;
  readonly clientName: string;
}

/** Names an open by ids, which no rename changes. */
export interface HandleId {
  readonly ref: SnapshotRef;
  readonly share: bigint;
  readonly inode: bigint;
  readonly id: bigint;
  /** Of a named stream: the file or directory it belongs to. */
  readonly base?: bigint | undefined;
}

export const isOverwriting = ({ disposition }: Pick<OpenRequest, "disposition">): boolean =>
  disposition === "supersede" || disposition === "overwrite" || disposition === "overwriteIf";
