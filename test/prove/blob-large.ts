import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { BlobServiceClient, type BlockBlobClient } from "@azure/storage-blob";
import { GIB, MIB } from "../../src/base/limits.ts";
import { startProgram } from "../kit/program.ts";
import type { Proof } from "../support/proof.ts";

/**
 * Bytes that are not alike, made as they are needed: a block of random text, turned a little for each chunk.
 */
function* chunks(bytes: number, seed: number): Generator<Buffer> {
  const block = Buffer.alloc(1 * MIB);
  for (let i = 0; i < block.length; i += 4) block.writeUInt32LE(Math.imul(i + seed, 2_654_435_761) >>> 0, i);
  for (let sent = 0; sent < bytes; sent += block.length) {
    const chunk = Buffer.from(block);
    chunk.writeDoubleLE(sent, 0);
    yield sent + chunk.length <= bytes ? chunk : chunk.subarray(0, bytes - sent);
  }
}

function digestOf(source: Iterable<Buffer>): string {
  const hash = createHash("sha256");
  for (const chunk of source) hash.update(chunk);
  return hash.digest("hex");
}

async function download(blob: BlockBlobClient): Promise<string> {
  const hash = createHash("sha256");
  const { readableStreamBody } = await blob.download();
  for await (const chunk of readableStreamBody!) hash.update(chunk as Buffer);
  return hash.digest("hex");
}

/** Most memory the process has had resident since it began, in MiB. */
function peakMemory(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1]) / 1_024;
}

const MEMORY_MIB_MAX = 400;

export const proof: Proof = {
  name: "blob-large",
  what: "4 GiB go in and come out unchanged, in one request and in blocks, and the server stays under 400 MiB",
  minutes: 1,
  isAlone: true,
  async run({ length, seed, directory, progress }) {
    const bytes = length === "long" ? 4 * GIB : GIB / 2;
    const program = await startProgram(["--location", join(directory, "data"), "--silent"]);
    try {
      const service = BlobServiceClient.fromConnectionString(program.connectionString);
      const container = service.getContainerClient("large");
      await container.create();
      const expected = digestOf(chunks(bytes, seed));
      const whole = container.getBlockBlobClient("whole");
      progress("uploading in one request");
      await whole.upload(() => Readable.from(chunks(bytes, seed)), bytes);
      const afterUpload = peakMemory(program.pid);
      progress("downloading");
      const isWhole = (await download(whole)) === expected;
      const afterDownload = peakMemory(program.pid);
      progress("uploading in blocks, 8 at once");
      const staged = container.getBlockBlobClient("staged");
      await staged.uploadStream(Readable.from(chunks(bytes, seed)), 8 * MIB, 8);
      const isStaged = (await download(staged)) === expected;
      const peak = peakMemory(program.pid);
      const summary = `${bytes / GIB} GiB twice in and out, ${isWhole && isStaged ? "unchanged" : "CHANGED"}; memory at most ${Math.round(afterUpload)} MiB in the upload, ${Math.round(afterDownload)} with the download, ${Math.round(peak)} with the blocks`;
      return { ok: isWhole && isStaged && peak < MEMORY_MIB_MAX, summary };
    } finally {
      await program.stop();
    }
  },
};
