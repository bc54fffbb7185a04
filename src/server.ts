import { openAccessLog } from "./base/access-log.ts";
import { type Clock, systemClock, systemTimers } from "./base/clock.ts";
import { HmacKey } from "./base/hmac.ts";
import type { Log } from "./base/log.ts";
import { Metrics } from "./base/metrics.ts";
import { type Random, systemRandom } from "./base/random.ts";
import type { Account } from "./http/auth/accounts.ts";
import type { AuthContext } from "./http/auth/authenticate.ts";
import { BLOB_OPERATIONS } from "./http/blob/operations.ts";
import { FILE_OPERATIONS } from "./http/file/operations.ts";
import { FrontEnd } from "./http/front-end.ts";
import { type Listener, listen } from "./http/listener.ts";
import type { OperationTable } from "./http/operation.ts";
import { QUEUE_OPERATIONS } from "./http/queue/operations.ts";
import { RequestIds } from "./http/request-id.ts";
import { TABLE_OPERATIONS } from "./http/table/operations.ts";
import type { Options } from "./options.ts";
import type { AccountList } from "./services/account/account-list.ts";
import { AccountSet } from "./services/account/accounts.ts";
import { AccountsFile } from "./services/account/accounts-file.ts";
import { PropertiesService } from "./services/account/properties-service.ts";
import type { Store } from "./store/kv.ts";

/** One process that serves: the four HTTP front ends over one store. */
export interface ServerOptions {
  readonly options: Options;
  readonly store: Store;
  readonly log: Log;
  readonly clock?: Clock;
  readonly random?: Random;
}

export type ServicePort = "blob" | "queue" | "table" | "file";

export interface Server {
  readonly ports: Readonly<Record<ServicePort, number>>;
  readonly metrics: Metrics;
  /** Reads the accounts file again. */
  reload(): void;
  /** Finishes what was accepted. The store stays open: whoever opened it closes it. */
  close(): Promise<void>;
}

export async function startServer({ options, store, log, ...rest }: ServerOptions): Promise<Server> {
  const clock = rest.clock ?? systemClock;
  const metrics = new Metrics();
  metrics.watchStore(() => store.figures());
  const accounts = new AccountSet(authAccount, options.accounts);
  const properties = new PropertiesService(store);
  const auth: AuthContext = {
    accounts,
    clock,
    oauth: options.oauth ?? "off",
    loose: options.isLoose,
    policies: async () => undefined,
  };
  const accessLog = openAccessLog({ target: options.accessLog, log, clock });
  const shared = {
    auth,
    publicAccess: async () => "none" as const,
    clock,
    log,
    metrics,
    accessLog,
    requestIds: new RequestIds(rest.random ?? systemRandom),
    isSecure: options.certificate !== undefined,
    isHostStyleAllowed: options.allowsHostStyle,
    corsRules: async (service: ServicePort, account: string) =>
      (await properties.get(account, service)).cors ?? [],
  };
  const listeners: Listener[] = [];
  const serve = async <Services>(table: OperationTable<Services>, services: Services): Promise<number> => {
    const frontEnd = new FrontEnd({ ...shared, table, services });
    const listener = await listen({
      ...options.addresses[table.service],
      certificate: options.certificate,
      handler: (message, response, sendContinue) => frontEnd.handle(message, response, sendContinue),
    });
    listeners.push(listener);
    metrics.watchConnections(table.service, () => listener.connections());
    return listener.port;
  };
  const closeAll = async (): Promise<void> => {
    await Promise.all(listeners.map((listener) => listener.close()));
    await accessLog?.close();
  };
  try {
    // One after the other: workers that share ports find each other's by the order of listening.
    const ports = {
      blob: await serve(BLOB_OPERATIONS, { properties }),
      queue: await serve(QUEUE_OPERATIONS, { properties }),
      table: await serve(TABLE_OPERATIONS, { properties }),
      file: await serve(FILE_OPERATIONS, { properties }),
    };
    const watched = watchAccounts(options, log, (list) => accounts.replace(list.accounts));
    return {
      ports,
      metrics,
      reload: () => watched?.reload(),
      close: async () => {
        watched?.stop();
        await closeAll();
      },
    };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

/** What authentication keeps of an account, derived once. */
function authAccount(name: string, keys: readonly Buffer[]): Account {
  return { name, rawKeys: keys, keys: keys.map((key) => new HmacKey(key)) };
}

function watchAccounts(
  { accountsFile }: Options,
  log: Log,
  apply: (list: AccountList) => void,
): AccountsFile | undefined {
  if (accountsFile === undefined) return undefined;
  const { path, text } = accountsFile;
  const watched = new AccountsFile({ path, timers: systemTimers, log, apply }, text);
  watched.start();
  return watched;
}
