import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "../../../src/base/clock.ts";
import { Refusal } from "../../../src/base/refusals.ts";
import { type Revision, revisionAt } from "../../../src/base/revision.ts";
import type { Store } from "../../../src/store/kv.ts";
import { bytes, type OpenStore, onStore } from "./kit.ts";

function next(store: Store, above?: Revision): Promise<Revision> {
  return store.write(async (write) => {
    const revision = write.revision(above);
    write.put("object", bytes(revision.toString()));
    return revision;
  });
}

export function revisionContract(open: OpenStore): void {
  test("revisions are unique and increase, in one transaction and across many", async () => {
    const clock = new ManualClock();
    await onStore(
      open,
      async (store) => {
        const made: Revision[] = [];
        await store.write(async () => {});
        const several = await store.write(async (write) => [
          write.revision(),
          write.revision(),
          write.revision(),
        ]);
        made.push(...several);
        made.push(...(await Promise.all(Array.from({ length: 200 }, () => next(store)))));
        // Engines that share a clock among members leave gaps: the source may have run ahead by some
        // milliseconds.
        clock.advance(1_000);
        made.push(await next(store));
        for (let index = 1; index < made.length; index++) assert.ok(made[index]! > made[index - 1]!);
        assert.ok(made[0]! >= revisionAt(clock.now() - 1_000));
        assert.equal(made.at(-1), revisionAt(clock.now()), "the wall clock leads when it is ahead");
      },
      { clock },
    );
  });

  test("a revision is above what it is asked to be above, and so are all later ones", () =>
    onStore(open, async (store) => {
      const far = revisionAt(Date.UTC(2200, 0, 1));
      const first = await next(store, far);
      assert.ok(first > far);
      assert.ok((await next(store)) > first);
      const low = await next(store, 5n);
      assert.ok(low > first);
    }));

  test("revisions go on above the last one when the clock is set back", async () => {
    const clock = new ManualClock();
    await onStore(
      open,
      async (store) => {
        const before = await next(store);
        clock.advance(-3_600_000);
        const after = await next(store);
        assert.ok(after > before);
      },
      { clock },
    );
  });

  test("revisions never repeat over a restart with the clock set back", async () => {
    const clock = new ManualClock();
    await onStore(
      open,
      async (store, { reopen }) => {
        if (reopen === undefined) return;
        const made = [await next(store), await next(store)];
        // Given out by a transaction that wrote nothing, and by one of several in a batch.
        made.push(await store.write(async (write) => write.revision()));
        clock.advance(-86_400_000);
        let again = await reopen({ clock });
        made.push(await next(again), ...(await Promise.all([next(again), next(again)])));
        made.push(await again.write(async (write) => write.revision()));
        again = await reopen({ clock });
        made.push(await next(again));
        for (let index = 1; index < made.length; index++) {
          assert.ok(made[index]! > made[index - 1]!, `revision ${index} went back`);
        }
      },
      { clock },
    );
  });

  test("a refused transaction's revisions are not handed out again", async () => {
    await onStore(
      open,
      async (store) => {
        let seen = 0n;
        const refused = store.write(async (write) => {
          seen = write.revision();
          throw new Refusal("ConditionNotMet");
        });
        await assert.rejects(refused, Refusal);
        assert.ok((await next(store)) > seen);
      },
      { clock: new ManualClock() },
    );
  });
}
