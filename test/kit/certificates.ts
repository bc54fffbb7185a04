import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** A certificate for 127.0.0.1 and localhost that nobody trusts who is not told to. */
export function certificateFile(name: "cert.pem" | "key.pem" | "cert.pfx"): string {
  return fileURLToPath(new URL(`certificates/${name}`, import.meta.url));
}

/** A server that speaks HTTPS. */
export const HTTPS_FLAGS = ["--cert", certificateFile("cert.pem"), "--key", certificateFile("key.pem")];

/** For a client of the SDK that talks to it. */
export const tlsOptions = {
  ca: readFileSync(certificateFile("cert.pem"), "utf8"),
  rejectUnauthorized: false,
};
