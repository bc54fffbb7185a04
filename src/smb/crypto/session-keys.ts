import { createHmac } from "node:crypto";
import { DIALECT } from "../wire/negotiate.ts";

/** The keys of a session, derived from the key of its login ([MS-SMB2] 3.1.4.2). */
interface SessionKeys {
  readonly signing: Buffer;
  /** Encrypts requests, as `serverToClient` encrypts responses. Undefined below 3.0. */
  readonly clientToServer: Buffer | undefined;
  readonly serverToClient: Buffer | undefined;
  readonly application: Buffer | undefined;
}

interface KeyInput {
  readonly dialect: number;
  readonly sessionKey: Buffer;
  /** The preauthentication hash up to the last request of the login; only with 3.1.1. */
  readonly preauthHash: Buffer | undefined;
  readonly cipherKeyBytes: number;
}

/** SP800-108 in counter mode with HMAC-SHA256. One round gives enough bits for every key. */
function deriveKey(
  key: Buffer,
  { label, context, bytes }: { readonly label: string; readonly context: Buffer; readonly bytes: number },
): Buffer {
  const counter = Buffer.from([0, 0, 0, 1]);
  const bits = Buffer.alloc(4);
  bits.writeUInt32BE(bytes * 8);
  const hmac = createHmac("sha256", key).update(counter).update(`${label}\0`, "latin1");
  return hmac.update(Buffer.alloc(1)).update(context).update(bits).digest().subarray(0, bytes);
}

const SIGNING_BYTES = 16;

export function deriveSessionKeys(input: KeyInput): SessionKeys {
  const { dialect, preauthHash, cipherKeyBytes } = input;
  const key = input.sessionKey.subarray(0, 16);
  if (dialect < DIALECT.SMB_3_0) {
    return { signing: key, clientToServer: undefined, serverToClient: undefined, application: undefined };
  }
  const derive = (label: string, context: Buffer, bytes: number): Buffer =>
    deriveKey(key, { label, context, bytes });
  if (preauthHash !== undefined) {
    return {
      signing: derive("SMBSigningKey", preauthHash, SIGNING_BYTES),
      clientToServer: derive("SMBC2SCipherKey", preauthHash, cipherKeyBytes),
      serverToClient: derive("SMBS2CCipherKey", preauthHash, cipherKeyBytes),
      application: derive("SMBAppKey", preauthHash, SIGNING_BYTES),
    };
  }
  const text = (value: string): Buffer => Buffer.from(`${value}\0`, "latin1");
  return {
    signing: derive("SMB2AESCMAC", text("SmbSign"), SIGNING_BYTES),
    clientToServer: derive("SMB2AESCCM", text("ServerIn "), cipherKeyBytes),
    serverToClient: derive("SMB2AESCCM", text("ServerOut"), cipherKeyBytes),
    application: derive("SMB2APP", text("SmbRpc"), SIGNING_BYTES),
  };
}
