import { closeSync, openSync, readdirSync, renameSync, rmSync } from "node:fs";
import { createConnection, createServer } from "node:net";
import { join } from "node:path";
import { pause } from "./base/clock.js";
import { errorCode, UnusableDirectory } from "./base/faults.js";
import { LIMITS } from "./base/limits.js";
import { systemRandom } from "./base/random.js";
const NAME = /^\d{15}-(\d+)-[0-9a-f]{16}\.sock$/;
const DRAFT = ".draft";
const SOCKET_PATH_BYTES_MAX = 100;
export async function takeDirectoryLock(directory, folder, clock) {
    // A socket's path may have about 100 bytes. Through an open descriptor of the folder every path is short.
    const opened = process.platform === "linux" ? openSync(folder, "r") : undefined;
    const base = opened === undefined ? folder : `/proc/self/fd/${opened}`;
    const started = String(Math.trunc(clock.now())).padStart(15, "0");
    const name = `${started}-${process.pid}-${systemRandom.bytes(8).toString("hex")}.sock`;
    let server;
    const release = async () => {
        rmSync(join(folder, name), { force: true });
        await new Promise((done) => (server === undefined ? done() : server.close(() => done())));
        if (opened !== undefined)
            closeSync(opened);
    };
    try {
        server = await listenAt(directory, join(base, name + DRAFT));
        renameSync(join(folder, name + DRAFT), join(folder, name));
        await waitForOthers({ directory, folder, base, name });
    }
    catch (error) {
        await release();
        throw error;
    }
    return { descriptor: descriptorOf(server), release };
}
async function listenAt(directory, path) {
    if (Buffer.byteLength(path) > SOCKET_PATH_BYTES_MAX)
        throw new UnusableDirectory(`${directory} cannot be locked: its path is too long for a socket on this system`);
    // Whoever connects only wants to know whether somebody is here.
    const server = createServer((socket) => socket.destroy());
    await new Promise((listening, failed) => {
        server.once("error", (cause) => failed(new UnusableDirectory(`${directory} cannot be locked: ${cause.message}`, { cause })));
        // Not a matter for node:cluster, which would share the socket of a worker among all of them.
        server.listen({ path, exclusive: true }, listening);
    });
    server.unref();
    return server;
}
async function waitForOthers(place) {
    const { directory, folder, base, name } = place;
    for (let round = 0;; round++) {
        const alive = [];
        for (const other of readdirSync(folder)) {
            if (other === name || !NAME.test(other))
                continue;
            if (await isAlive(join(base, other)))
                alive.push(other);
            else
                rmSync(join(folder, other), { force: true });
        }
        if (alive.length === 0)
            return;
        const first = alive.sort()[0];
        if (first < name || round >= LIMITS.lockRoundsMax)
            throw new UnusableDirectory(`${directory} is in use by another Holdfast (pid ${NAME.exec(first)[1]})`);
        await pause(LIMITS.lockRoundMillis);
    }
}
/** Dead only when the system says so for certain; in any doubt (no permission, a full backlog) it lives. */
function isAlive(path) {
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
function descriptorOf(server) {
    return server._handle.fd;
}
