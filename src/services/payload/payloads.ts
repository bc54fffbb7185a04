import type { Appended } from "../../extents/appended-slices.ts";
import type { Slice } from "../../extents/format.ts";
import type { SliceRange } from "../../extents/read-slice.ts";
import type { PayloadSource } from "../../extents/write-buffers.ts";
import type { Reader, Writer } from "../../store/kv.ts";
import type { OpenPayload } from "./open-payload.ts";

export type { Appended, OpenPayload, PayloadSource, Slice, SliceRange };

/**
 * The payload interface of the services. A write goes like this:
 *
 *   const appended = await payloads.append(body);              // durable, without references
 *   try {
 *     await store.write(async (write) => {
 *       await payloads.keep(write, appended.slices);           // the first reference
 *       await payloads.drop(write, formerSlices);              // the slices it replaces
 *       ...put the record that names the slices
 *     });
 *   } finally {
 *     appended.release();                                      // referenced now, or given up
 *   }
 *
 * Each record that names a slice holds one reference to it: `share` adds one for a further record, `drop`
 * removes one. The bytes are freed after the last reference is gone and the readers in flight have ended.
 */
export interface Payloads {
  /**
   * Streams a source to durable storage. Rejects with `StorageFault`, or with the error of the source.
   * `declaredLength` is the client's; it only helps to size slices.
   */
  append(source: PayloadSource, declaredLength?: number): Promise<Appended>;

  /** Adds the first reference to slices just appended and not yet released. */
  keep(write: Writer, slices: readonly Slice[]): Promise<void>;
  /** Adds one reference each time a slice is listed. */
  share(write: Writer, slices: readonly Slice[]): Promise<void>;
  /** Removes one reference each time a slice is listed. */
  drop(write: Writer, slices: readonly Slice[]): Promise<void>;

  /**
   * Called inside a read of the store, with slices of a record from the same snapshot. Until `close` the
   * bytes can be streamed, even if the record changes. `range` limits what can be streamed.
   */
  open(read: Reader, slices: readonly Slice[], range?: SliceRange): Promise<OpenPayload>;
  /** Opens, streams one range and closes. The caller must iterate it, or call its iterator's `return`. */
  read(read: Reader, slices: readonly Slice[], range: SliceRange): Promise<AsyncIterable<Buffer>>;
}
