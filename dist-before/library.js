import { openLog } from "./base/log.js";
import { readCommandLine } from "./options.js";
import { run } from "./run.js";
import { connectionString } from "./services/account/accounts.js";
export async function startHoldfast({ directory, flags = [], accounts, } = {}) {
    const place = directory === undefined ? ["--inMemory"] : ["--location", directory];
    const ports = ["blob", "queue", "table", "file", "admin", "smb"].flatMap((name) => [`--${name}Port`, "0"]);
    const commandLine = readCommandLine({
        argv: [...place, ...ports, "--silent", ...flags],
        env: accounts === undefined ? {} : { HOLDFAST_ACCOUNTS: accounts },
        cwd: process.cwd(),
        version: "library",
    });
    if (commandLine.kind !== "serve")
        throw new Error("--help and --version are for the command line");
    const { options } = commandLine;
    const running = await run({
        options,
        log: openLog({ level: options.logLevel }),
        onFatal: (error) => {
            throw error;
        },
    });
    const scheme = options.certificate === undefined ? "http" : "https";
    const at = (name) => `${name === "admin" ? "http" : scheme}://${options.addresses[name].host}:${running.ports[name]}`;
    const endpoints = {
        blob: at("blob"),
        queue: at("queue"),
        table: at("table"),
        file: at("file"),
        admin: at("admin"),
    };
    const account = options.accounts[0];
    return {
        account: account.name,
        connectionString: connectionString(account, endpoints),
        endpoints,
        close: () => running.close(),
    };
}
