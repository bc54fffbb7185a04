#!/usr/bin/env node
import cluster from "node:cluster";
import { readFileSync } from "node:fs";
import { ConfigError } from "../base/config-error.ts";
import { CannotStart, DeclaredDead, errorCode, UnusableDirectory } from "../base/faults.ts";
import { OTHERS_BITS } from "../base/file-modes.ts";
import { type Log, openLog } from "../observability/log.ts";
import { azuriteOffer } from "../process/azurite/azurite-data.ts";
import { closedLines, closingLines, readProgram } from "../process/azurite-compat.ts";
import { boundHeap } from "../process/heap-bounds.ts";
import { type CommandLine, type Options, readCommandLine, type StoreChoice } from "../process/options.ts";
import { type Running, run } from "../process/run.ts";
import { ClosingTooSlow, endProcessNow } from "../process/shutdown.ts";
import { runWorker } from "../process/worker.ts";
import { parseDatabaseAddress } from "../store/postgres/address.ts";
import { backupCommand } from "./backup-command.ts";
import { checkCommand } from "./check-command.ts";
import { printCompletion } from "./completion-command.ts";
import { COPY_HELP, copyCommand } from "./copy-command.ts";
import {
  BACKUP_HELP,
  CHECK_HELP,
  COMPLETION_HELP,
  HEALTH_HELP,
  IMMUTABILITY_HELP,
  MIGRATE_HELP,
  RESET_HELP,
  RESTORE_HELP,
} from "./help.ts";
import { immutabilityCommand } from "./immutability-command.ts";
import { migrateCommand } from "./migrate-command.ts";
import { printListening, printReadyJson, printReadyText, type ReadyInfo } from "./ready-message.ts";
import { restoreCommand } from "./restore-command.ts";
import { healthCommand, resetCommand } from "./server-commands.ts";

/** Starts the process: reads options, opens one engine, starts the front ends. */
const version = (
  JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as { version: string }
).version;

boundHeap();

// Only the owner can read the files of this process and its workers, whatever umask the caller has.
process.umask(OTHERS_BITS);

const EXIT_FAILED = 1;

function die(message: string, code: number): never {
  process.stderr.write(`holdfast: ${message}\n`);
  process.exit(code);
}

/** A `ConfigError` ends the process with its one line. */
function orDie<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof ConfigError) die(error.message, error.exitCode);
    throw error;
  }
}

function readOptions(): CommandLine {
  const [, program, ...argv] = process.argv;
  return readCommandLine({ ...readProgram(program, argv), env: process.env, cwd: process.cwd(), version });
}

/**
 * After a failed sync no request may be answered: only the next start shows what is on disk. A member that
 * the others declared dead must stop too, because they have released its locks.
 */
function stopAtOnce(log: Log): (error: unknown) => void {
  return (error) => {
    log.error(
      { err: error },
      error instanceof DeclaredDead
        ? "the other servers on this database declared this one dead, because it sent no heartbeat; start it again"
        : "the disk failed to store a write; shutting down so that no lost write is acknowledged",
    );
    process.exit(EXIT_FAILED);
  };
}

async function serve(options: Options, log: Log): Promise<void> {
  let running: Running;
  try {
    running = await run({ options, log, onFatal: stopAtOnce(log) });
  } catch (error) {
    if (error instanceof ConfigError) die(error.message, error.exitCode);
    if (error instanceof UnusableDirectory || error instanceof CannotStart) die(error.message, EXIT_FAILED);
    // A permission, a missing file, a full disk: the operator can solve it, and it is no bug.
    if (errorCode(error) !== undefined && "syscall" in (error as Error))
      die(`cannot start: ${(error as Error).message}`, EXIT_FAILED);
    throw error;
  }
  let isStopping = false;
  const stop = (signal: string): void => {
    if (isStopping) endProcessNow();
    isStopping = true;
    log.info({ signal }, "shutting down: completing in-flight requests (signal again to force)");
    const print = (lines: readonly string[]): void => {
      if (options.ready === "text") process.stdout.write(`${lines.join("\n")}\n`);
    };
    print(closingLines(options.only));
    running.close().then(
      () => {
        print(closedLines(options.only));
        process.exit(0);
      },
      (error: unknown) => {
        if (!(error instanceof ClosingTooSlow))
          die(`shutting down failed: ${(error as Error).message}`, EXIT_FAILED);
        log.error(
          { reason: error.message },
          "shutting down: the process ends before all parts have closed; acknowledged writes are on disk",
        );
        endProcessNow();
      },
    );
  };
  // The program that read our lines may have ended.
  process.stdout.on("error", () => {});
  process.on("SIGINT", stop);
  process.on("SIGTERM", stop);
  process.on("SIGHUP", () => running.reload());
  // Programs that fork Azurite end it with this message.
  process.on("message", (message) => {
    if (message === "shutdown") stop("shutdown");
  });
  // Last: a program that waits for these lines may stop the server at once.
  announce(options, running);
}

/** For people: a database address without its password. */
function placeOf(store: StoreChoice): string | undefined {
  switch (store.kind) {
    case "memory":
      return undefined;
    case "embedded":
      return store.directory;
    case "postgres":
      return parseDatabaseAddress(store.address).shown;
  }
}

function announce(options: Options, { ports }: Running): void {
  const { addresses } = options;
  const at = (name: keyof typeof ports): ReadyInfo["addresses"]["blob"] => {
    const { host, port } = addresses[name];
    return { host, port: ports[name], configuredPort: port };
  };
  const info: ReadyInfo = {
    version,
    pid: process.pid,
    workers: options.workers,
    dataDirectory: placeOf(options.store),
    isSecure: options.certificate !== undefined,
    only: options.only,
    addresses: {
      blob: at("blob"),
      queue: at("queue"),
      table: at("table"),
      file: at("file"),
      smb: at("smb"),
      admin: at("admin"),
    },
    accounts: options.accounts,
    warnings: options.warnings,
  };
  if (options.ready === "json") process.stdout.write(printReadyJson(info));
  else process.stdout.write(printListening(info) + (options.isSilent ? "" : printReadyText(info)));
}

function copyWith(direction: "pull" | "push"): Command {
  return {
    help: COPY_HELP,
    run: async (argv) => {
      process.exitCode = await copyCommand(direction, argv, process.env);
    },
  };
}

interface Command {
  readonly help: string;
  readonly run: (argv: readonly string[]) => Promise<void>;
}

const toTerminal = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

/** Commands other than serving, by their first argument. */
const COMMANDS: Readonly<Record<string, Command>> = {
  health: {
    help: HEALTH_HELP,
    run: (argv) => healthCommand(argv, { env: process.env, print: toTerminal }),
  },
  reset: { help: RESET_HELP, run: (argv) => resetCommand(argv, { env: process.env, print: toTerminal }) },
  completion: {
    help: COMPLETION_HELP,
    run: async ([shell]) => {
      process.stdout.write(printCompletion(shell, Object.keys(COMMANDS)));
    },
  },
  pull: copyWith("pull"),
  push: copyWith("push"),
  backup: { help: BACKUP_HELP, run: (argv) => backupCommand(argv, process.cwd()) },
  restore: { help: RESTORE_HELP, run: (argv) => restoreCommand(argv, process.cwd()) },
  check: { help: CHECK_HELP, run: (argv) => checkCommand(argv, process.cwd()) },
  migrate: { help: MIGRATE_HELP, run: (argv) => migrateCommand(argv, process.cwd()) },
  "release-immutability": {
    help: IMMUTABILITY_HELP,
    run: (argv) => immutabilityCommand("release-immutability", argv, process.cwd()),
  },
  "enable-immutability": {
    help: IMMUTABILITY_HELP,
    run: (argv) => immutabilityCommand("enable-immutability", argv, process.cwd()),
  },
};

async function runCommand({ help, run }: Command, argv: readonly string[]): Promise<void> {
  if (argv.includes("--help") || argv.includes("-h")) {
    process.stdout.write(help);
    return;
  }
  try {
    await run(argv);
  } catch (error) {
    if (error instanceof ConfigError) die(error.message, error.exitCode);
    die((error as Error).message, EXIT_FAILED);
  }
}

const word = process.argv[2] ?? "";
const command = Object.hasOwn(COMMANDS, word) ? COMMANDS[word] : undefined;
const commandLine = command === undefined ? orDie(readOptions) : undefined;
if (commandLine === undefined) {
  await runCommand(command!, process.argv.slice(3));
} else if (commandLine.kind === "print") {
  process.stdout.write(commandLine.text);
} else {
  const { options } = commandLine;
  const log = orDie(() => openLog({ level: options.logLevel, debugFile: options.debugFile }));
  process.on("uncaughtException", (error) => {
    log.error({ err: error }, "unexpected error, shutting down; stored data is intact");
    process.exit(EXIT_FAILED);
  });
  if (cluster.isWorker) {
    // The terminal signals all processes; a worker waits for the order of its supervisor.
    process.on("SIGINT", () => {});
    process.on("SIGTERM", () => {});
    await runWorker(options, log, stopAtOnce(log));
  } else {
    const offer = azuriteOffer(options.store);
    const warnings = offer === undefined ? options.warnings : [...options.warnings, offer];
    await serve({ ...options, warnings }, log);
  }
}
