import { isIPv6 } from "node:net";
import { Command, Option } from "commander";
import { ConfigError } from "../base/config-error.ts";
import { LIMITS } from "../base/limits.ts";
import { type CopySources, parseCopySources } from "../http/common/copy-sources.ts";
import { LOG_LEVELS, type LogLevel } from "../observability/log.ts";
import { FILE_LIMITS } from "../services/file/limits.ts";

/**
 * Every flag, in the groups that `--help` shows. A flag `--blobPort` is also the variable
 * `HOLDFAST_BLOB_PORT`; both go through the same check, whose error names the one that was used. Flags of
 * Azurite keep their names and meaning, so that Holdfast can replace it in a script; flags that mean nothing
 * here are accepted.
 */
export interface FlagValues {
  readonly location: string;
  readonly store?: string;
  readonly inMemory?: boolean;
  readonly inMemoryPersistence?: boolean;
  readonly extentMemoryLimit?: number;
  readonly seed?: string;
  readonly allowReset?: boolean;
  readonly host?: string;
  readonly blobHost?: string;
  readonly queueHost?: string;
  readonly tableHost?: string;
  readonly fileHost?: string;
  readonly smbHost?: string;
  readonly adminHost?: string;
  readonly blobPort: number;
  readonly queuePort: number;
  readonly tablePort: number;
  readonly filePort: number;
  readonly smbPort: number;
  readonly adminPort: number;
  readonly blobKeepAliveTimeout?: number;
  readonly queueKeepAliveTimeout?: number;
  readonly tableKeepAliveTimeout?: number;
  readonly fileKeepAliveTimeout?: number;
  readonly workers: number;
  readonly shutdownSeconds: number;
  readonly cert?: string;
  readonly key?: string;
  readonly pwd?: string;
  readonly oauth?: "basic";
  readonly copySources?: CopySources;
  readonly unsafeOauth?: boolean;
  readonly accountsFile?: string;
  readonly loose?: boolean;
  readonly skipApiVersionCheck?: boolean;
  readonly strict?: boolean;
  readonly blobVersioning?: boolean;
  readonly versionLevelImmutability?: boolean;
  readonly smbEncryption?: "required" | "enabled";
  readonly smbAcls: "shown" | "enforced";
  readonly smbStreams: "refused" | "kept";
  readonly shareRetentionDays: number;
  readonly disableProductStyleUrl?: boolean;
  readonly silent?: boolean;
  readonly debug?: string | true;
  readonly logLevel: LogLevel;
  readonly accessLog: string;
  readonly ready: "text" | "json";
}

type Check = (setting: string, text: string) => unknown;

function environmentName(flag: string): string {
  return `HOLDFAST_${flag.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

const path: Check = (setting, text) => {
  if (text === "") throw new ConfigError(setting, "expected a path, got an empty value");
  return text;
};

const wholeNumber =
  (what: string, min: number, max: number): Check =>
  (setting, text) => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= min && value <= max))
      throw new ConfigError(setting, `expected ${what} from ${min} to ${max}, got "${text}"`);
    return value;
  };

const port = wholeNumber("a port", 0, 65_535);

const host: Check = (setting, text) => {
  const bare = /^\[(.*)\]$/.exec(text)?.[1] ?? text;
  if (!isIPv6(bare) && !/^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/.test(bare))
    throw new ConfigError(setting, `expected a host name or an IP address, got "${text}"`);
  return bare;
};

/** A flag with few values. */
function oneOf(...values: readonly string[]): Pick<Flag, "check" | "values"> {
  const check: Check = (setting, text) => {
    if (values.includes(text)) return text;
    throw new ConfigError(setting, `expected ${values.join(" or ")}, got "${text}"`);
  };
  return { check, values };
}

const copySources: Check = (setting, text) => {
  const read = parseCopySources(text);
  if (!("unknown" in read)) return read;
  throw new ConfigError(
    setting,
    `expected own, public, any or networks such as 10.0.0.0/8, separated by commas, got "${read.unknown}"`,
  );
};

const positive: Check = (setting, text) => {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text);
  throw new ConfigError(setting, `expected a number, got "${text}"`);
};

/** Returns milliseconds. */
const seconds: Check = (setting, text) => {
  const millis = (positive(setting, text) as number) * 1_000;
  if (millis > LIMITS.keepAliveMillisMax)
    throw new ConfigError(setting, `expected up to ${LIMITS.keepAliveMillisMax / 1_000}, got "${text}"`);
  return millis;
};

const anyText: Check = (_, text) => text;

const TRUE_OR_FALSE = /^(1|true|yes|on|0|false|no|off|)$/i;

/** The environment variable of a flag without a value. */
const trueOrFalse: Check = (setting, text) => {
  if (/^(1|true|yes|on)$/i.test(text)) return true;
  if (TRUE_OR_FALSE.test(text)) return undefined;
  throw new ConfigError(setting, `expected true or false, got "${text}"`);
};

interface Flag {
  readonly flags: string;
  readonly text: string;
  readonly check?: Check;
  /** All values there are, if they are few. */
  readonly values?: readonly string[];
  readonly fallback?: unknown;
  /** An earlier name of another flag: works as that flag does, and `--help` does not show it. */
  readonly aliasOf?: string;
}

const listener = (name: string, title: string, fallback: number, note = ""): Flag[] => [
  { flags: `--${name}Port <port>`, text: `port of ${title}, 0 for any free port`, check: port, fallback },
  { flags: `--${name}Host <host>`, text: `address of ${title}${note}`, check: host },
];

const GROUPS: Readonly<Record<string, readonly Flag[]>> = {
  "Data:": [
    { flags: "-l, --location <directory>", text: "data directory", check: path, fallback: "./.holdfast" },
    { flags: "--store <place>", text: "data directory, or postgres://... for a database", check: path },
    { flags: "--inMemory", text: "keep all data in memory; it is lost when the process ends" },
    { flags: "--inMemoryPersistence", text: "same as --inMemory (Azurite's name)" },
    {
      flags: "--extentMemoryLimit <megabytes>",
      text: "maximum of payload with --inMemory; the server refuses writes beyond it",
      check: positive,
    },
    {
      flags: "--seed <file>",
      text: "create what a YAML or JSON file names and the server does not have, before it is ready",
      check: path,
    },
    {
      flags: "--allowReset",
      text: "allow holdfast reset, which removes all data of all accounts; always allowed with --inMemory",
    },
  ],
  "Listeners:": [
    {
      flags: "--host <host>",
      text: "address of every service without a host flag of its own (default: 127.0.0.1)",
      check: host,
    },
    ...listener("blob", "the blob service", 10_000),
    ...listener("queue", "the queue service", 10_001),
    ...listener("table", "the table service", 10_002),
    ...listener("file", "the file service over REST", 10_003),
    ...listener("smb", "the file service over SMB", 10_445),
    ...listener(
      "admin",
      "health and metrics",
      10_004,
      " (default: 127.0.0.1 even with --host, because it requires no key)",
    ),
    {
      flags: "--workers <count>",
      text: "number of worker processes",
      check: wholeNumber("a count", 1, LIMITS.workersMax),
      fallback: 1,
    },
    {
      flags: "--shutdownSeconds <seconds>",
      text: "how long in-flight requests may take when the server shuts down, 0 to end them at once",
      check: wholeNumber("a count of seconds", 0, LIMITS.shutdownSecondsMax),
      fallback: LIMITS.shutdownMillis / 1_000,
    },
    ...(["blob", "queue", "table", "file"] as const).map((name) => ({
      flags: `--${name}KeepAliveTimeout <seconds>`,
      text: `how long the ${name} service keeps an idle connection open`,
      check: seconds,
    })),
  ],
  "Security:": [
    {
      flags: "--accountsFile <file>",
      text: "accounts, one name:key1[:key2] per line; the server reads the file again when it changes",
      check: path,
    },
    {
      flags: "--cert <file>",
      text: "serve HTTPS with a PEM certificate (and --key) or a PFX file (and --pwd)",
      check: path,
    },
    { flags: "--key <file>", text: "PEM key of the certificate", check: path },
    { flags: "--pwd <password>", text: "password of the PFX file or of the key", check: anyText },
    {
      flags: "--oauth <level>",
      text: "accept bearer tokens; the only level, basic, does not verify their signatures",
      ...oneOf("basic"),
    },
    {
      flags: "--unsafeOauth",
      text: "allow --oauth basic beyond loopback: every client that reaches the server can use every account",
    },
    {
      flags: "--copySources <list>",
      text:
        "where the server may fetch copy sources: own, public, any, or networks such as 10.0.0.0/8 " +
        "(default: any if all listeners are on loopback, otherwise public)",
      check: copySources,
    },
    {
      flags: "--smbEncryption <level>",
      text: "SMB encryption: required or enabled (default: enabled on loopback, otherwise required)",
      ...oneOf("required", "enabled"),
    },
    {
      flags: "--smbAcls <mode>",
      text: "Windows ACLs over SMB: shown (they deny nothing to an account key) or enforced",
      ...oneOf("shown", "enforced"),
      fallback: "shown",
    },
    { flags: "--smbAccessLists <mode>", text: "", ...oneOf("shown", "enforced"), aliasOf: "smbAcls" },
  ],
  "Protocol:": [
    { flags: "-L, --loose", text: "ignore unknown headers and parameters instead of refusing them" },
    {
      flags: "--strict",
      text:
        "answer as Azure where the server is more lenient: names of deleted containers, queues, shares and " +
        "tables are in use for another 30 seconds, and an unknown x-ms-version is refused",
    },
    { flags: "--disableProductStyleUrl", text: "accept only URLs with the account in the path" },
    {
      flags: "--blobVersioning",
      text: "keep a version of every blob that is overwritten, changed or deleted",
    },
    {
      flags: "--versionLevelImmutability",
      text: "new containers allow immutability policies and legal holds on their blobs",
    },
    {
      flags: "--smbStreams <choice>",
      text: "named streams over SMB: refused (as by Azure Files) or kept",
      ...oneOf("refused", "kept"),
      fallback: "refused",
    },
    {
      flags: "--shareRetentionDays <days>",
      text: "how long a deleted file share can be restored, 0 for never",
      check: wholeNumber("a count of days", 0, LIMITS.retentionDaysMax),
      fallback: FILE_LIMITS.shareRetentionDays,
    },
    {
      flags: "--skipApiVersionCheck",
      text: "no effect: without --strict, the server accepts every well-formed x-ms-version",
    },
  ],
  "Output:": [
    { flags: "-s, --silent", text: "print only the listening lines, log only errors" },
    { flags: "-d, --debug [file]", text: "log debug lines, to a file if one is named", check: path },
    {
      flags: "--logLevel <level>",
      text: `log level: ${LOG_LEVELS.join(", ")}`,
      ...oneOf(...LOG_LEVELS),
      fallback: "info",
    },
    {
      flags: "--accessLog <target>",
      text: "write a line for each request to a file, - for stdout, or off",
      check: path,
      fallback: "off",
    },
    {
      flags: "--ready <form>",
      text: "format of the ready message: text or json",
      ...oneOf("text", "json"),
      fallback: "text",
    },
    { flags: "--disableTelemetry", text: "no effect" },
  ],
};

const EXAMPLES = `
Examples:
  holdfast                                    data in ./.holdfast, the ports of Azurite
  holdfast -l /var/lib/holdfast --host 0.0.0.0 --accountsFile /etc/holdfast/accounts
  holdfast --inMemory --blobPort 0 --queuePort 0 --tablePort 0 --filePort 0 --smbPort 0 --adminPort 0 --ready json

Commands (each explains itself with --help):
  holdfast health                             whether the server on this machine serves requests
  holdfast reset                              remove all data of a server that allows it
  holdfast completion bash|zsh|fish           a completion script for a shell
  holdfast check [DIR] [--repair] [--json]    find what does not agree in the stored data
  holdfast backup [DIR] --to DIR|FILE.tar|-   back up, also while the server runs
  holdfast restore --from DIR|FILE.tar|- --to DIR|postgres://...
  holdfast migrate --from DIR --to postgres://...
  holdfast enable-immutability --location DIR --container account/container
  holdfast release-immutability --location DIR --blob account/container/name --yes
  All that change or read stored data, except backup, need a stopped server.

Environment:
  HOLDFAST_ACCOUNTS, AZURITE_ACCOUNTS         name:key1[:key2];name2:key1...
  HOLDFAST_BLOB_PORT, HOLDFAST_LOCATION, ...  every flag has a variable, which the flag overrides
  Boolean flags accept true or false as environment variables.
`;

/** A flag as completions of a shell need it. */
export interface FlagShape {
  /** With its dashes. */
  readonly long: string;
  readonly text: string;
  readonly takesValue: boolean;
  readonly isPath: boolean;
  readonly values: readonly string[];
}

export function flagShapes(): FlagShape[] {
  return Object.values(GROUPS)
    .flat()
    .filter(({ aliasOf }) => aliasOf === undefined)
    .map(({ flags, text, check, values = [] }) => ({
      long: /--\w+/.exec(flags)![0],
      text,
      takesValue: flags.includes("<"),
      isPath: check === path,
      values,
    }));
}

export function buildCommand(
  version: string,
  env: Readonly<Record<string, string | undefined>>,
  print: (text: string) => void,
): Command {
  const command = new Command("holdfast")
    .description("A storage service that speaks the Azure Storage protocols: many writers, no surprises.")
    .version(version, "-v, --version", "print the version")
    .helpOption("-h, --help", "print this help")
    .addHelpText("after", EXAMPLES)
    .exitOverride()
    .configureOutput({ writeOut: print, writeErr: () => {}, outputError: () => {} })
    .configureHelp({ helpWidth: 110 });
  for (const [heading, flags] of Object.entries(GROUPS))
    for (const { flags: spelling, text, check, fallback, aliasOf } of flags) {
      const option = new Option(spelling, text).helpGroup(heading).hideHelp(aliasOf !== undefined);
      const name = option.attributeName();
      if (fallback !== undefined) option.default(fallback);
      // Commander stores `true` without calling the parser when an optional value is left out.
      if (check !== undefined && !option.isBoolean())
        option.argParser((given) => {
          const value = check(`--${name}`, given);
          if (aliasOf !== undefined) command.setOptionValueWithSource(aliasOf, value, "cli");
          return value;
        });
      command.addOption(option);
      const variable = environmentName(name);
      const given = env[variable];
      if (given === undefined || command.getOptionValueSource(aliasOf ?? name) === "env") continue;
      const isSwitch = option.isBoolean() || (option.optional && TRUE_OR_FALSE.test(given));
      const value = (isSwitch ? trueOrFalse : (check ?? anyText))(variable, given);
      if (value !== undefined) command.setOptionValueWithSource(aliasOf ?? name, value, "env");
    }
  return command;
}
