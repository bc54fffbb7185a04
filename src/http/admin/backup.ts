import { createHash, timingSafeEqual } from "node:crypto";
import { PassThrough } from "node:stream";
import { LIMITS } from "../../base/limits.ts";
import type { BackupSink } from "../../services/backup/create-backup.ts";
import type { StoredExtent } from "../../services/backup/format.ts";
import { TarWriter } from "../../services/backup/tar.ts";
import { RequestBody } from "../body.ts";
import type { Connection, Incoming } from "../connection/connection.ts";

/**
 * POST /backup answers with a tar of a consistent snapshot (services/backup/format.ts). The body lists what
 * the caller has: {"have":[...]} with extents as in a manifest. A reply without a manifest was broken off.
 */
export interface BackupSource {
  /** The caller must present it: a backup is a way to read all data. */
  readonly token: string;
  create(have: readonly StoredExtent[], sink: BackupSink): Promise<unknown>;
}

export type BackupAnswer =
  | { readonly refused: { readonly status: number; readonly text: string } }
  | { readonly stream: AsyncIterable<Buffer> };

const refuse = (status: number, text: string): BackupAnswer => ({ refused: { status, text } });

export class BackupEndpoint {
  readonly #source: BackupSource | undefined;
  #isBusy = false;

  constructor(source: BackupSource | undefined) {
    this.#source = source;
  }

  async answer(incoming: Incoming, connection: Connection): Promise<BackupAnswer> {
    const source = this.#source;
    if (source === undefined)
      return refuse(501, "a running server is backed up from a data directory without --workers");
    const { method, headers } = incoming.head;
    if (method !== "POST") return refuse(405, "only POST");
    if (!isSame(headers.authorization ?? "", `Bearer ${source.token}`))
      return refuse(401, "the token in admin.json of the data directory is required");
    const body = new RequestBody(incoming, connection, LIMITS.backupRequestBytesMax);
    const have = readHave(await body.read(LIMITS.backupRequestBytesMax));
    if (have === undefined) return refuse(400, 'expected {"have":[...]}');
    // Nothing may run between this check and the mark: two callers may have sent their bodies together.
    if (this.#isBusy) return refuse(409, "another backup is running");
    this.#isBusy = true;
    const out = new PassThrough({ highWaterMark: LIMITS.extentReadBytes });
    const tar = new TarWriter(out);
    source
      .create(have, tar)
      .then(() => tar.end())
      .then(
        () => out.end(),
        (error: Error) => out.destroy(error),
      )
      .finally(() => {
        this.#isBusy = false;
      });
    return { stream: out };
  }
}

/** Hashes first: they have one length, and comparing them shows nothing of the token. */
function isSame(one: string, other: string): boolean {
  const [a, b] = [one, other].map((text) => createHash("sha256").update(text).digest());
  return timingSafeEqual(a!, b!);
}

function readHave(body: Buffer): readonly StoredExtent[] | undefined {
  try {
    const { have } = JSON.parse(body.toString()) as { readonly have?: unknown };
    return Array.isArray(have) ? (have as StoredExtent[]) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return undefined;
    throw error;
  }
}
