/** What `https.createServer` takes, checked: the files were read, belong together and open with the password. */
export type Certificate = {
    readonly cert: Buffer;
    readonly key: Buffer;
    readonly passphrase?: string;
} | {
    readonly pfx: Buffer;
    readonly passphrase: string;
};
/**
 * `--cert` with `--key` is a PEM pair (`--pwd` opens an encrypted key), `--cert` with `--pwd` alone is a PFX file,
 * as with Azurite. Checked at the start: a wrong password should not wait for the first client to be noticed.
 */
export declare function loadCertificate(files: {
    cert: string | undefined;
    key: string | undefined;
    pwd: string | undefined;
}): Certificate | undefined;
