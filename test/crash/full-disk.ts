import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { MIB } from "../../src/base/limits.ts";
import { seededRandom } from "../../src/base/random.ts";
import { Product } from "../support/product.ts";
import { WireClient } from "../support/wire-client.ts";
import { isClean, printStats } from "./ledger/cell.ts";
import { CONTAINER } from "./ledger/cells.ts";
import { Ledger } from "./ledger/ledger.ts";

const BALLAST_BYTES = 8 * MIB;
const FILLING_BYTES = 500_000;
const REFUSALS = 20;
const CLIENTS = 4;

/**
 * The whole program on a disk that is filled under it: writes that do not fit are refused, everything
 * acknowledged can be read meanwhile, and when there is room again writing goes on, without a restart and
 * after one.
 */
export async function fillDisk(disk: string, seed: number): Promise<{ ok: boolean; summary: string }> {
  const data = join(disk, "data");
  const ballast = join(disk, "ballast");
  writeFileSync(ballast, Buffer.alloc(BALLAST_BYTES));
  const product = new Product({ directory: data, workers: 1 });
  await product.start();
  const ledger = new Ledger(product, CLIENTS, seed);
  try {
    await ledger.prepare();
    await ledger.cycle(300, async () => {});
    const refused = await fill(product, seed);
    const isDeletable = await deletesOne(product);
    // The ledger's own writes meet the full disk now; none of them may be lost or half there.
    await ledger.cycle(500, async () => {});
    const whileFull = ledger.stats.acknowledged;
    rmSync(ballast);
    await ledger.cycle(500, async () => {});
    const goesOn = ledger.stats.acknowledged > whileFull;
    if (!product.isUp) return { ok: false, summary: `it ended: ${product.stderr().slice(-500)}` };
    await product.killAll();
    await product.start();
    await ledger.check();
    const deletes = isDeletable ? "deletes" : "does NOT delete";
    const summary = `${refused} refused, ${deletes} when full, ${goesOn ? "continues" : "does NOT continue"} with free space, ${printStats(ledger.stats)}`;
    return { ok: goesOn && isDeletable && refused > 0 && isClean(ledger.stats), summary };
  } catch (error) {
    const state = product.isUp ? "it is up" : `it ended: ${product.stderr().slice(-800)}`;
    return { ok: false, summary: `${String(error)}; ${state}; ${printStats(ledger.stats)}` };
  } finally {
    ledger.close();
    await product.stop("SIGKILL");
  }
}

/** The way out of a full disk. */
async function deletesOne(product: Product): Promise<boolean> {
  const client = new WireClient(() => product.ports);
  const reply = await client.send("blob", { method: "DELETE", path: `/${CONTAINER}/fill0` });
  client.close();
  return typeof reply !== "string" && reply.status === 202;
}

/** Blobs until so many were refused in a row. */
async function fill(product: Product, seed: number): Promise<number> {
  const client = new WireClient(() => product.ports);
  const bytes = seededRandom(seed).bytes(FILLING_BYTES);
  let refused = 0;
  for (let number = 0; refused < REFUSALS && number < 2_000; number++) {
    // Large ones first; then smaller ones into the cracks, all of them payload outside the records.
    const body = bytes.subarray(0, FILLING_BYTES >> Math.min(refused, 4));
    const headers = { "x-ms-blob-type": "BlockBlob" };
    const reply = await client.send("blob", {
      method: "PUT",
      path: `/${CONTAINER}/fill${number}`,
      headers,
      body,
    });
    if (reply === "not sent") break;
    if (reply === "no reply" || reply.status >= 500) refused++;
  }
  client.close();
  return refused;
}
