import { assert } from "./base/assert.js";
import { displayConnectionString, isWellKnown, wellKnownKeyWarning } from "./services/account/accounts.js";
/** An address a client on this machine can use: a wildcard is where we listen, not where one connects to. */
function endpoint(scheme, { host, port }) {
    const reachable = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
    return `${scheme}://${reachable.includes(":") ? `[${reachable}]` : reachable}:${port}`;
}
function endpointsOf({ addresses, isSecure }) {
    const web = isSecure ? "https" : "http";
    return {
        blob: endpoint(web, addresses.blob),
        queue: endpoint(web, addresses.queue),
        table: endpoint(web, addresses.table),
        file: endpoint(web, addresses.file),
        ...(addresses.smb === undefined ? {} : { smb: endpoint("smb", addresses.smb) }),
        // Health and metrics stay on plain HTTP: what scrapes them seldom knows the certificate.
        ...(addresses.admin === undefined ? {} : { admin: endpoint("http", addresses.admin) }),
    };
}
/** The account shown first: the one everybody's scripts use, or the first of the operator's own. */
function shownAccount(accounts) {
    const shown = accounts.find(isWellKnown) ?? accounts[0];
    assert(shown !== undefined, "a server without accounts");
    return shown;
}
function warningsOf(facts) {
    const hosts = Object.values(facts.addresses).flatMap((address) => address?.host ?? []);
    const open = wellKnownKeyWarning(hosts, facts.accounts);
    return [...facts.warnings, ...(open === undefined ? [] : [open])];
}
/** For people. */
export function printReadyText(facts) {
    const endpoints = endpointsOf(facts);
    const account = shownAccount(facts.accounts);
    const row = (name, value) => `  ${name.padEnd(10)}${value}`;
    const lines = [`Holdfast ${facts.version} is ready.`, ""];
    for (const name of ["blob", "queue", "table", "file"])
        lines.push(row(name, `${endpoints[name]}/${account.name}`));
    if (endpoints.smb !== undefined)
        lines.push(row("smb", endpoints.smb));
    if (endpoints.admin !== undefined)
        lines.push(row("admin", `${endpoints.admin}  (/healthz, /readyz, /metrics)`));
    lines.push(row("data", facts.dataDirectory ?? "in memory, gone when this process ends"), row("workers", String(facts.workers)), row("accounts", facts.accounts.map(({ name }) => name).join(", ")));
    lines.push("", "Connection string:", `  ${displayConnectionString(account, endpoints)}`);
    if (!isWellKnown(account))
        lines.push(`  (put the key of ${account.name} in the place of <key>)`);
    const warnings = warningsOf(facts);
    if (warnings.length > 0)
        lines.push("", ...warnings.map((warning) => `Warning: ${warning}`));
    return `${lines.join("\n")}\n`;
}
/** For programs: one line of JSON. */
export function printReadyJson(facts) {
    const endpoints = endpointsOf(facts);
    const account = shownAccount(facts.accounts);
    const ports = Object.fromEntries(Object.entries(facts.addresses).flatMap(([name, address]) => address === undefined ? [] : [[name, address.port]]));
    return `${JSON.stringify({
        ready: true,
        version: facts.version,
        pid: facts.pid,
        workers: facts.workers,
        dataDirectory: facts.dataDirectory ?? null,
        endpoints,
        ports,
        account: account.name,
        connectionString: displayConnectionString(account, endpoints),
        warnings: warningsOf(facts),
    })}\n`;
}
