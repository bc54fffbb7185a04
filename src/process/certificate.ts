import { readFileSync, statSync } from "node:fs";
import { createSecureContext, type SecureContextOptions } from "node:tls";
import { ConfigError } from "../base/config-error.ts";
import { LIMITS } from "../base/limits.ts";

/** Options for `https.createServer`: the files were read, match each other and open with the password. */
export type Certificate =
  | { readonly cert: Buffer; readonly key: Buffer; readonly passphrase?: string }
  | { readonly pfx: Buffer; readonly passphrase: string };

/**
 * `--cert` with `--key` is a PEM pair (`--pwd` decrypts the key), `--cert` with `--pwd` alone is a PFX file,
 * as with Azurite. The server checks both when it starts, so that a wrong password does not surface at the
 * first client.
 */
export function loadCertificate(files: {
  cert: string | undefined;
  key: string | undefined;
  pwd: string | undefined;
}): Certificate | undefined {
  const { cert, key, pwd } = files;
  if (cert === undefined) {
    if (key !== undefined) throw new ConfigError("--key requires --cert");
    if (pwd !== undefined) throw new ConfigError("--pwd requires --cert");
    return undefined;
  }
  if (key === undefined && pwd === undefined)
    throw new ConfigError("--cert requires --key (PEM) or --pwd (PFX)");
  return key === undefined ? openPfx(cert, pwd!) : openPem({ cert, key, pwd });
}

function openPfx(path: string, passphrase: string): Certificate {
  const certificate = { pfx: readSmallFile("--cert", path), passphrase };
  const problem = problemWith(certificate);
  if (problem === undefined) return certificate;
  const setting = `--cert ${path} with --pwd`;
  if (/mac verify|bad decrypt|password/.test(problem)) throw new ConfigError(setting, WRONG_PASSWORD);
  if (problem.includes("unsupported"))
    throw new ConfigError(setting, "OpenSSL no longer supports the cipher of this file: export it again");
  throw new ConfigError(setting, `not a PFX file (${problem})`);
}

function openPem(files: { cert: string; key: string; pwd: string | undefined }): Certificate {
  const cert = readSmallFile("--cert", files.cert);
  const key = readSmallFile("--key", files.key);
  const bad = problemWith({ cert });
  if (bad !== undefined) throw new ConfigError(`--cert ${files.cert}`, `not a PEM certificate (${bad})`);
  const certificate = { cert, key, ...(files.pwd === undefined ? {} : { passphrase: files.pwd }) };
  const problem = problemWith(certificate);
  if (problem === undefined) return certificate;
  const setting = `--key ${files.key}`;
  if (problem.includes("mismatch"))
    throw new ConfigError(setting, `the key does not belong to the certificate ${files.cert}`);
  // One wrong password in 256 decrypts to bytes that fail only later, with another error. So every error of
  // an encrypted key is reported as a wrong password.
  if (key.includes("ENCRYPTED"))
    throw new ConfigError(
      setting,
      files.pwd === undefined ? "the key is encrypted: set --pwd to its password" : WRONG_PASSWORD,
    );
  throw new ConfigError(setting, `not a PEM key (${problem})`);
}

const WRONG_PASSWORD = "the password does not open the file";

/** The message of OpenSSL, from which the callers derive which file or password is wrong. */
function problemWith(certificate: SecureContextOptions): string | undefined {
  try {
    createSecureContext(certificate);
    return undefined;
  } catch (error) {
    return (error as Error).message.toLowerCase();
  }
}

function readSmallFile(flag: string, path: string): Buffer {
  try {
    if (statSync(path).size > LIMITS.certificateBytesMax)
      throw new ConfigError(flag, `expected a certificate or key file, ${path} is too large for one`);
    return readFileSync(path);
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw new ConfigError(flag, `${path} cannot be read: ${(error as Error).message}`);
  }
}
