import { SMB_LIMITS } from "../../base/limits-smb.js";
import { CIPHER } from "../crypto/encryption.js";
import { PREAUTH_START, preauthAfter } from "../crypto/preauth.js";
import { SIGNING } from "../crypto/signing.js";
import { serverHint } from "../crypto/spnego.js";
import { success } from "../request.js";
import { breach, refuse, STATUS } from "../status.js";
import { COMMAND, FLAG, writeHeader } from "../wire/header.js";
import { HEADER_BYTES } from "../wire/layout.js";
import { CAPABILITY, CONTEXT, DIALECT, decodeIds, decodeNegotiateRequest, decodePreauthIntegrity, encodeIds, encodeNegotiateResponse, encodePreauthIntegrity, PREAUTH_SHA512, SECURITY_MODE, } from "../wire/negotiate.js";
/** The dialects of Azure Files: not 2.0.2, not SMB1. */
const DIALECTS = [DIALECT.SMB_3_1_1, DIALECT.SMB_3_0_2, DIALECT.SMB_3_0, DIALECT.SMB_2_1];
/** In the order of our preference: the fast ones first. */
const CIPHERS = [
    CIPHER.AES_128_GCM,
    CIPHER.AES_256_GCM,
    CIPHER.AES_128_CCM,
    CIPHER.AES_256_CCM,
];
const SIGNINGS = [SIGNING.AES_GMAC, SIGNING.AES_CMAC, SIGNING.HMAC_SHA256];
const SALT_BYTES = 32;
/** Where messages must be signed or encrypted, the client is told so at once. */
export function securityModeOf({ isSigningRequired }) {
    return SECURITY_MODE.SIGNING_ENABLED | (isSigningRequired ? SECURITY_MODE.SIGNING_REQUIRED : 0);
}
export function bestDialect(offered) {
    return DIALECTS.find((dialect) => offered.includes(dialect));
}
export function negotiate(request) {
    const { connection, pdu } = request;
    if (connection.dialect !== 0)
        throw breach("a second NEGOTIATE");
    const asked = decodeNegotiateRequest(pdu);
    const dialect = bestDialect(asked.dialects);
    if (dialect === undefined)
        throw refuse(STATUS.NOT_SUPPORTED);
    const contexts = dialect === DIALECT.SMB_3_1_1 ? settleContexts(connection, asked) : [];
    connection.dialect = dialect;
    connection.clientGuid = Buffer.from(asked.clientGuid);
    connection.clientCapabilities = asked.capabilities;
    connection.clientSecurityMode = asked.securityMode;
    connection.clientDialects = asked.dialects;
    connection.capabilities = capabilitiesFor(connection, asked);
    if (dialect !== DIALECT.SMB_3_1_1) {
        connection.signing = dialect >= DIALECT.SMB_3_0 ? SIGNING.AES_CMAC : SIGNING.HMAC_SHA256;
        const canEncrypt = (connection.capabilities & CAPABILITY.ENCRYPTION) !== 0;
        connection.cipher = canEncrypt ? CIPHER.AES_128_CCM : 0;
        return success(responseBody(connection, dialect, []));
    }
    const afterRequest = preauthAfter(PREAUTH_START, pdu);
    return {
        ...success(responseBody(connection, dialect, contexts)),
        onBytes: (parts) => {
            connection.preauth = preauthAfter(afterRequest, ...parts);
        },
    };
}
function capabilitiesFor(connection, { capabilities }) {
    const always = CAPABILITY.LEASING | CAPABILITY.LARGE_MTU;
    const { dialect } = connection;
    // In 3.1.1 the context of ciphers says what this bit said before.
    const hasBit = dialect === DIALECT.SMB_3_0 || dialect === DIALECT.SMB_3_0_2;
    return always | (hasBit ? capabilities & CAPABILITY.ENCRYPTION : 0);
}
function settleContexts(connection, { contexts }) {
    const byType = new Map();
    const known = [CONTEXT.PREAUTH_INTEGRITY, CONTEXT.ENCRYPTION, CONTEXT.SIGNING];
    for (const { type, data } of contexts) {
        if (byType.has(type) && known.includes(type))
            throw refuse(STATUS.INVALID_PARAMETER);
        byType.set(type, data);
    }
    const preauth = byType.get(CONTEXT.PREAUTH_INTEGRITY);
    if (preauth === undefined)
        throw refuse(STATUS.INVALID_PARAMETER);
    if (!decodePreauthIntegrity(preauth).hashes.includes(PREAUTH_SHA512))
        throw refuse(STATUS.NO_PREAUTH_INTEGRITY_HASH_OVERLAP);
    const salt = connection.server.random.bytes(SALT_BYTES);
    const answers = [
        {
            type: CONTEXT.PREAUTH_INTEGRITY,
            data: encodePreauthIntegrity({ hashes: [PREAUTH_SHA512], salt }),
        },
    ];
    const ciphers = byType.get(CONTEXT.ENCRYPTION);
    if (ciphers !== undefined) {
        const offered = decodeIds(ciphers);
        connection.cipher = CIPHERS.find((id) => offered.includes(id)) ?? 0;
        answers.push({ type: CONTEXT.ENCRYPTION, data: encodeIds([connection.cipher]) });
    }
    const signings = byType.get(CONTEXT.SIGNING);
    connection.signing = SIGNING.AES_CMAC;
    if (signings !== undefined) {
        const offered = decodeIds(signings);
        const chosen = SIGNINGS.find((id) => offered.includes(id));
        if (chosen !== undefined) {
            connection.signing = chosen;
            answers.push({ type: CONTEXT.SIGNING, data: encodeIds([chosen]) });
        }
    }
    return answers;
}
function responseBody({ server, capabilities }, dialect, contexts) {
    return encodeNegotiateResponse({
        securityMode: securityModeOf(server),
        dialect,
        serverGuid: server.guid,
        capabilities,
        maxTransactSize: SMB_LIMITS.transactBytesMax,
        maxReadSize: SMB_LIMITS.readBytesMax,
        maxWriteSize: SMB_LIMITS.writeBytesMax,
        systemTime: server.now(),
        serverStartTime: 0n,
        token: serverHint(),
        contexts,
    });
}
/** The answer to an SMB1 NEGOTIATE that knows SMB2: "ask again", in SMB2. Others get none. */
export function negotiateFromSmb1(connection, dialects) {
    if (!dialects.includes("SMB 2.???"))
        throw breach("an SMB1 client");
    connection.isSmb1Greeted = true;
    connection.credits.take(0n, 1);
    const body = responseBody(connection, DIALECT.WILDCARD, []);
    const pdu = Buffer.alloc(HEADER_BYTES + body.length);
    writeHeader(pdu, {
        creditCharge: 0,
        status: STATUS.SUCCESS,
        command: COMMAND.NEGOTIATE,
        credits: connection.credits.grant(1),
        flags: FLAG.RESPONSE,
        nextCommand: 0,
        messageId: 0n,
        asyncId: 0n,
        processId: 0,
        treeId: 0,
        sessionId: 0n,
    });
    pdu.set(body, HEADER_BYTES);
    connection.write([pdu], undefined);
}
