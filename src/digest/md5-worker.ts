/**
 * The code of the digest thread. It is text because the program is one file, which would start a server as a
 * thread.
 *
 * It gets the addresses of bytes in the shared memory, reports when it no longer needs them, and answers with
 * digests. From `stateAt` on it has memory of its own: the state of the current body, then two blocks.
 */
export const MD5_WORKER = `
const { parentPort, workerData } = require("node:worker_threads");
const { blocks, memory, stateAt, start, priority } = workerData;
if (priority !== undefined) {
  try {
    // On Linux this sets the priority of the calling thread, not of the process.
    require("node:os").setPriority(priority);
  } catch (error) {
    // Not permitted: the thread keeps its default priority.
    if (error.code !== "ERR_SYSTEM_ERROR") throw error;
  }
}
const { run } = new WebAssembly.Instance(new WebAssembly.Module(blocks), { shared: { memory } }).exports;
const bytes = new Uint8Array(memory.buffer);
const state = new Uint32Array(memory.buffer, stateAt, 4);
const blockAt = stateAt + 64;

class Md5 {
  state = Uint32Array.from(start);
  // The bytes after the last whole block, and at the end the padding of MD5.
  rest = new Uint8Array(128);
  length = 0;

  update(from, end) {
    const filled = this.length % 64;
    const at = Math.min(from + ((64 - filled) % 64), end);
    this.length += end - from;
    this.rest.set(bytes.subarray(from, at), filled);
    if (filled + at - from < 64 && filled > 0) return;
    state.set(this.state);
    if (filled > 0) this.runRest(64);
    const restAt = end - ((end - at) % 64);
    run(at, restAt);
    this.rest.set(bytes.subarray(restAt, end));
    this.state.set(state);
  }

  runRest(length) {
    bytes.set(this.rest.subarray(0, length), blockAt);
    run(blockAt, blockAt + length);
  }

  digest() {
    const filled = this.length % 64;
    const end = filled < 56 ? 64 : 128;
    this.rest.fill(0, filled);
    this.rest[filled] = 0x80;
    new DataView(this.rest.buffer).setBigUint64(end - 8, BigInt(this.length) * 8n, true);
    state.set(this.state);
    this.runRest(end);
    return Buffer.from(bytes.subarray(stateAt, stateAt + 16)).toString("base64");
  }
}

const hashes = new Map();
parentPort.on("message", ({ id, batches, isEnd, dropped }) => {
  if (dropped !== undefined) {
    for (const id of dropped) hashes.delete(id);
    return;
  }
  if (batches !== undefined) {
    for (const { id, parts } of batches) {
      let hash = hashes.get(id);
      if (hash === undefined) hashes.set(id, (hash = new Md5()));
      for (let i = 0; i < parts.length; i += 2) hash.update(parts[i], parts[i + 1]);
    }
    parentPort.postMessage({ doneBatches: batches.length });
  }
  if (!isEnd) return;
  parentPort.postMessage({ id, digest: (hashes.get(id) ?? new Md5()).digest() });
  hashes.delete(id);
});
`;
