import { chargeFor } from "./credits.js";
import { refuse, STATUS } from "./status.js";
import { COMMAND } from "./wire/header.js";
export const success = (body) => ({ status: STATUS.SUCCESS, body });
const ALL_ONES = 0xffffffffffffffffn;
/** One PDU on its way through a command. */
export class Request {
    connection;
    header;
    pdu;
    chain;
    isRelated;
    isEncrypted;
    /** Of its compound: only the last one may keep the client waiting. */
    isLast;
    isSigned = false;
    session;
    tree;
    /** Not 0 once the interim reply was sent. */
    asyncId = 0n;
    #sendInterim;
    #cancel;
    constructor(input) {
        this.connection = input.connection;
        this.header = input.header;
        this.pdu = input.pdu;
        this.chain = input.chain;
        this.isRelated = input.isRelated;
        this.isEncrypted = input.isEncrypted;
        this.isLast = input.isLast;
        this.#sendInterim = input.sendInterim;
    }
    /** Of a request that the table lets through only with a session. */
    get user() {
        if (this.session === undefined)
            throw refuse(STATUS.USER_SESSION_DELETED);
        return this.session;
    }
    /** How a request ends that waits while its session or tree goes. */
    get endStatus() {
        if (this.header.command === COMMAND.CHANGE_NOTIFY)
            return STATUS.NOTIFY_CLEANUP;
        return this.header.command === COMMAND.LOCK ? STATUS.RANGE_NOT_LOCKED : STATUS.CANCELLED;
    }
    /** The payload sent or asked for is paid for. */
    checkCharge(bytes) {
        if (chargeFor(bytes) > Math.max(1, this.header.creditCharge))
            throw refuse(STATUS.INVALID_PARAMETER);
    }
    /** The open a request names: in a related compound the one of the request before it. */
    open(fileId) {
        const isUnnamed = fileId.persistent === ALL_ONES && fileId.volatile === ALL_ONES;
        if (this.isRelated) {
            const { fileId: earlier, error } = this.chain;
            if (earlier === undefined && (isUnnamed || error !== undefined))
                throw refuse(error ?? STATUS.INVALID_HANDLE);
            if (earlier !== undefined)
                return this.#named(earlier);
        }
        if (isUnnamed)
            throw refuse(STATUS.FILE_CLOSED);
        return this.#named(fileId);
    }
    #named(fileId) {
        const open = this.user.openOf(fileId, this.tree);
        if (open.file?.isClosed === true)
            throw refuse(STATUS.FILE_CLOSED);
        this.chain.fileId = fileId;
        return open;
    }
    file(fileId, onPipe = STATUS.INVALID_DEVICE_REQUEST) {
        const open = this.open(fileId);
        if (open.file === undefined)
            throw refuse(onPipe);
        return open;
    }
    /** Tells the client that the answer will take time. From here on CANCEL finds the request. */
    pend() {
        if (this.asyncId === 0n) {
            this.asyncId = this.connection.enterAsync(this);
            this.#sendInterim(this);
        }
    }
    /** Waits, as an asynchronous request, for `work` or for being cancelled, in which case `undo` runs. */
    async wait(work, undo) {
        if (!this.isLast) {
            // A break ends by itself and the chain can wait for it; a change or a lock may never come.
            if (this.header.command !== COMMAND.CHANGE_NOTIFY && this.header.command !== COMMAND.LOCK)
                return await work;
            undo();
            throw refuse(STATUS.INTERNAL_ERROR);
        }
        let cancel = () => { };
        const cancelled = new Promise((_, reject) => {
            cancel = (status) => {
                undo();
                reject(refuse(status));
            };
        });
        this.#cancel = cancel;
        this.pend();
        try {
            return await Promise.race([work, cancelled]);
        }
        finally {
            this.#cancel = undefined;
        }
    }
    cancel(status = STATUS.CANCELLED) {
        this.#cancel?.(status);
    }
}
