import type { Row } from "../rows.ts";
import type { PlainRequest } from "../sign.ts";

/** Writes to parts of a blob: at the end of append blobs, and in the middle of a page blob. */

/** Each takes 50,000 blocks: fewer of them run out before the last turn. */
const BLOBS = 32;
const PAGE_BLOB_BYTES = 64 * 1_024 * 1_024;
const PAGE_BYTES = 4_096;

const container: PlainRequest = { method: "PUT", path: "/bench", query: { restype: "container" } };
const log = (i: number): string => `/bench/log-${i % BLOBS}`;

const appends: PlainRequest[] = Array.from({ length: 2_048 }, (_, i) => ({
  method: "PUT",
  path: log(i),
  query: { comp: "appendblock" },
  body: Buffer.alloc(1_024, 0x62),
}));

const pages: PlainRequest[] = Array.from({ length: 2_048 }, (_, i) => {
  // A stride that shares no factor with the number of pages: every place is met, and no two in a row are
  // neighbours.
  const from = ((i * 4_099) % (PAGE_BLOB_BYTES / PAGE_BYTES)) * PAGE_BYTES;
  return {
    method: "PUT",
    path: "/bench/disk",
    query: { comp: "page" },
    headers: { "x-ms-page-write": "update", "x-ms-range": `bytes=${from}-${from + PAGE_BYTES - 1}` },
    body: Buffer.alloc(PAGE_BYTES, 0x63),
  };
});

export const RANGE_ROWS: readonly Row[] = [
  {
    name: `Append Block 1 KiB, ${BLOBS} blobs`,
    service: "blob",
    replyBytes: 0,
    azurite: true,
    target: { ofBare: 0.4, overAzurite: 20 },
    prepare: [
      container,
      ...Array.from({ length: BLOBS }, (_, i) => ({
        method: "PUT",
        path: log(i),
        headers: { "x-ms-blob-type": "AppendBlob" },
      })),
    ],
    requests: () => appends,
  },
  {
    name: "Put Page 4 KiB, one blob",
    service: "blob",
    replyBytes: 0,
    azurite: true,
    target: { ofBare: 0.4 },
    prepare: [
      container,
      {
        method: "PUT",
        path: "/bench/disk",
        headers: { "x-ms-blob-type": "PageBlob", "x-ms-blob-content-length": String(PAGE_BLOB_BYTES) },
      },
    ],
    requests: () => pages,
  },
];
