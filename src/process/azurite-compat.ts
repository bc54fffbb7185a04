/**
 * Compatibility with scripts for Azurite, besides its flags: the names of its programs, and the lines it
 * prints when it is ready. Test fixtures and containers wait for these lines and read the ports from them,
 * also with --silent.
 */
const AZURITE_SERVICES = ["blob", "queue", "table"] as const;
export type AzuriteService = (typeof AZURITE_SERVICES)[number];

const TITLES = { blob: "Blob", queue: "Queue", table: "Table" } as const;

/** The service of a program that was started as `azurite-blob`, `azurite-queue` or `azurite-table`. */
export function onlyServiceOf(program: string | undefined): AzuriteService | undefined {
  const name = /(?:^|\/)azurite-([a-z]+)(?:\.js)?$/.exec(program ?? "")?.[1];
  return AZURITE_SERVICES.find((service) => service === name);
}

/** The exact lines: `azurite` and each program of one service word them differently. */
export function listeningLines(
  endpoints: Readonly<Record<AzuriteService, string>>,
  only: AzuriteService | undefined,
): string[] {
  switch (only) {
    case undefined:
      return AZURITE_SERVICES.map(
        (service) => `Azurite ${TITLES[service]} service is successfully listening at ${endpoints[service]}`,
      );
    case "table":
      return [`Azurite Table service successfully started on ${endpoints.table.replace(/^https?:\/\//, "")}`];
    default:
      return [`Azurite ${TITLES[only]} service successfully listens on ${endpoints[only]}`];
  }
}
