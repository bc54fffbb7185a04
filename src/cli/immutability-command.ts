import { existsSync } from "node:fs";
import { userInfo } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { ConfigError } from "../base/config-error.ts";
import { UnusableDirectory } from "../base/faults.ts";
import { systemRandom } from "../base/random.ts";
import { Refusal } from "../base/refusals.ts";
import { revisionOfTimestamp, timestampOf } from "../base/revision.ts";
import { type Log, openLog } from "../observability/log.ts";
import { openDataDirectory } from "../process/data-directory.ts";
import type { StoreChoice } from "../process/options.ts";
import { Runtime } from "../process/runtime.ts";
import { BlobService } from "../services/blob/blob-service.ts";
import type { Selector } from "../services/blob/blobs.ts";
import { type OnState, type Released, releaseImmutability } from "../services/blob/immutability.ts";
import type { ContainerRef } from "../services/blob/names.ts";
import { enableImmutability, heldStates, isHeld } from "../services/blob/release-immutability.ts";
import { isDatabaseAddress, parseDatabaseAddress } from "../store/postgres/address.ts";

/**
 * What the operator may do about immutability and no request can, on a server that is stopped:
 *
 *   holdfast release-immutability --location DIR --blob account/container/name --yes
 *                                 [--versionId ID | --snapshot TIME]
 *   holdfast release-immutability --location DIR --container account/container --yes
 *   holdfast enable-immutability  --location DIR --container account/container
 *
 * `--store postgres://...` replaces `--location` when the data is in a database. The command logs each
 * release.
 */
export type ImmutabilityCommand = "release-immutability" | "enable-immutability";

export interface CommandOutput {
  readonly print: (line: string) => void;
  /** Where each release is recorded. */
  readonly log: Log;
}

const TO_TERMINAL = (): CommandOutput => ({
  print: (line) => process.stdout.write(`${line}\n`),
  log: openLog({ level: "info" }),
});

export async function immutabilityCommand(
  command: ImmutabilityCommand,
  argv: readonly string[],
  cwd: string,
  output: CommandOutput = TO_TERMINAL(),
): Promise<void> {
  const given = readArguments(command, argv);
  const choice = choiceOf(command, given, cwd);
  const what = subjectOf(command, given);
  await atRest(choice, output.log, async (blobs) => {
    try {
      if (command === "enable-immutability") await enable(blobs, what.ref, output);
      else await release(blobs, what, given.yes === true, output);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      throw new Error(`${what.shown}: ${error.detail.text ?? error.row.text}`);
    }
  });
}

async function enable(blobs: BlobService, ref: ContainerRef, { print, log }: CommandOutput): Promise<void> {
  await enableImmutability(blobs, ref);
  log.info({ ...ref, user: userInfo().username }, "version-level immutability enabled by the operator");
  print(`enabled: ${ref.account}/${ref.container}`);
}

async function release(
  blobs: BlobService,
  what: Subject,
  isConfirmed: boolean,
  { print, log }: CommandOutput,
): Promise<void> {
  let count = 0;
  for await (const state of statesOf(blobs, what)) {
    count++;
    if (!isConfirmed) {
      print(`held: ${printState(state)}`);
      continue;
    }
    const released = await releaseImmutability(blobs, state);
    if (released === undefined) continue;
    log.warn({ ...auditOf(released), user: userInfo().username }, "immutability released by the operator");
    print(`released: ${printState(state)}`);
  }
  if (count === 0) print(`nothing holds ${what.shown}`);
  else if (!isConfirmed)
    throw new ConfigError("--yes", `expected, to release what is held (${count}); nothing was changed`);
}

async function* statesOf(blobs: BlobService, { ref, blob, selector }: Subject): AsyncGenerator<OnState> {
  if (blob === undefined) {
    yield* heldStates(blobs, ref);
    return;
  }
  const state = { ref: { ...ref, blob }, selector };
  if (await isHeld(blobs, state)) yield state;
}

function printState({ ref, selector: { snapshot, version } }: OnState): string {
  const name = `${ref.account}/${ref.container}/${ref.blob}`;
  if (snapshot !== undefined) return `${name} (snapshot ${timestampOf(snapshot)})`;
  return version === undefined ? name : `${name} (version ${timestampOf(version)})`;
}

function auditOf({ ref, selector, immutability, hasLegalHold }: Released): Record<string, unknown> {
  return {
    ...ref,
    ...(selector.snapshot === undefined ? {} : { snapshot: timestampOf(selector.snapshot) }),
    ...(selector.version === undefined ? {} : { versionId: timestampOf(selector.version) }),
    ...(immutability === undefined
      ? {}
      : { policyMode: immutability.mode, policyUntil: new Date(immutability.until).toISOString() }),
    ...(hasLegalHold === undefined ? {} : { legalHold: hasLegalHold }),
  };
}

interface Arguments {
  readonly location?: string | undefined;
  readonly store?: string | undefined;
  readonly container?: string | undefined;
  readonly blob?: string | undefined;
  readonly versionId?: string | undefined;
  readonly snapshot?: string | undefined;
  readonly yes?: boolean | undefined;
}

const WHERE = { location: { type: "string", short: "l" }, store: { type: "string" } } as const;
const OF_CONTAINER = { ...WHERE, container: { type: "string" } } as const;
const OF_BLOB = {
  ...OF_CONTAINER,
  blob: { type: "string" },
  versionId: { type: "string" },
  snapshot: { type: "string" },
  yes: { type: "boolean" },
} as const;

function readArguments(command: ImmutabilityCommand, argv: readonly string[]): Arguments {
  const args = [...argv];
  try {
    return command === "enable-immutability"
      ? parseArgs({ args, options: OF_CONTAINER }).values
      : parseArgs({ args, options: OF_BLOB }).values;
  } catch (error) {
    throw new ConfigError(command, (error as Error).message);
  }
}

function choiceOf(command: ImmutabilityCommand, { location, store }: Arguments, cwd: string): StoreChoice {
  const place = store ?? location;
  if (place === undefined || (store !== undefined && location !== undefined))
    throw new ConfigError(command, "expected --location DIR or --store postgres://...");
  if (isDatabaseAddress(place)) {
    parseDatabaseAddress(place);
    return { kind: "postgres", address: place };
  }
  return { kind: "embedded", directory: isAbsolute(place) ? place : resolve(cwd, place) };
}

/** A container, or one state of one blob. */
interface Subject {
  readonly ref: ContainerRef;
  readonly blob: string | undefined;
  readonly selector: Selector;
  readonly shown: string;
}

function subjectOf(command: ImmutabilityCommand, given: Arguments): Subject {
  const { container: inContainer, blob: named, versionId, snapshot } = given;
  const shown = named ?? inContainer;
  if (shown === undefined || (named !== undefined && inContainer !== undefined)) {
    const blob = command === "release-immutability" ? "--blob account/container/name or " : "";
    throw new ConfigError(command, `expected ${blob}--container account/container`);
  }
  const [account = "", container = "", ...rest] = shown.split("/");
  const blob = rest.join("/");
  if (account === "" || container === "" || (blob === "") !== (named === undefined)) {
    const [flag, form] = named === undefined ? ["--container", ""] : ["--blob", "/name"];
    throw new ConfigError(flag!, `expected account/container${form}, got "${shown}"`);
  }
  if (named === undefined && (versionId ?? snapshot) !== undefined)
    throw new ConfigError("--versionId, --snapshot", "expected --blob beside it");
  if (versionId !== undefined && snapshot !== undefined)
    throw new ConfigError("--versionId", "expected without --snapshot");
  return {
    ref: { account, container },
    blob: named === undefined ? undefined : blob,
    selector: {
      ...(versionId === undefined ? {} : { version: momentOf("--versionId", versionId) }),
      ...(snapshot === undefined ? {} : { snapshot: momentOf("--snapshot", snapshot) }),
    },
    shown,
  };
}

function momentOf(flag: string, text: string): bigint {
  const revision = revisionOfTimestamp(text);
  if (revision === undefined)
    throw new ConfigError(flag, `expected an id that a listing shows, got "${text}"`);
  return revision;
}

/**
 * As a server would open it, so that what a crash left is brought in order; the lock keeps servers out
 * meanwhile.
 */
async function atRest(
  choice: StoreChoice,
  log: Log,
  story: (blobs: BlobService) => Promise<void>,
): Promise<void> {
  if (choice.kind === "embedded" && !existsSync(join(choice.directory, "holdfast.json")))
    throw new UnusableDirectory(`${choice.directory} holds no data of Holdfast`);
  const directory = choice.kind === "embedded" ? await openDataDirectory(choice.directory) : undefined;
  try {
    const owner = `immutability-${process.pid}-${systemRandom.uuid()}`;
    const onFatal = (error: unknown): never => {
      throw error;
    };
    const runtime = new Runtime({ choice, owner, log, onFatal });
    try {
      await runtime.recoverAll();
      await runtime.waitUntilAlone();
      await story(new BlobService(runtime.parts));
    } finally {
      await runtime.close();
    }
  } finally {
    await directory?.release();
  }
}
