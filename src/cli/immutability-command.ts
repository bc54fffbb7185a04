import { existsSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ConfigError } from "../base/config-error.ts";
import { UnusableDirectory } from "../base/faults.ts";
import { Refusal } from "../base/refusals.ts";
import { revisionOfTimestamp, timestampOf } from "../base/revision.ts";
import { type Log, openLog } from "../observability/log.ts";
import { openOffline, storeChoiceOf } from "../process/offline-store.ts";
import type { StoreChoice } from "../process/options.ts";
import type { Selector } from "../services/blob/blobs.ts";
import { type BlobContext, blobContext } from "../services/blob/context.ts";
import type { ContainerRef } from "../services/blob/names.ts";
import {
  enableImmutability,
  isProtected,
  protectedStates,
  type Released,
  releaseImmutability,
  type StateRef,
} from "../services/blob/release-immutability.ts";

/**
 * Changes of immutability that only the operator can make, while the server is stopped:
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
  /** Records each release. */
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
  const args = readArguments(command, argv);
  const choice = choiceOf(command, args, cwd);
  const subject = subjectOf(command, args);
  await withOfflineBlobs(choice, output.log, async (blobs) => {
    try {
      if (command === "enable-immutability") await enable(blobs, subject.ref, output);
      else await release(blobs, subject, args.yes === true, output);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      throw new Error(`${subject.shown}: ${error.detail.text ?? error.row.text}`);
    }
  });
}

async function enable(blobs: BlobContext, ref: ContainerRef, { print, log }: CommandOutput): Promise<void> {
  await enableImmutability(blobs, ref);
  log.info({ ...ref, user: userInfo().username }, "version-level immutability enabled by the operator");
  print(`enabled: ${ref.account}/${ref.container}`);
}

async function release(
  blobs: BlobContext,
  subject: Subject,
  isConfirmed: boolean,
  { print, log }: CommandOutput,
): Promise<void> {
  let count = 0;
  for await (const state of statesOf(blobs, subject)) {
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
  if (count === 0) print(`no policy or legal hold on ${subject.shown}`);
  else if (!isConfirmed) throw new ConfigError(`nothing was changed: add --yes to release ${count}`);
}

async function* statesOf(blobs: BlobContext, { ref, blob, selector }: Subject): AsyncGenerator<StateRef> {
  if (blob === undefined) {
    yield* protectedStates(blobs, ref);
    return;
  }
  const state = { ref: { ...ref, blob }, selector };
  if (await isProtected(blobs, state)) yield state;
}

function printState({ ref, selector: { snapshot, version } }: StateRef): string {
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
  return storeChoiceOf(place, cwd);
}

/** A container, or one state of one blob. */
interface Subject {
  readonly ref: ContainerRef;
  readonly blob: string | undefined;
  readonly selector: Selector;
  readonly shown: string;
}

function subjectOf(command: ImmutabilityCommand, args: Arguments): Subject {
  const { container: inContainer, blob: named, versionId, snapshot } = args;
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
    throw new ConfigError("--versionId and --snapshot require --blob");
  if (versionId !== undefined && snapshot !== undefined)
    throw new ConfigError("--versionId cannot be combined with --snapshot");
  return {
    ref: { account, container },
    blob: named === undefined ? undefined : blob,
    selector: {
      ...(versionId === undefined ? {} : { version: revisionOf("--versionId", versionId) }),
      ...(snapshot === undefined ? {} : { snapshot: revisionOf("--snapshot", snapshot) }),
    },
    shown,
  };
}

function revisionOf(flag: string, text: string): bigint {
  const revision = revisionOfTimestamp(text);
  if (revision === undefined) throw new ConfigError(flag, `expected an ID from a listing, got "${text}"`);
  return revision;
}

async function withOfflineBlobs(
  choice: StoreChoice,
  log: Log,
  run: (blobs: BlobContext) => Promise<void>,
): Promise<void> {
  if (choice.kind === "embedded" && !existsSync(join(choice.directory, "holdfast.json")))
    throw new UnusableDirectory(`${choice.directory} is not a data directory of Holdfast`);
  const { runtime, close } = await openOffline(choice, "immutability", log);
  try {
    await run(blobContext(runtime.parts));
  } finally {
    await close();
  }
}
