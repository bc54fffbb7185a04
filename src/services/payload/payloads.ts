import type { Appended } from "../../extents/appended-slices.ts";
import type { Slice } from "../../extents/format.ts";
import type { SliceRange } from "../../extents/read-slice.ts";
import type { PayloadSource } from "../../extents/write-buffers.ts";
import type { Reader, Writer } from "../../store/kv.ts";
import type { OpenPayload } from "./open-payload.ts";

export type { Appended, OpenPayload, PayloadSource, Slice, SliceRange };

/**
 * What the services know of payload. The way of a write:
 *
 *   const appended = await payloads.append(body);              // durable, and nobody points to it
 *   try {
 *     await store.write(async (write) => {
 *       await payloads.keep(write, appended.slices);           // the first reference
 *       await payloads.drop(write, formerSlices);              // what it replaces
 *       ...put the record that names the slices
 *     });
 *   } finally {
 *     appended.release();                                      // in a record now, or never
 *   }
 *
 * A record that names a slice holds one reference to it: `share` when a second record names it, `drop` when
 * one stops. The bytes go with the last reference, after the readers in flight.
 */
export interface Payloads {
  /**
   * Streams a source to durable storage. Rejects with `StorageFault`, or with the error of the source.
   * `knownLength` is what the client says; it saves slices, and nothing depends on it.
   */
  append(source: PayloadSource, knownLength?: number): Promise<Appended>;

  /** The first reference of slices just appended and not yet released. */
  keep(write: Writer, slices: readonly Slice[]): Promise<void>;
  /** One more reference for each time a slice is named. */
  share(write: Writer, slices: readonly Slice[]): Promise<void>;
  /** One reference less for each time a slice is named. */
  drop(write: Writer, slices: readonly Slice[]): Promise<void>;

  /**
   * Inside a read of the store, with slices named by a record of the same snapshot: after this, and until
   * `close`, the bytes can be streamed whatever becomes of the record. `range` limits what is looked up and
   * can be streamed.
   */
  open(read: Reader, slices: readonly Slice[], range?: SliceRange): Promise<OpenPayload>;
  /** Opens, streams one range and closes. The caller must iterate it, or call its iterator's `return`. */
  read(read: Reader, slices: readonly Slice[], range: SliceRange): Promise<AsyncIterable<Buffer>>;
}
