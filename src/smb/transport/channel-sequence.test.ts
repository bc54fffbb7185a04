import assert from "node:assert/strict";
import { test } from "node:test";
import { COMMAND } from "../wire/header.ts";
import { STATUS, StatusError } from "../wire/status.ts";
import { enterSequence, leaveSequence, type SequencedOpen } from "./channel-sequence.ts";

const openAt = (sequence: number): SequencedOpen => ({
  generation: { sequence, count: 0 },
  olderGenerations: new Set(),
});
const write = (sequence: number, isReplay = false) => ({ sequence, command: COMMAND.WRITE, isReplay });
const read = (sequence: number) => ({ sequence, command: COMMAND.READ, isReplay: false });
const isStale = (error: unknown): boolean =>
  error instanceof StatusError && error.status === STATUS.FILE_NOT_AVAILABLE;

test("a change with an older sequence comes too late; a read does no harm", () => {
  const open = openAt(0);
  leaveSequence(open, enterSequence(open, read(1)));
  assert.throws(() => enterSequence(open, write(0)), isStale);
  leaveSequence(open, enterSequence(open, read(0)));
  leaveSequence(open, enterSequence(open, write(1)));
});

test("sequences wrap: half of the numbers are ahead, the other half behind", () => {
  for (const [from, to, mayCommitAsync] of [
    [0xffff, 0, true],
    [0, 0x7fff, true],
    [0, 0x8000, false],
    [5, 4, false],
  ] as const) {
    const open = openAt(from);
    if (mayCommitAsync) leaveSequence(open, enterSequence(open, write(to)));
    else assert.throws(() => enterSequence(open, write(to)), isStale);
    assert.equal(open.generation.sequence, mayCommitAsync ? to : from);
  }
});

test("a replay waits until what was sent before the loss is answered", () => {
  const open = openAt(0);
  const lost = enterSequence(open, write(0));
  assert.throws(() => enterSequence(open, write(1, true)), isStale);
  // What is new is no replay and may go on.
  leaveSequence(open, enterSequence(open, write(1)));
  leaveSequence(open, lost);
  leaveSequence(open, enterSequence(open, write(1, true)));
});

test("a sequence that comes back to an old number counts each generation apart", () => {
  const open = openAt(0);
  const long = enterSequence(open, read(0));
  for (const sequence of [30_000, 60_000, 0]) leaveSequence(open, enterSequence(open, read(sequence)));
  leaveSequence(open, long);
  assert.equal(open.generation.count, 0);
  assert.equal(open.olderGenerations.size, 0);
});
