import type { Row } from "../rows.ts";
import type { PlainRequest } from "../sign.ts";

const text = "m".repeat(1_024);
const body = Buffer.from(`<QueueMessage><MessageText>${text}</MessageText></QueueMessage>`);
const many = (count: number, request: PlainRequest): PlainRequest[] =>
  Array.from({ length: count }, () => request);

export const QUEUE_ROWS: readonly Row[] = [
  {
    name: "put message 1 KiB",
    service: "queue",
    replyBytes: 480,
    prepare: [{ method: "PUT", path: "/put-only" }],
    requests: () => many(2_000, { method: "POST", path: "/put-only/messages", body }),
    azurite: true,
    target: { ofBare: 0.5, overAzurite: 20 },
  },
];
