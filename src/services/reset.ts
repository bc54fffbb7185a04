import { allContainers } from "../store/keys/blob.ts";
import { allShares } from "../store/keys/file.ts";
import { KeyReader } from "../store/keys/pack.ts";
import { ALL_QUEUES, discardedKey } from "../store/keys/queue.ts";
import { ALL_TABLES, deletedTableKey, tableAclKey } from "../store/keys/table.ts";
import type { Entry, Range, Writer } from "../store/kv.ts";
import { containerRecord } from "../store/records/blob.ts";
import { shareRecord } from "../store/records/file.ts";
import { queueRecord } from "../store/records/queue.ts";
import { tableRecord } from "../store/records/table.ts";
import { ALL_PROPERTIES } from "./account/get-service-properties.ts";
import { discard } from "./blob/retention.ts";
import { discardShare } from "./file/delete-share.ts";
import type { FileService } from "./file/file-service.ts";

/** Records removed in one transaction. */
const RESET_PER_STEP = 100;
const MARK = Buffer.of(1);

/**
 * Empties every account: containers, queues, tables, shares and service properties, whatever leases, policies
 * and retention say. It removes the records that name contents, so its work grows with their number and not
 * with what they hold; the reclaimer frees the contents in the background.
 */
export async function reset(files: FileService): Promise<void> {
  // First, so that nothing is retained.
  await removeAll(files, ALL_PROPERTIES, () => {});
  for (const state of ["present", "deleted"] as const) {
    await removeAll(files, allContainers(state), (write, { key, value }) =>
      discard(write, {
        what: "container",
        id: containerRecord.unpack(value).id,
        account: new KeyReader(key).skipText().text(),
      }),
    );
    await removeAll(files, allShares(state), (write, { value }) =>
      discardShare(write, shareRecord.unpack(value).id),
    );
  }
  await removeAll(files, ALL_QUEUES, (write, { value }) =>
    write.put(discardedKey(queueRecord.contentsOf(value)), MARK),
  );
  await removeAll(files, ALL_TABLES, (write, { value }) => {
    const { id } = tableRecord.unpack(value);
    write.delete(tableAclKey(id));
    write.put(deletedTableKey(id), MARK);
  });
}

async function removeAll(
  files: FileService,
  range: Range,
  discardContents: (write: Writer, entry: Entry) => void,
): Promise<void> {
  for (;;) {
    const count = await files.change(async (write) => {
      const found = await write.take(range, RESET_PER_STEP);
      for (const entry of found) {
        discardContents(write, entry);
        write.delete(entry.key);
      }
      return found.length;
    });
    if (count < RESET_PER_STEP) return;
  }
}
