import { createHmac, timingSafeEqual } from "node:crypto";
import { HmacKey } from "../src/digest/hmac.ts";
import { authenticate } from "../src/http/auth/authenticate.ts";
import { authenticateSharedKey } from "../src/http/auth/shared-key.ts";
import { contextOf, hmac, KEY, NAME, NOW_TEXT, requestOf } from "../test/support/auth.ts";

/**
 * What a signature check costs, in nanoseconds: the HMAC alone, node:crypto for comparison, and the whole
 * check of a Shared Key request as SDKs send it. Run with `node --import tsx bench/auth.ts`.
 */
/** Short rounds, and the best of many: other work on the machine disturbs some of them, not all. */
const TURNS = 2_000;
const ROUNDS = 300;
const REQUESTS = 512;

const requests = Array.from({ length: REQUESTS }, (_, index) => {
  const id = `94a5b3f7-7581-459d-8bd7-${String(index).padStart(12, "0")}`;
  const head = `GET\n\n\n\n\n\n\n\n\n\n\n\nx-ms-client-request-id:${id}\nx-ms-date:${NOW_TEXT}\nx-ms-version:2026-10-06\n`;
  const text = `${head}/${NAME}/${NAME}/container/blob-${index}.bin\ntimeout:30`;
  const headers = {
    Host: "127.0.0.1:10000",
    Accept: "application/xml",
    "User-Agent": "azsdk-js-azure-storage-blob/12.32.0",
    "x-ms-version": "2026-10-06",
    "x-ms-client-request-id": id,
    "x-ms-date": NOW_TEXT,
    Authorization: `SharedKey ${NAME}:${hmac(text)}`,
    "Accept-Encoding": "gzip,deflate",
    Connection: "keep-alive",
  };
  return { text, request: requestOf({ url: `/${NAME}/container/blob-${index}.bin?timeout=30`, headers }) };
});

const context = contextOf();
const rawKey = Buffer.from(KEY, "base64");
const key = new HmacKey(rawKey);

async function measure(name: string, run: (index: number) => unknown): Promise<void> {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round++) {
    const start = process.hrtime.bigint();
    for (let turn = 0; turn < TURNS; turn++) await run(turn % REQUESTS);
    best = Math.min(best, Number(process.hrtime.bigint() - start) / TURNS);
  }
  console.log(`${name}: ${best.toFixed(0)} ns`);
}

function measureSync(name: string, run: (index: number) => unknown): void {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round++) {
    const start = process.hrtime.bigint();
    for (let turn = 0; turn < TURNS; turn++) run(turn % REQUESTS);
    best = Math.min(best, Number(process.hrtime.bigint() - start) / TURNS);
  }
  console.log(`${name}: ${best.toFixed(0)} ns`);
}

measureSync("HmacKey.sign, 4 blocks", (index) => key.sign(requests[index]!.text));
measureSync("node:crypto createHmac and timingSafeEqual", (index) => {
  const digest = createHmac("sha256", rawKey).update(requests[index]!.text, "utf8").digest();
  return timingSafeEqual(digest, rawKey.subarray(0, 32));
});
measureSync("authenticateSharedKey", (index) => {
  const { request } = requests[index]!;
  return authenticateSharedKey(request, context, request.headers.authorization!, "full");
});
await measure("await authenticate", (index) => authenticate(requests[index]!.request, context));
await measure("await nothing", () => undefined);
