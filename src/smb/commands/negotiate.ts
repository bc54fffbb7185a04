import type { SmbContext } from "../context.ts";
import { CIPHER } from "../crypto/encryption.ts";
import { PREAUTH_START, preauthAfter } from "../crypto/preauth.ts";
import { SIGNING } from "../crypto/signing.ts";
import { serverHint } from "../crypto/spnego.ts";
import { SMB_LIMITS } from "../limits.ts";
import type { Connection } from "../transport/connection.ts";
import { type Reply, type Request, success } from "../transport/request.ts";
import { COMMAND, FLAG, writeHeader } from "../wire/header.ts";
import { HEADER_BYTES } from "../wire/layout.ts";
import {
  CAPABILITY,
  CONTEXT,
  DIALECT,
  decodeIds,
  decodeNegotiateRequest,
  decodePreauthIntegrity,
  encodeIds,
  encodeNegotiateResponse,
  encodePreauthIntegrity,
  type NegotiateContext,
  type NegotiateRequest,
  PREAUTH_SHA512,
  SECURITY_MODE,
} from "../wire/negotiate.ts";
import { protocolError, refuse, STATUS } from "../wire/status.ts";

/** The dialects of Azure Files: not 2.0.2, not SMB1. */
const DIALECTS: readonly number[] = [DIALECT.SMB_3_1_1, DIALECT.SMB_3_0_2, DIALECT.SMB_3_0, DIALECT.SMB_2_1];
/** In the order of preference: the fast ones first. */
const CIPHERS: readonly number[] = [
  CIPHER.AES_128_GCM,
  CIPHER.AES_256_GCM,
  CIPHER.AES_128_CCM,
  CIPHER.AES_256_CCM,
];
const SIGNINGS: readonly number[] = [SIGNING.AES_GMAC, SIGNING.AES_CMAC, SIGNING.HMAC_SHA256];
const SALT_BYTES = 32;

export function securityModeOf({ isSigningRequired }: SmbContext): number {
  return SECURITY_MODE.SIGNING_ENABLED | (isSigningRequired ? SECURITY_MODE.SIGNING_REQUIRED : 0);
}

export function bestDialect(offered: readonly number[]): number | undefined {
  return DIALECTS.find((dialect) => offered.includes(dialect));
}

export function negotiate(request: Request): Reply {
  const { connection, pdu } = request;
  if (connection.dialect !== 0) throw protocolError("a second NEGOTIATE");
  const offer = decodeNegotiateRequest(pdu);
  const dialect = bestDialect(offer.dialects);
  if (dialect === undefined) throw refuse(STATUS.NOT_SUPPORTED);
  const contexts = dialect === DIALECT.SMB_3_1_1 ? negotiateContexts(connection, offer) : [];
  connection.dialect = dialect;
  connection.clientGuid = Buffer.from(offer.clientGuid);
  connection.clientCapabilities = offer.capabilities;
  connection.clientSecurityMode = offer.securityMode;
  connection.clientDialects = offer.dialects;
  connection.capabilities = capabilitiesFor(connection, offer);
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

function capabilitiesFor(connection: Connection, { capabilities }: NegotiateRequest): number {
  const always = CAPABILITY.LEASING | CAPABILITY.LARGE_MTU;
  const { dialect } = connection;
  // In 3.1.1 the context of ciphers replaces this bit.
  const hasBit = dialect === DIALECT.SMB_3_0 || dialect === DIALECT.SMB_3_0_2;
  const channels = dialect >= DIALECT.SMB_3_0 ? capabilities & CAPABILITY.MULTI_CHANNEL : 0;
  return always | channels | (hasBit ? capabilities & CAPABILITY.ENCRYPTION : 0);
}

function negotiateContexts(connection: Connection, { contexts }: NegotiateRequest): NegotiateContext[] {
  const byType = new Map<number, Buffer>();
  const unique: readonly number[] = [CONTEXT.PREAUTH_INTEGRITY, CONTEXT.ENCRYPTION, CONTEXT.SIGNING];
  for (const { type, data } of contexts) {
    if (byType.has(type) && unique.includes(type)) throw refuse(STATUS.INVALID_PARAMETER);
    byType.set(type, data);
  }
  const preauth = byType.get(CONTEXT.PREAUTH_INTEGRITY);
  if (preauth === undefined) throw refuse(STATUS.INVALID_PARAMETER);
  if (!decodePreauthIntegrity(preauth).hashes.includes(PREAUTH_SHA512))
    throw refuse(STATUS.NO_PREAUTH_INTEGRITY_HASH_OVERLAP);
  const salt = connection.context.random.bytes(SALT_BYTES);
  const answers: NegotiateContext[] = [
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

function responseBody(
  { context, capabilities }: Connection,
  dialect: number,
  contexts: readonly NegotiateContext[],
): Buffer {
  return encodeNegotiateResponse({
    securityMode: securityModeOf(context),
    dialect,
    serverGuid: context.guid,
    capabilities,
    maxTransactSize: SMB_LIMITS.transactBytesMax,
    maxReadSize: SMB_LIMITS.readBytesMax,
    maxWriteSize: SMB_LIMITS.writeBytesMax,
    systemTime: context.now(),
    serverStartTime: 0n,
    token: serverHint(),
    contexts,
  });
}

/** The reply to an SMB1 NEGOTIATE that offers SMB2 asks for one of SMB2. Other SMB1 clients get no reply. */
export function negotiateFromSmb1(connection: Connection, dialects: readonly string[]): void {
  if (!dialects.includes("SMB 2.???")) throw protocolError("an SMB1 client");
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
