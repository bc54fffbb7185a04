import assert from "node:assert/strict";
import fc from "fast-check";
import { ManualClock } from "../../src/base/clock.ts";
import { LocalMessages } from "../../src/base/messages.ts";
import { seededRandom } from "../../src/base/random.ts";
import { Refusal } from "../../src/base/refusals.ts";
import { etagOf, type Revision } from "../../src/base/revision.ts";
import { type Conditions, checkCombination, NO_CONDITIONS } from "../../src/concurrency/conditions.ts";
import { leaseAt } from "../../src/concurrency/lease.ts";
import { parseTagPredicate } from "../../src/concurrency/tag-predicate.ts";
import { silentLog } from "../../src/observability/log.ts";
import { type BlobContext, blobContext } from "../../src/services/blob/context.ts";
import { createContainer } from "../../src/services/blob/create-container.ts";
import { deleteBlob } from "../../src/services/blob/delete-blob.ts";
import { deleteContainer } from "../../src/services/blob/delete-container.ts";
import { getBlobProperties } from "../../src/services/blob/get-blob.ts";
import { leaseBlob } from "../../src/services/blob/lease-blob.ts";
import { leaseContainer } from "../../src/services/blob/lease-container.ts";
import { putBlob } from "../../src/services/blob/put-blob.ts";
import { setBlobMetadata } from "../../src/services/blob/set-blob-metadata.ts";
import { setBlobTags } from "../../src/services/blob/set-blob-tags.ts";
import { setContainerMetadata } from "../../src/services/blob/set-container-metadata.ts";
import type { LeaseAction, LeaseResult } from "../../src/services/lease-action.ts";
import type { Payloads } from "../../src/services/payload/payloads.ts";
import type { Store } from "../../src/store/kv.ts";
import { type PlainAction, PlainBlob, type PlainConditions } from "./blob-model.ts";

export type BlobStep =
  | { readonly do: "wait"; readonly millis: number }
  | {
      readonly do: "put" | "setMetadata" | "delete" | "read";
      readonly conditions: PlainConditions;
      readonly leaseId: string | undefined;
    }
  | { readonly do: "setTag"; readonly tag: string; readonly leaseId: string | undefined }
  | { readonly do: "lease"; readonly action: PlainAction; readonly conditions: PlainConditions }
  | { readonly do: "leaseContainer"; readonly action: PlainAction }
  | { readonly do: "setContainerMetadata" | "recreateContainer"; readonly leaseId: string | undefined };

const id = fc.constantFrom("p1", "p2", "p3");
const leaseId = fc.oneof({ weight: 2, arbitrary: fc.constant(undefined) }, { weight: 3, arbitrary: id });

const rarely = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined, freq: 1 });
const beside = fc.oneof(
  fc.constantFrom(0, -1, 1, 999, -1_000, 1_000),
  fc.integer({ min: -3_000, max: 3_000 }),
);

const conditions: fc.Arbitrary<PlainConditions> = fc.oneof(
  { weight: 2, arbitrary: fc.constant({}) },
  {
    weight: 1,
    arbitrary: fc
      .record({
        ifMatch: rarely(fc.constantFrom("own" as const, "stale" as const, "*" as const)),
        ifNoneMatch: rarely(fc.constantFrom("own" as const, "stale" as const, "*" as const)),
        ifModifiedSince: rarely(beside),
        ifUnmodifiedSince: rarely(beside),
        ifTag: rarely(fc.constantFrom("own" as const, "other" as const)),
      })
      .map((given) => Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))),
  },
);

const action: fc.Arbitrary<PlainAction> = fc.oneof(
  fc.record({
    do: fc.constant("acquire" as const),
    id: fc.option(id, { nil: undefined, freq: 3 }),
    length: fc.constantFrom("infinite" as const, 15_000, 60_000),
  }),
  fc.record({ do: fc.constantFrom("renew" as const, "release" as const), id }),
  fc.record({ do: fc.constant("change" as const), id, to: id }),
  fc.record({
    do: fc.constant("break" as const),
    period: fc.constantFrom(undefined, 0, 5_000, 20_000, 60_000),
  }),
);

const step: fc.Arbitrary<BlobStep> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("wait" as const),
      millis: fc.oneof(fc.constantFrom(1, 999, 1_000, 5_000, 15_000), fc.integer({ min: 1, max: 40_000 })),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constantFrom(
        "put" as const,
        "put" as const,
        "setMetadata" as const,
        "read" as const,
        "delete" as const,
      ),
      conditions,
      leaseId,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("setTag" as const), tag: fc.constantFrom("x", ""), leaseId }),
  },
  { weight: 8, arbitrary: fc.record({ do: fc.constant("lease" as const), action, conditions }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("leaseContainer" as const), action }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom(
        "setContainerMetadata" as const,
        "setContainerMetadata" as const,
        "recreateContainer" as const,
      ),
      leaseId,
    }),
  },
);

/** A blob that is there from the start: most of what is worth asking is asked of one. */
export const blobHistory: fc.Arbitrary<BlobStep[]> = fc
  .array(step, { minLength: 5, maxLength: 30 })
  .map((steps) => [{ do: "put", conditions: {}, leaseId: undefined }, ...steps]);

const container = { account: "a", container: "c" };
const ref = { ...container, blob: "b" };

/** The service, answering in the words of the model. */
class RealBlob {
  readonly #blobs: BlobContext;
  readonly #clock: ManualClock;
  #revision: Revision = 1n;
  etag = 0;

  constructor(blobs: BlobContext, clock: ManualClock) {
    this.#blobs = blobs;
    this.#clock = clock;
  }

  #conditions({ ifTag, ifMatch, ifNoneMatch, ...dates }: PlainConditions, modifiedAt: number): Conditions {
    const etags = (which: "own" | "stale" | "*") =>
      which === "*" ? "*" : [which === "own" ? etagOf(this.#revision) : "0x123"];
    const since = (offset: number | undefined): number | undefined =>
      offset === undefined ? undefined : modifiedAt + offset;
    const given = {
      ifMatch: ifMatch === undefined ? undefined : etags(ifMatch),
      ifNoneMatch: ifNoneMatch === undefined ? undefined : etags(ifNoneMatch),
      ifModifiedSince: since(dates.ifModifiedSince),
      ifUnmodifiedSince: since(dates.ifUnmodifiedSince),
      ifTags: ifTag === undefined ? undefined : parseTagPredicate(`tag = '${ifTag === "own" ? "x" : "y"}'`),
    };
    const set = Object.entries(given).filter(([, value]) => value !== undefined);
    return set.length === 0 ? NO_CONDITIONS : (Object.fromEntries(set) as Conditions);
  }

  async run(current: Exclude<BlobStep, { do: "wait" }>, model: PlainBlob, made: string): Promise<string> {
    const blobs = this.#blobs;
    const guarded =
      "conditions" in current ? this.#conditions(current.conditions, model.modifiedAt) : NO_CONDITIONS;
    if (current.do !== "read") {
      const code = checkCombination(guarded);
      if (code !== undefined) return code;
    }
    switch (current.do) {
      case "put": {
        const body = Buffer.from("x");
        const properties = { http: {}, metadata: {}, encryption: {} };
        const guards = { conditions: guarded, leaseId: current.leaseId, mayOverwrite: true };
        return this.#written(
          putBlob(blobs, { ref, ...guards, properties, body, length: 1, md5: () => undefined }),
        );
      }
      case "setMetadata": {
        const guards = { conditions: guarded, leaseId: current.leaseId };
        return this.#written(setBlobMetadata(blobs, { ref, ...guards, metadata: {}, encryption: {} }));
      }
      case "delete": {
        const rest = { snapshots: undefined, isPermanent: false, selector: {} };
        await deleteBlob(blobs, { ref, conditions: guarded, leaseId: current.leaseId, ...rest });
        return "ok";
      }
      case "read": {
        const rest = { selector: {}, keySha256: undefined };
        const { record } = await getBlobProperties(blobs, {
          ref,
          conditions: guarded,
          leaseId: current.leaseId,
          ...rest,
        });
        assert.equal(record.revision, this.#revision);
        return `ok ${this.etag}`;
      }
      case "setTag": {
        const tags: Record<string, string> = current.tag === "" ? {} : { tag: current.tag };
        const rest = { selector: {}, conditions: NO_CONDITIONS };
        await setBlobTags(blobs, { ref, leaseId: current.leaseId, tags, ...rest });
        return "ok";
      }
      case "lease": {
        const lease = actionOf(current.action, made);
        const result = await leaseBlob(blobs, { ref, conditions: guarded, lease });
        assert.equal(result.revision, this.#revision, "a lease action changed the ETag");
        return this.#shown(result);
      }
      case "leaseContainer": {
        const lease = actionOf(current.action, made);
        return this.#shown(await leaseContainer(blobs, { ref: container, conditions: NO_CONDITIONS, lease }));
      }
      case "setContainerMetadata": {
        const guards = { ref: container, conditions: NO_CONDITIONS, leaseId: current.leaseId };
        await setContainerMetadata(blobs, { ...guards, metadata: {} });
        return "ok";
      }
      case "recreateContainer":
        await deleteContainer(blobs, { ref: container, conditions: NO_CONDITIONS, leaseId: current.leaseId });
        await makeContainer(blobs);
        return "ok";
    }
  }

  async #written(writing: Promise<{ readonly revision: Revision }>): Promise<string> {
    const { revision } = await writing;
    assert.ok(revision > this.#revision, "an ETag came again");
    this.#revision = revision;
    this.etag++;
    return "ok";
  }

  #shown({ lease }: LeaseResult): string {
    const now = leaseAt(lease, this.#clock.now());
    return now.state === "leased" ? `leased ${now.id}` : now.state;
  }
}

function actionOf(plain: PlainAction, made: string): LeaseAction {
  switch (plain.do) {
    case "acquire":
      return {
        action: "acquire",
        id: plain.id ?? made,
        isProposed: plain.id !== undefined,
        length: plain.length,
      };
    case "change":
      return { action: "change", current: plain.id, proposed: plain.to };
    case "break":
      return { action: "break", period: plain.period };
    default:
      return { action: plain.do, id: plain.id };
  }
}

function makeContainer(blobs: BlobContext): Promise<Revision> {
  const nothing = { metadata: {}, publicAccess: undefined, encryptionScope: undefined };
  return createContainer(blobs, { ref: container, ...nothing });
}

function expectedOf(current: Exclude<BlobStep, { do: "wait" }>, model: PlainBlob, made: string): string {
  switch (current.do) {
    case "put":
    case "setMetadata":
    case "delete":
    case "read":
      return model[current.do](current.conditions, current.leaseId);
    case "setTag":
      return model.setTag(current.tag, current.leaseId);
    case "lease":
      return model.leaseBlob(current.action, current.conditions, made);
    case "leaseContainer":
      return model.leaseContainer(current.action, made);
    default:
      return model[current.do](current.leaseId);
  }
}

export type OpenStore = (options: {
  readonly clock: ManualClock;
}) => Promise<{ readonly store: Store; remove(): Promise<void> }>;

/** Runs a history on the service and on the model, and compares what both of them say, step by step. */
export async function blobFollowsModel(
  open: OpenStore,
  steps: readonly BlobStep[],
  visited: Set<string> = new Set(),
): Promise<void> {
  const clock = new ManualClock();
  const { store, remove } = await open({ clock });
  try {
    // The blobs of these histories are small: nothing goes to extents.
    const payloads = undefined as unknown as Payloads;
    const parts = {
      store,
      clock,
      random: seededRandom(1),
      log: silentLog,
      payloads,
      messages: new LocalMessages(),
    };
    const blobs = blobContext(parts);
    await makeContainer(blobs);
    const model = new PlainBlob(clock.now(), visited);
    const real = new RealBlob(blobs, clock);
    for (const [index, current] of steps.entries()) {
      if (current.do === "wait") {
        clock.advance(current.millis);
        model.now = clock.now();
        continue;
      }
      const made = `made-${index}`;
      // The conditions are relative to what was there before the step.
      const given = await real.run(current, model, made).catch((error: unknown) => {
        if (error instanceof Refusal) return error.code;
        throw error;
      });
      const expected = expectedOf(current, model, made);
      assert.equal(
        given,
        expected.replace(/^(breaking|broken) .*/, "$1"),
        `step ${index}: ${JSON.stringify(current)}`,
      );
    }
  } finally {
    await remove();
  }
}
