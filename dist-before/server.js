import { openAccessLog } from "./base/access-log.js";
import { systemTimers } from "./base/clock.js";
import { HmacKey } from "./base/hmac.js";
import { Metrics } from "./base/metrics.js";
import { BLOB_OPERATIONS } from "./http/blob/operations.js";
import { FILE_OPERATIONS } from "./http/file/operations.js";
import { FrontEnd } from "./http/front-end.js";
import { listen } from "./http/listener.js";
import { QUEUE_OPERATIONS } from "./http/queue/operations.js";
import { RequestIds } from "./http/request-id.js";
import { TABLE_OPERATIONS } from "./http/table/operations.js";
import { AccountSet } from "./services/account/accounts.js";
import { AccountsFile } from "./services/account/accounts-file.js";
import { PropertiesService } from "./services/account/properties-service.js";
import { BlobService } from "./services/blob/blob-service.js";
import { FileService } from "./services/file/file-service.js";
import { QueueService } from "./services/queue/queue-service.js";
import { TableService } from "./services/table/table-service.js";
export const SERVICE_PORTS = ["blob", "queue", "table", "file"];
export async function startServer({ options, runtime, log, isHandedOver = false, }) {
    const { store, clock, random } = runtime.parts;
    const metrics = new Metrics();
    metrics.watchStore(() => store.figures());
    store.watchCommits((transactions) => metrics.batchSizes.observe(transactions));
    metrics.watchExtents(() => runtime.payloadFigures());
    const accounts = new AccountSet(authAccount, options.accounts);
    const properties = new PropertiesService(store);
    const blobs = new BlobService(runtime.parts, { isVersioned: options.isBlobVersioned });
    const queues = new QueueService(runtime.parts);
    const tables = new TableService(runtime.parts);
    const files = new FileService(runtime.parts, { shareRetentionDays: options.shareRetentionDays });
    const services = { blob: blobs, queue: queues, table: tables, file: files };
    for (const chore of Object.values(services).flatMap((service) => service.chores())) {
        runtime.chores.add(chore);
    }
    const auth = {
        accounts,
        clock,
        oauth: options.oauth ?? "off",
        isLoose: options.isLoose,
        publicAccess: (account, container) => blobs.publicAccess(account, container),
        policies: (service, account, name) => services[service].policies(account, name),
    };
    const accessLog = openAccessLog({ target: options.accessLog, log, clock });
    const shared = {
        auth,
        clock,
        log,
        metrics,
        accessLog,
        requestIds: new RequestIds(random),
        isSecure: options.certificate !== undefined,
        isHostStyleAllowed: options.allowsHostStyle,
        corsRules: async (service, account) => (await properties.get(account, service)).cors ?? [],
    };
    const listeners = new Map();
    const serve = async (table, services) => {
        const frontEnd = new FrontEnd({ ...shared, table, services });
        const listener = await listen({
            ...options.addresses[table.service],
            isHandedOver,
            certificate: options.certificate,
            handler: (incoming, connection) => frontEnd.handle(incoming, connection),
        });
        listeners.set(table.service, listener);
        metrics.watchConnections(table.service, () => listener.connections());
        return listener.port;
    };
    const closeAll = async () => {
        await Promise.all([...listeners.values()].map((listener) => listener.close()));
        await accessLog?.close();
    };
    try {
        const ports = {
            blob: await serve(BLOB_OPERATIONS, { properties, blobs, auth }),
            queue: await serve(QUEUE_OPERATIONS, { properties, queues, auth }),
            table: await serve(TABLE_OPERATIONS, { properties, tables }),
            file: await serve(FILE_OPERATIONS, { properties, files, auth }),
        };
        const watched = watchAccounts(options, log, (list) => accounts.replace(list.accounts));
        return {
            ports,
            metrics,
            accept: (service, socket) => listeners.get(service).accept(socket),
            reload: () => {
                watched?.reload();
                accessLog?.reopen();
            },
            close: async () => {
                watched?.stop();
                await closeAll();
            },
        };
    }
    catch (error) {
        await closeAll();
        throw error;
    }
}
/** What authentication keeps of an account, derived once. */
function authAccount(name, keys) {
    return { name, rawKeys: keys, keys: keys.map((key) => new HmacKey(key)) };
}
function watchAccounts({ accountsFile }, log, apply) {
    if (accountsFile === undefined)
        return undefined;
    const { path, text } = accountsFile;
    const watched = new AccountsFile({ path, timers: systemTimers, log, apply }, text);
    watched.start();
    return watched;
}
