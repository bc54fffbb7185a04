import type { Row } from "../rows.ts";

/** The Blob service. */
const KIB_1 = Buffer.alloc(1_024, 0x61);
const blockBlob = { "x-ms-blob-type": "BlockBlob" };
const container = { method: "PUT", path: "/bench", query: { restype: "container" } } as const;

export const BLOB_ROWS: readonly Row[] = [
  {
    name: "GET blob 1 KiB",
    service: "blob",
    replyBytes: 1_024,
    azurite: true,
    target: { ofBare: 0.7, overAzurite: 20 },
    prepare: [container, { method: "PUT", path: "/bench/small", headers: blockBlob, body: KIB_1 }],
    requests: () => Array.from({ length: 2_000 }, () => ({ method: "GET", path: "/bench/small" })),
  },
  {
    name: "PUT blob 1 KiB, overwrite",
    service: "blob",
    replyBytes: 0,
    azurite: true,
    target: { ofBare: 0.5, overAzurite: 20 },
    prepare: [container],
    requests: () =>
      Array.from({ length: 2_000 }, (_, i) => ({
        method: "PUT",
        path: `/bench/over-${i % 500}`,
        headers: blockBlob,
        body: KIB_1,
      })),
  },
];
