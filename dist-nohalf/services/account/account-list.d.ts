/**
 * Accounts as an operator writes them: `name:key1[:key2]`, separated by `;` in an environment variable and by
 * line ends in a file, where `#` starts a comment. Keys are base64.
 *
 * Azure allows names of 3 to 24 lower-case letters and digits. Azurite takes anything, and scripts rely on it,
 * so other names work here too, with a warning, as long as they can stand in an address: letters, digits, `.`,
 * `_` and `-`. A name that ends in `-secondary` is refused: it would hide behind the read-only address of
 * another account.
 */
export interface AccountKeys {
    readonly name: string;
    readonly keys: readonly Buffer[];
}
export interface AccountList {
    readonly accounts: readonly AccountKeys[];
    readonly warnings: readonly string[];
}
/** The public account of every emulator of this protocol. Its key protects nothing. */
export declare const WELL_KNOWN_ACCOUNT = "devstoreaccount1";
export declare const WELL_KNOWN_KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";
export declare function defaultAccounts(): AccountList;
/** Reads the value of an environment variable. `setting` is the variable's name, for the error line. */
export declare function parseAccountsVariable(setting: string, text: string): AccountList;
/** Reads the content of an accounts file. `setting` names the file in the error line. */
export declare function parseAccountsFile(setting: string, text: string): AccountList;
