import { isAbsolute, resolve } from "node:path";
import { CommanderError } from "commander";
import { ConfigError } from "./base/config-error.js";
import { loadCertificate } from "./certificate.js";
import { buildCommand, environmentName } from "./options-flags.js";
import { defaultAccounts, parseAccountsVariable, } from "./services/account/account-list.js";
import { readAccountsFile } from "./services/account/accounts-file.js";
export const LISTENERS = ["blob", "queue", "table", "file", "smb", "admin"];
/** Throws `ConfigError` with one clear line. A flag outranks its environment variable. */
export function readCommandLine({ argv, env, cwd, version }) {
    let printed = "";
    const command = buildCommand(version, env, (text) => {
        printed += text;
    });
    try {
        command.parse([...argv], { from: "user" });
    }
    catch (error) {
        if (!(error instanceof CommanderError))
            throw error;
        if (error.exitCode === 0)
            return { kind: "print", text: printed };
        throw new ConfigError("command line", error.message.replace(/^error: /, ""));
    }
    const flags = command.opts();
    const isGiven = (name) => {
        const source = command.getOptionValueSource(name);
        return source !== undefined && source !== "default";
    };
    return { kind: "serve", options: assemble(flags, isGiven, env, cwd) };
}
function assemble(flags, isGiven, env, cwd) {
    const place = (path) => (isAbsolute(path) ? path : resolve(cwd, path));
    const store = chooseStore(flags, isGiven, place);
    if (store.kind === "memory" && flags.workers > 1)
        throw new ConfigError("--workers", "expected 1 with --inMemory: memory is not shared between processes");
    const certificate = loadCertificate({
        cert: flags.cert === undefined ? undefined : place(flags.cert),
        key: flags.key === undefined ? undefined : place(flags.key),
        pwd: flags.pwd,
    });
    if (flags.oauth !== undefined && certificate === undefined)
        throw new ConfigError("--oauth", "expected --cert beside it: bearer tokens are taken over HTTPS only");
    const { accounts, accountsFile, warnings } = chooseAccounts(flags, env, place);
    const debugFile = typeof flags.debug === "string" ? place(flags.debug) : undefined;
    const accessLog = flags.accessLog;
    return {
        store,
        addresses: chooseAddresses(flags),
        workers: flags.workers,
        certificate,
        oauth: flags.oauth,
        isLoose: flags.loose ?? false,
        isBlobVersioned: flags.blobVersioning ?? false,
        shareRetentionDays: flags.shareRetentionDays,
        allowsHostStyle: !(flags.disableProductStyleUrl ?? false),
        ready: flags.ready,
        isSilent: flags.silent ?? false,
        logLevel: chooseLogLevel(flags, isGiven, debugFile),
        debugFile,
        accessLog: accessLog === "off" || accessLog === "-" ? accessLog : place(accessLog),
        accounts,
        accountsFile,
        warnings,
    };
}
function chooseStore(flags, isGiven, place) {
    const named = ["location", "store"].filter(isGiven);
    if (flags.inMemory || flags.inMemoryPersistence) {
        if (named.length > 0)
            throw new ConfigError(`--${named[0]}`, "expected without --inMemory: what is in memory has no place on disk");
        return { kind: "memory" };
    }
    if (named.length === 2)
        throw new ConfigError("--store", "expected without --location: both name where data is kept");
    const chosen = flags.store ?? flags.location;
    const scheme = /^([a-z][a-z0-9+.-]+):\/\//i.exec(chosen)?.[1]?.toLowerCase();
    if (scheme === "postgres" || scheme === "postgresql")
        throw new ConfigError("--store", "the postgres store is not in this build, expected a directory");
    if (scheme !== undefined)
        throw new ConfigError("--store", `expected a directory, got an address of ${scheme}`);
    return { kind: "embedded", directory: place(chosen) };
}
function chooseAddresses(flags) {
    const host = flags.host ?? "127.0.0.1";
    const taken = new Map();
    const address = (name) => {
        const chosen = { host: flags[`${name}Host`] ?? host, port: flags[`${name}Port`] };
        const key = `${chosen.host} ${chosen.port}`;
        const other = taken.get(key);
        if (chosen.port !== 0 && other !== undefined)
            throw new ConfigError(`--${name}Port`, `expected a port other than ${chosen.port}, which --${other}Port has`);
        taken.set(key, name);
        return chosen;
    };
    return Object.fromEntries(LISTENERS.map((name) => [name, address(name)]));
}
/** `--debug` alone means debug lines on stderr; with a file they go there, and stderr stays as it was. */
function chooseLogLevel(flags, isGiven, debugFile) {
    if (isGiven("logLevel"))
        return flags.logLevel;
    if (flags.debug !== undefined && debugFile === undefined)
        return "debug";
    return flags.silent ? "error" : flags.logLevel;
}
/** One source counts, the first that is given: the file, our variable, Azurite's variable, the well-known account. */
function chooseAccounts(flags, env, place) {
    const variables = ["HOLDFAST_ACCOUNTS", "AZURITE_ACCOUNTS"].filter((name) => env[name]?.trim());
    const warnings = [];
    let list;
    let accountsFile;
    if (flags.accountsFile !== undefined) {
        const path = place(flags.accountsFile);
        const read = readAccountsFile(path);
        list = read.list;
        accountsFile = { path, text: read.text };
        for (const name of variables)
            warnings.push(`${name} has no effect beside --accountsFile`);
    }
    else if (variables[0] !== undefined) {
        list = parseAccountsVariable(variables[0], env[variables[0]]);
        if (variables[1] !== undefined)
            warnings.push(`${variables[1]} has no effect beside ${variables[0]}`);
    }
    else {
        list = defaultAccounts();
    }
    return { accounts: list.accounts, accountsFile, warnings: [...list.warnings, ...warnings] };
}
export { ConfigError, environmentName };
