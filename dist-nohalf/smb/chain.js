import { SMB_LIMITS } from "../base/limits-smb.js";
import { Refusal } from "../base/refusals.js";
import { COMMANDS } from "./commands/table.js";
import { isSignatureValid } from "./crypto/signing.js";
import { Request } from "./request.js";
import { Breach, breach, refuse, STATUS, StatusError } from "./status.js";
import { COMMAND, decodeHeader, encodeError, FLAG, splitCompound } from "./wire/header.js";
/**
 * One message of a client: a request or a compound of them. Its parts run in their order; messages run beside each
 * other. The order of checks is that of the protocol: message id, session, signature, encryption, tree, body.
 */
const KNOWN_FLAGS = FLAG.ASYNC | FLAG.RELATED | FLAG.SIGNED | FLAG.PRIORITY | FLAG.DFS | FLAG.REPLAY;
export async function runChain(connection, payload, sealedBy) {
    const pdus = splitCompound(payload, SMB_LIMITS.pdusPerCompoundMax);
    const chain = { session: undefined, tree: undefined, fileId: undefined, error: undefined };
    let answers = [];
    const flush = () => {
        if (answers.length > 0)
            connection.send(answers);
        answers = [];
    };
    const sendInterim = (request) => {
        // What is finished goes out first: the client must not wait for it as long as for this one.
        flush();
        const reply = { status: STATUS.PENDING, body: encodeError() };
        connection.send([{ request, reply, isInterim: true }]);
    };
    for (const [index, pdu] of pdus.entries()) {
        const header = decodeHeader(pdu);
        if ((header.flags & FLAG.RESPONSE) !== 0)
            throw breach("a reply from a client");
        if (header.command === COMMAND.CANCEL) {
            cancel(connection, header, pdu, sealedBy);
            continue;
        }
        const charge = Math.max(1, header.creditCharge);
        if (!connection.credits.take(header.messageId, charge))
            throw breach("a message id without a credit");
        const isRelated = (header.flags & FLAG.RELATED) !== 0;
        const isEncrypted = sealedBy !== undefined;
        const request = new Request({
            connection,
            header,
            pdu,
            chain,
            isRelated,
            isEncrypted,
            isLast: index === pdus.length - 1,
            sendInterim,
        });
        const reply = await runOne(request, { isFirst: index === 0, sealedBy });
        if (connection.isClosed)
            return;
        chain.session = request.session;
        chain.tree = request.tree;
        answers.push({ request, reply, isInterim: false });
        if (request.asyncId !== 0n) {
            connection.leaveAsync(request);
            flush();
        }
    }
    flush();
}
async function runOne(request, place) {
    const { header, chain } = request;
    try {
        admit(request, place);
        const row = COMMANDS[header.command];
        if (row === undefined)
            throw refuse(STATUS.INVALID_PARAMETER);
        const result = row.run(request);
        return result instanceof Promise ? await result : result;
    }
    catch (error) {
        const refused = statusOf(request.connection, error);
        if (header.command === COMMAND.CREATE || chain.fileId === undefined)
            chain.error ??= refused.status;
        return { status: refused.status, body: encodeError(refused.data) };
    }
}
/** An error as the protocol has it. A breach has no answer and passes through. */
function statusOf(connection, error) {
    if (error instanceof StatusError)
        return error;
    if (error instanceof Breach)
        throw error;
    if (error instanceof Refusal)
        return refuse(error.row.smb ?? STATUS.ACCESS_DENIED);
    connection.server.log.error({ err: error }, "an SMB request failed");
    return refuse(STATUS.UNEXPECTED_IO_ERROR);
}
function admit(request, { isFirst, sealedBy }) {
    const { header, connection, chain, isRelated } = request;
    const needs = COMMANDS[header.command]?.needs ?? "session";
    if (isRelated) {
        // There is nothing before it to be related to, nor for those that follow it.
        if (isFirst || chain.session === undefined)
            throw refuse(STATUS.INVALID_PARAMETER);
        request.session = chain.session;
        request.tree = chain.tree;
    }
    else {
        chain.fileId = undefined;
        chain.error = undefined;
        request.session = connection.sessions.get(header.sessionId);
    }
    if ((header.flags & ~KNOWN_FLAGS) !== 0)
        throw refuse(STATUS.INVALID_PARAMETER);
    if (header.command === COMMAND.NEGOTIATE) {
        if ((header.flags & FLAG.SIGNED) !== 0)
            throw refuse(STATUS.INVALID_PARAMETER);
        return;
    }
    if (connection.dialect === 0)
        throw breach("a request before NEGOTIATE");
    if (sealedBy !== undefined && request.session !== sealedBy)
        throw breach("a session that did not encrypt this");
    checkSignature(request);
    if (needs === "nothing")
        return;
    if (header.command === COMMAND.ECHO && header.sessionId === 0n)
        return;
    const { session } = request;
    if (session === undefined || session.state !== "valid")
        throw refuse(STATUS.USER_SESSION_DELETED);
    if (!request.isEncrypted &&
        (session.isEncryptionDemanded || (session.isSigningRequired && !request.isSigned)))
        throw refuse(STATUS.ACCESS_DENIED);
    if (needs !== "tree")
        return;
    if (!isRelated)
        request.tree = session.trees.get(header.treeId);
    if (request.tree === undefined)
        throw refuse(STATUS.NETWORK_NAME_DELETED);
}
function checkSignature(request) {
    const { session, header, pdu, isEncrypted } = request;
    if (isEncrypted || (header.flags & FLAG.SIGNED) === 0 || session?.signer === undefined)
        return;
    const message = { messageId: header.messageId, isFromServer: false, isCancel: false };
    // Also a refusal is signed then: the client must be able to believe it.
    request.isSigned = true;
    if (!isSignatureValid(session.signer, pdu, message))
        throw refuse(STATUS.ACCESS_DENIED);
}
/** CANCEL has no answer, takes no credit, and is believed only from whoever holds the session. */
function cancel(connection, header, pdu, sealedBy) {
    const session = connection.sessions.get(header.sessionId);
    if (session?.signer === undefined)
        return;
    if (sealedBy !== undefined ? sealedBy !== session : session.isEncryptionDemanded)
        return;
    const message = { messageId: header.messageId, isFromServer: false, isCancel: true };
    const isSigned = (header.flags & FLAG.SIGNED) !== 0;
    if (sealedBy === undefined && !isSigned && session.isSigningRequired)
        return;
    if (sealedBy === undefined && isSigned && !isSignatureValid(session.signer, pdu, message))
        return;
    connection.cancel(header);
}
