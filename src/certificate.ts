import { readFileSync, statSync } from "node:fs";
import { createSecureContext } from "node:tls";
import { ConfigError } from "./base/config-error.ts";
import { LIMITS } from "./base/limits.ts";

/** What `https.createServer` takes, checked: the files were read, belong together and open with the password. */
export type Certificate =
  | { readonly cert: Buffer; readonly key: Buffer; readonly passphrase?: string }
  | { readonly pfx: Buffer; readonly passphrase: string };

/**
 * `--cert` with `--key` is a PEM pair (`--pwd` opens an encrypted key), `--cert` with `--pwd` alone is a PFX file,
 * as with Azurite. Checked at the start: a wrong password should not wait for the first client to be noticed.
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
  const certificate: Certificate =
    key === undefined
      ? { pfx: readSmallFile("--cert", cert), passphrase: pwd! }
      : {
          cert: readSmallFile("--cert", cert),
          key: readSmallFile("--key", key),
          ...(pwd === undefined ? {} : { passphrase: pwd }),
        };
  try {
    createSecureContext(certificate);
  } catch (error) {
    const setting = key === undefined ? `--cert ${cert} with --pwd` : `--cert ${cert} with --key ${key}`;
    throw new ConfigError(
      setting,
      explain(error as Error, { isPfx: key === undefined, hasPassword: pwd !== undefined }),
    );
  }
  return certificate;
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

/** OpenSSL speaks of routines and decoders; the operator needs to know which file or password to look at. */
function explain(error: Error, file: { isPfx: boolean; hasPassword: boolean }): string {
  const said = error.message.toLowerCase();
  if (/mac verify|bad decrypt|password|interrupted or cancelled/.test(said))
    return file.hasPassword
      ? "the password does not open the file"
      : "the key is encrypted, expected --pwd with its password";
  if (said.includes("mismatch")) return "the key does not belong to the certificate";
  if (said.includes("unsupported"))
    return "the file is of a kind this OpenSSL does not open (old cipher or not a key)";
  if (file.isPfx) return `not a PFX file (${error.message})`;
  return `not a PEM certificate and key (${error.message})`;
}
