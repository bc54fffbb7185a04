import { tokenOf } from "../support/tokens.ts";
import { HTTPS_FLAGS, tlsOptions } from "./certificates.ts";
import { startTestServer, type TestServer } from "./server.ts";

/** A server that takes bearer tokens, and what a client of the SDK needs to come with one. */
export interface OauthKit {
  readonly server: TestServer;
  readonly token: string;
  readonly credential: { getToken(): Promise<{ token: string; expiresOnTimestamp: number }> };
  readonly options: {
    readonly retryOptions: { readonly maxTries: 1 };
    readonly tlsOptions: typeof tlsOptions;
  };
  /** Between them the token is good. */
  readonly startsOn: Date;
  readonly expiresOn: Date;
  /** Where the account is in a service. */
  url(service: keyof TestServer["endpoints"]): string;
}

export async function startOauthServer(): Promise<OauthKit> {
  const server = await startTestServer({ flags: [...HTTPS_FLAGS, "--oauth", "basic"] });
  const now = server.clock.now();
  const seconds = Math.floor(now / 1_000);
  const token = tokenOf({ nbf: seconds - 60, exp: seconds + 3_600 });
  return {
    server,
    token,
    credential: { getToken: async () => ({ token, expiresOnTimestamp: now + 3_600_000 }) },
    options: { retryOptions: { maxTries: 1 }, tlsOptions },
    startsOn: new Date(now - 60_000),
    expiresOn: new Date(now + 3_600_000),
    url: (service) => `${server.endpoints[service]}/${server.account}`,
  };
}
