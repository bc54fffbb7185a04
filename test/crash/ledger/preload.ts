import { seededRandom } from "../../../src/base/random.ts";
import { batchOf } from "../../history/scenes/rows.ts";
import { pickOf } from "../../history/scenes/stage.ts";
import type { Product } from "../../support/product.ts";
import { WireClient } from "../../support/wire-client.ts";
import { CONTAINER } from "./cells.ts";

/**
 * Fills a product with so many objects that a restart has work to do: mostly entities, because one request
 * writes a hundred of them, and some blobs and messages.
 */
export interface Preload {
  readonly product: Product;
  readonly objects: number;
  readonly progress: (text: string) => void;
}

const LANES = 16;
const BATCH = 100;
/** Of a hundred objects, this many are blobs, and as many messages. */
const OTHERS = 2;

export async function preload({ product, objects, progress }: Preload): Promise<void> {
  const rounds = Math.ceil(objects / (BATCH + 2 * OTHERS));
  let next = 0;
  const lane = async (number: number): Promise<void> => {
    const client = new WireClient(() => product.ports);
    const random = seededRandom(number + 1);
    for (let round = next++; round < rounds; round = next++) {
      const changes = Array.from({ length: BATCH }, (_, row) => ({
        kind: "put" as const,
        key: `row${row}`,
        value: `v${pickOf(random, 1_000_000)}`,
      }));
      await sure(client, "table", batchOf(CONTAINER, `load${round}`, changes));
      for (let other = 0; other < OTHERS; other++) {
        const headers = { "x-ms-blob-type": "BlockBlob" };
        const path = `/${CONTAINER}/load/${round}/${other}`;
        await sure(client, "blob", { method: "PUT", path, headers, body: Buffer.alloc(200, "x") });
        const body = Buffer.from("<QueueMessage><MessageText>load</MessageText></QueueMessage>");
        await sure(client, "queue", { method: "POST", path: "/load/messages", body });
      }
      if (round % 1_000 === 999) progress(`${round * (BATCH + 2 * OTHERS)} objects`);
    }
    client.close();
  };
  const client = new WireClient(() => product.ports);
  await sure(client, "queue", { method: "PUT", path: "/load" });
  client.close();
  await Promise.all(Array.from({ length: LANES }, (_, number) => lane(number)));
}

async function sure(
  client: WireClient,
  ...[service, request]: Parameters<WireClient["send"]>
): Promise<void> {
  const reply = await client.send(service, request);
  if (typeof reply === "string" || reply.status >= 300) {
    throw new Error(`${request.method} ${request.path}: ${typeof reply === "string" ? reply : reply.status}`);
  }
}
