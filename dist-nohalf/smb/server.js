import { SMB_LIMITS } from "../base/limits-smb.js";
import { OpenedNodes } from "./caches.js";
import { ChangeHub } from "./changes.js";
import { sendBreak } from "./commands/oplock-break.js";
import { Connection } from "./connection.js";
import { DurableOpens } from "./durable-opens.js";
import { closeOpen } from "./end-open.js";
import { LoginDelay } from "./login-delay.js";
import { fileTimeAt } from "./wire/filetime.js";
const SWEEP_MILLIS = 5_000;
/** Everything that connections share: the accounts, the files, who has what open. */
export class SmbServer {
    fileSystem;
    accounts;
    serverName;
    isEncryptionRequired;
    isSigningRequired;
    clock;
    timers;
    random;
    log;
    guid;
    startedAt;
    sessions = new Map();
    nodes;
    changes = new ChangeHub();
    durables;
    loginDelay;
    #connections = new Set();
    #sweep;
    #lastOpenId;
    constructor(options) {
        this.fileSystem = options.fileSystem;
        this.accounts = options.accounts;
        this.serverName = options.serverName;
        this.isEncryptionRequired = options.encryption === "required";
        this.isSigningRequired = options.signing !== "enabled";
        this.clock = options.clock;
        this.timers = options.timers;
        this.random = options.random;
        this.log = options.log;
        this.guid = this.random.bytes(16);
        this.startedAt = fileTimeAt(this.clock.now());
        // Handles of an earlier run must not be mistaken for those of this one.
        this.#lastOpenId = BigInt(this.random.bytes(4).readUInt32LE()) << 24n;
        this.nodes = new OpenedNodes(this.timers, (entry, to, isAnswerNeeded) => sendBreak(this, entry, to, isAnswerNeeded));
        this.durables = new DurableOpens(this);
        this.loginDelay = new LoginDelay(this.clock, this.timers);
        this.#sweep = this.timers.every(SWEEP_MILLIS, () => this.#endSilent());
    }
    now() {
        return fileTimeAt(this.clock.now());
    }
    accept(socket) {
        this.#connections.add(new Connection(this, socket));
    }
    get connectionCount() {
        return this.#connections.size;
    }
    nextOpenId() {
        return ++this.#lastOpenId;
    }
    /** Nobody learns how many credits there are before a login. */
    grantCredits(connection, requested) {
        return connection.credits.grant(connection.isLoggedIn ? requested : 1);
    }
    newSessionId() {
        for (;;) {
            // No secret: who uses it must hold the session's key. Some clients keep only the low half of it.
            const id = BigInt(this.random.bytes(4).readUInt32LE());
            if (id !== 0n && !this.sessions.has(id))
                return id;
        }
    }
    #endSilent() {
        const now = this.clock.now();
        for (const connection of this.#connections) {
            const { isLoggedIn } = connection;
            const silentSince = isLoggedIn ? connection.activeAt : connection.startedAt;
            if (now - silentSince > (isLoggedIn ? SMB_LIMITS.idleMillis : SMB_LIMITS.loginMillis))
                connection.close();
        }
    }
    connectionClosed(connection) {
        this.#connections.delete(connection);
        for (const session of connection.sessions.values())
            void this.endSession(session, "lost");
    }
    /** Durable opens wait for their client, whether it logged off or was lost, unless the server itself ends. */
    async endSession(session, how) {
        if (session.state === "ended")
            return;
        session.state = "ended";
        this.sessions.delete(session.id);
        session.connection.sessions.delete(session.id);
        session.connection.cancelWhere((request) => request.session === session);
        const opens = [...session.opens.values()];
        session.opens.clear();
        session.trees.clear();
        await Promise.all(opens.map((open) => {
            session.connection.openCount--;
            if (how !== "shutdown" && open.file !== undefined && this.durables.keep(open))
                return undefined;
            return closeOpen(this, open);
        }));
    }
    async endTree(tree) {
        const { session } = tree;
        session.trees.delete(tree.id);
        session.connection.cancelWhere((request) => request.tree === tree);
        const opens = [...session.opens.values()].filter((open) => open.tree === tree);
        for (const open of opens) {
            session.opens.delete(open.fileId.volatile);
            session.connection.openCount--;
        }
        await Promise.all(opens.map((open) => closeOpen(this, open)));
    }
    async close() {
        this.#sweep.cancel();
        const sessions = [...this.sessions.values()];
        await Promise.all(sessions.map((session) => this.endSession(session, "shutdown")));
        for (const connection of [...this.#connections])
            connection.close();
        await this.durables.close();
    }
}
