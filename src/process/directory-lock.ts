import { chmodSync, closeSync, openSync, readdirSync, renameSync, rmSync } from "node:fs";
import { createConnection, createServer, type Server } from "node:net";
import { join } from "node:path";
import { type Clock, pause } from "../base/clock.ts";
import { errorCode, UnusableDirectory } from "../base/faults.ts";
import { OWNER_FILE_MODE } from "../base/file-modes.ts";
import { LIMITS } from "../base/limits.ts";
import { systemRandom } from "../base/random.ts";

/**
 * One server for each data directory. Node.js has no flock, so the lock is a Unix socket in the directory.
 * While a process (or a child that inherited the socket) lives, connecting to it works; after its end, for
 * whatever reason, connecting is refused, so nothing has to be cleaned up after kill -9. The lock also works
 * between containers on one machine that share a volume.
 *
 * A name in `lock/` is `<started>-<pid>-<random>.sock` and is never used again. To acquire the lock:
 *
 *   1. Listen under a draft name, then rename to the real one: a visible name accepts connections.
 *   2. List the others. If connecting is refused, the process is dead: remove its name.
 *   3. If another one lives and its name sorts before ours, give up. If only later ones live, they are about
 *      to give up: list again. If none lives, the lock is ours.
 *
 * Two cannot both win: each lists after its own name is visible, and a name stays until its owner gives up.
 * The second of two contenders therefore sees the first alive. Not all can lose: the one whose name sorts
 * first gives up only for an owner. A wrong clock in a name costs a wait, never the exclusion.
 */
export interface DirectoryLock {
  readonly descriptor: number | undefined;
  release(): Promise<void>;
}

const NAME = /^\d{15}-(\d+)-[0-9a-f]{16}\.sock$/;
const DRAFT = ".draft";
const SOCKET_PATH_BYTES_MAX = 100;

export async function acquireDirectoryLock(
  directory: string,
  folder: string,
  clock: Clock,
): Promise<DirectoryLock> {
  // A socket path may have about 100 bytes. Through an open descriptor of the folder every path is short.
  const opened = process.platform === "linux" ? openSync(folder, "r") : undefined;
  const base = opened === undefined ? folder : `/proc/self/fd/${opened}`;
  const started = String(Math.trunc(clock.now())).padStart(15, "0");
  const name = `${started}-${process.pid}-${systemRandom.bytes(8).toString("hex")}.sock`;
  let server: Server | undefined;
  const release = async (): Promise<void> => {
    rmSync(join(folder, name), { force: true });
    await new Promise<void>((done) => (server === undefined ? done() : server.close(() => done())));
    if (opened !== undefined) closeSync(opened);
  };
  try {
    server = await listenAt(directory, join(base, name + DRAFT));
    chmodSync(join(folder, name + DRAFT), OWNER_FILE_MODE);
    renameSync(join(folder, name + DRAFT), join(folder, name));
    await waitForOthers({ directory, folder, base, name });
  } catch (error) {
    await release();
    throw error;
  }
  return { descriptor: descriptorOf(server), release };
}

async function listenAt(directory: string, path: string): Promise<Server> {
  if (Buffer.byteLength(path) > SOCKET_PATH_BYTES_MAX)
    throw new UnusableDirectory(
      `${directory} cannot be locked: its path is too long for a socket on this system`,
    );
  // Another process connects only to check that this one lives.
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((listening, failed) => {
    server.once("error", (cause) =>
      failed(new UnusableDirectory(`${directory} cannot be locked: ${cause.message}`, { cause })),
    );
    // `exclusive`: otherwise node:cluster would share the socket among all workers.
    server.listen({ path, exclusive: true }, listening);
  });
  server.unref();
  return server;
}

async function waitForOthers(place: {
  directory: string;
  folder: string;
  base: string;
  name: string;
}): Promise<void> {
  const { directory, folder, base, name } = place;
  for (let round = 0; ; round++) {
    const alive: string[] = [];
    for (const other of readdirSync(folder)) {
      if (other === name || !NAME.test(other)) continue;
      if (await isAlive(join(base, other))) alive.push(other);
      else rmSync(join(folder, other), { force: true });
    }
    if (alive.length === 0) return;
    const first = alive.sort()[0]!;
    if (first < name || round >= LIMITS.lockRoundsMax)
      throw new UnusableDirectory(`${directory} is in use by another Holdfast (pid ${NAME.exec(first)![1]})`);
    await pause(LIMITS.lockRoundMillis);
  }
}

/** Dead only when the system is certain; in doubt (no permission, a full backlog) it counts as alive. */
function isAlive(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ path });
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", (error) => {
      const code = errorCode(error);
      resolve(code !== "ECONNREFUSED" && code !== "ENOENT");
    });
  });
}

/**
 * An undocumented field (decision 0057), which workers need to inherit the lock. Without it only the
 * supervisor holds the lock.
 */
export function descriptorOf(server: Server): number | undefined {
  const fd = (server as unknown as { _handle?: { fd?: unknown } | null })._handle?.fd;
  return typeof fd === "number" && fd >= 0 ? fd : undefined;
}
