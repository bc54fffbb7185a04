import { basename } from "node:path";
import { bracketed } from "./endpoints.ts";

/**
 * Compatibility with scripts for Azurite, besides its flags: the names of its programs, and the lines that
 * they print when they start and stop. Test fixtures and containers wait for these lines and read the ports
 * from them, also with --silent.
 */
const AZURITE_SERVICES = ["blob", "queue", "table"] as const;
export type AzuriteService = (typeof AZURITE_SERVICES)[number];

const TITLES = { blob: "Blob", queue: "Queue", table: "Table" } as const;

const PROGRAM = /^azurite(?:-(?:blob|queue|table))?$/;

/**
 * The program and its arguments. A first argument such as `azurite-blob` names the program: commands for
 * Azurite's container image begin with it.
 */
export function readProgram(
  program: string | undefined,
  argv: readonly string[],
): { readonly program: string | undefined; readonly argv: readonly string[] } {
  const [word = "", ...rest] = argv;
  return PROGRAM.test(word) ? { program: word, argv: rest } : { program, argv };
}

/** The service of a program that was started as `azurite-blob`, `azurite-queue` or `azurite-table`. */
export function onlyServiceOf(program: string | undefined): AzuriteService | undefined {
  const name = basename((program ?? "").replaceAll("\\", "/"), ".js");
  return AZURITE_SERVICES.find((service) => name === `azurite-${service}`);
}

interface Listening {
  /** As configured: a host name or a wildcard address stays what it is. */
  readonly host: string;
  /** Where the listener is. */
  readonly port: number;
  readonly configuredPort: number;
}

const authority = (host: string, port: number): string => `${bracketed(host)}:${port}`;

/** The exact lines of a start: `azurite` and each program of one service word them differently. */
export function startLines(
  addresses: Readonly<Record<AzuriteService, Listening>>,
  { isSecure, only }: { readonly isSecure: boolean; readonly only?: AzuriteService | undefined },
): string[] {
  const scheme = isSecure ? "https://" : "http://";
  const linesOf = (service: AzuriteService): string[] => {
    const { host, port, configuredPort } = addresses[service];
    const subject = `Azurite ${TITLES[service]} service`;
    const configured = authority(host, configuredPort);
    const actual = authority(host, port);
    if (only === undefined)
      return [
        `${subject} is starting at ${scheme}${configured}`,
        `${subject} is successfully listening at ${scheme}${actual}`,
      ];
    const up = only === "table" ? `started on ${actual}` : `listens on ${scheme}${actual}`;
    return [`${subject} is starting on ${configured}`, `${subject} successfully ${up}`];
  };
  return servicesOf(only).flatMap(linesOf);
}

const servicesOf = (only: AzuriteService | undefined): readonly AzuriteService[] =>
  only === undefined ? AZURITE_SERVICES : [only];

export const closingLines = (only: AzuriteService | undefined): string[] =>
  servicesOf(only).map((service) => `Azurite ${TITLES[service]} service is closing...`);

export const closedLines = (only: AzuriteService | undefined): string[] =>
  servicesOf(only).map((service) => `Azurite ${TITLES[service]} service successfully closed`);
