import { chmodSync, closeSync, openSync, readdirSync, renameSync, rmSync } from "node:fs";
import { createConnection, createServer, type Server } from "node:net";
import { join } from "node:path";
import { type Clock, pause } from "../base/clock.ts";
import { errorCode, UnusableDirectory } from "../base/faults.ts";
import { OWNER_FILE_MODE } from "../base/file-modes.ts";
import { LIMITS } from "../base/limits.ts";
import { systemRandom } from "../base/random.ts";

/**
 * One Holdfast for each data directory. Node has no flock, so the lock is a Unix socket in the directory:
 * while a process lives (or a child that inherited the socket), connecting to it works; once it is gone,
 * however it went, connecting is refused. Nothing has to be cleaned up by hand after kill -9. It also holds
 * between containers that share a volume, as long as they run on one machine.
 *
 * A name in `lock/` is `<started>-<pid>-<random>.sock` and is used once, ever. To take the lock:
 *
 *   1. listen under a draft name, then rename to the real one: a name that can be seen can be connected to.
 *   2. list the others. Refused: dead, remove it (safe, because nobody ever uses that name again).
 *   3. another lives and its name sorts before ours: give way. Only later ones live: they are about to give
 *      way, so look again. None lives: the lock is ours.
 *
 * Two cannot both win: each lists only after its own name is there, and a name stays as it is until its owner
 * gives up. Of two contenders, whoever appeared second lists after the first appeared, sees it alive, and
 * does not win while it lives. Nor do all lose: the one whose name sorts first gives way to nobody but an
 * owner. The clock in the name only makes the common refusal quick; a wrong clock costs a wait, never the
 * exclusion.
 */
export interface DirectoryLock {
  readonly descriptor: number;
  release(): Promise<void>;
}

const NAME = /^\d{15}-(\d+)-[0-9a-f]{16}\.sock$/;
const DRAFT = ".draft";
const SOCKET_PATH_BYTES_MAX = 100;

export async function takeDirectoryLock(
  directory: string,
  folder: string,
  clock: Clock,
): Promise<DirectoryLock> {
  // A socket's path may have about 100 bytes. Through an open descriptor of the folder every path is short.
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
  // Whoever connects only wants to know whether somebody is here.
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((listening, failed) => {
    server.once("error", (cause) =>
      failed(new UnusableDirectory(`${directory} cannot be locked: ${cause.message}`, { cause })),
    );
    // Not a matter for node:cluster, which would share the socket of a worker among all of them.
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

/** Dead only when the system says so for certain; in any doubt (no permission, a full backlog) it lives. */
function isAlive(path: string): Promise<boolean> {
  return new Promise((settle) => {
    const socket = createConnection({ path });
    socket.once("connect", () => {
      socket.destroy();
      settle(true);
    });
    socket.once("error", (error) => {
      const code = errorCode(error);
      settle(code !== "ECONNREFUSED" && code !== "ENOENT");
    });
  });
}

/** Node keeps the number to itself, but a child can only inherit what it can name. */
function descriptorOf(server: Server): number {
  return (server as unknown as { _handle: { fd: number } })._handle.fd;
}
