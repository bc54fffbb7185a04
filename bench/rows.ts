import { BLOB_ROWS } from "./rows/blob.ts";
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
  /** Whether Azurite offers it. */
  readonly azurite: boolean;
  /** The least share of bare node:http we accept, and the least multiple of Azurite. */
  readonly target: { readonly ofBare: number; readonly overAzurite?: number };
}

const properties = Buffer.from(
  `<?xml version="1.0" encoding="utf-8"?><StorageServiceProperties><HourMetrics><Version>1.0</Version><Enabled>true</Enabled><IncludeAPIs>false</IncludeAPIs><RetentionPolicy><Enabled>true</Enabled><Days>7</Days></RetentionPolicy></HourMetrics></StorageServiceProperties>`,
);

const serviceProperties = { restype: "service", comp: "properties" };

export const ROWS: readonly Row[] = [
  ...BLOB_ROWS,
  {
    name: "read one record (Get Service Properties)",
    service: "queue",
    replyBytes: 700,
    azurite: true,
    target: { ofBare: 0.7 },
    requests: () =>
      Array.from({ length: 2_000 }, () => ({ method: "GET", path: "", query: serviceProperties })),
  },
  {
    name: "commit one record (Set Service Properties)",
    service: "queue",
    replyBytes: 0,
    azurite: true,
    target: { ofBare: 0.5 },
    requests: () =>
      Array.from({ length: 2_000 }, () => ({
        method: "PUT",
        path: "",
        query: serviceProperties,
        body: properties,
      })),
  },
];
