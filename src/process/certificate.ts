import { readFileSync, statSync } from "node:fs";
import { createSecureContext, type SecureContextOptions } from "node:tls";
import { ConfigError } from "../base/config-error.ts";
import { LIMITS } from "../base/limits.ts";

/**
 * What `https.createServer` takes, checked: the files were read, belong together and open with the password.
 */
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
    if (key !== undefined) throw new ConfigError("--key", "expected --cert beside it");
    if (pwd !== undefined) throw new ConfigError("--pwd", "expected --cert beside it");
    return undefined;
  }
  if (key === undefined && pwd === undefined)
    throw new ConfigError("--cert", "expected --key (PEM) or --pwd (PFX) beside it");
  return key === undefined ? openPfx(cert, pwd!) : openPem({ cert, key, pwd });
}

function openPfx(path: string, passphrase: string): Certificate {
  const certificate = { pfx: readSmallFile("--cert", path), passphrase };
  const said = problemWith(certificate);
  if (said === undefined) return certificate;
  const setting = `--cert ${path} with --pwd`;
  if (/mac verify|bad decrypt|password/.test(said)) throw new ConfigError(setting, WRONG_PASSWORD);
  if (said.includes("unsupported"))
    throw new ConfigError(setting, "the file uses a cipher this OpenSSL no longer opens: export it again");
  throw new ConfigError(setting, `not a PFX file (${said})`);
}

function openPem(files: { cert: string; key: string; pwd: string | undefined }): Certificate {
  const cert = readSmallFile("--cert", files.cert);
  const key = readSmallFile("--key", files.key);
  const bad = problemWith({ cert });
  if (bad !== undefined) throw new ConfigError(`--cert ${files.cert}`, `not a PEM certificate (${bad})`);
  const certificate = { cert, key, ...(files.pwd === undefined ? {} : { passphrase: files.pwd }) };
  const said = problemWith(certificate);
  if (said === undefined) return certificate;
  const setting = `--key ${files.key}`;
  if (said.includes("mismatch"))
    throw new ConfigError(setting, `the key does not belong to the certificate ${files.cert}`);
  // A wrong password may decrypt to bytes that only later turn out to be no key (one in 256 does), so that no
  // error of an encrypted key can be taken at its word.
  if (key.includes("ENCRYPTED"))
    throw new ConfigError(
      setting,
      files.pwd === undefined ? "the key is encrypted, expected --pwd with its password" : WRONG_PASSWORD,
    );
  throw new ConfigError(setting, `not a PEM key (${said})`);
}

const WRONG_PASSWORD = "the password does not open the file";

/** What OpenSSL says about it: routines and decoders, from which we guess which file or password is meant. */
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
