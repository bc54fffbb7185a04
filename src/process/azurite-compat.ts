/**
 * What scripts written for Azurite look for, besides its flags: the names of its programs, and the lines it
 * prints once it serves. Test fixtures and containers wait for those lines and read the ports from them, also
 * with --silent.
 */
const AZURITE_SERVICES = ["blob", "queue", "table"] as const;
export type AzuriteService = (typeof AZURITE_SERVICES)[number];

const TITLES = { blob: "Blob", queue: "Queue", table: "Table" } as const;

/** The one service that is meant when the program goes by the name of `azurite-blob` and its like. */
export function onlyServiceOf(program: string | undefined): AzuriteService | undefined {
  const name = /(?:^|\/)azurite-([a-z]+)(?:\.js)?$/.exec(program ?? "")?.[1];
  return AZURITE_SERVICES.find((service) => service === name);
}

/**
 * Word for word: `azurite` says it differently from the programs of one service, and those from one another.
 */
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
