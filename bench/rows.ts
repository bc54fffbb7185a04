import type { Measured } from "./load.ts";
import { BLOB_ROWS } from "./rows/blob.ts";
import { FILE_ROWS } from "./rows/file.ts";
import { QUEUE_ROWS } from "./rows/queue.ts";
import { TABLE_ROWS } from "./rows/table.ts";
import type { Contender } from "./servers.ts";
import type { PlainRequest } from "./sign.ts";

/** One line of the benchmark. Rows of a service live in bench/rows/<service>.ts and are listed here. */
export interface Row {
  readonly name: string;
  readonly service: "blob" | "queue" | "table" | "file";
  /** Bytes of the reply's body, so that the bare server sends as many. */
  readonly replyBytes: number;
  /** Requests to make before measuring. */
  readonly prepare?: readonly PlainRequest[];
  /** Different requests, gone through in turn. */
  readonly requests: () => PlainRequest[];
  /** In place of `requests`, for work in which one request depends on the reply before it. */
  readonly run?: (
    contender: Contender,
    options: { readonly connections: number; readonly seconds: number },
  ) => Promise<Measured>;
  /** Whether Azurite offers it. */
  readonly azurite: boolean;
  /** The least share of bare node:http we accept, and the least multiple of Azurite. */
  readonly target: { readonly ofBare: number; readonly overAzurite?: number };
}

const queue = { path: "/bench", query: { comp: "metadata" } };
const createQueue: PlainRequest = { method: "PUT", path: "/bench" };

/** The cost of the road itself: one signed request, one record. */
export const ROWS: readonly Row[] = [
  {
    name: "read one record (Get Service Properties)",
    service: "queue",
    replyBytes: 700,
    azurite: true,
    target: { ofBare: 0.7 },
    requests: () =>
      Array.from({ length: 2_000 }, () => ({
        method: "GET",
        path: "",
        query: { restype: "service", comp: "properties" },
      })),
  },
  {
    name: "commit one record (Set Queue Metadata)",
    service: "queue",
    replyBytes: 0,
    azurite: true,
    target: { ofBare: 0.5 },
    prepare: [createQueue],
    requests: () =>
      Array.from({ length: 2_000 }, (_, i) => ({
        ...queue,
        method: "PUT",
        headers: { "x-ms-meta-n": `${i}` },
      })),
  },
  ...BLOB_ROWS,
  ...QUEUE_ROWS,
  ...TABLE_ROWS,
  ...FILE_ROWS,
];
