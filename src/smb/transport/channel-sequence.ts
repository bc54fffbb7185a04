import { COMMAND } from "../wire/header.ts";
import { refuse, STATUS } from "../wire/status.ts";

/**
 * A client with several connections raises its channel sequence when it loses one, and sends again what it
 * had no answer to. What was sent before may still be on its way here: a change that comes late, with an
 * older sequence, must not undo what came after it, and a replay must not run beside the request it repeats.
 */
export interface Generation {
  readonly sequence: number;
  /** Requests of it that are not answered yet. */
  count: number;
}

export interface SequencedOpen {
  generation: Generation;
  /** Earlier ones that still have requests in flight. */
  readonly olderGenerations: Set<Generation>;
}

const CHANGING: readonly number[] = [COMMAND.WRITE, COMMAND.SET_INFO, COMMAND.IOCTL];
const ADVANCE_MAX = 0x7fff;

/** Admits a request to an open, or refuses it. An admitted request must `leave` the returned generation. */
export function enterSequence(
  open: SequencedOpen,
  request: { readonly sequence: number; readonly command: number; readonly isReplay: boolean },
): Generation {
  const isChange = CHANGING.includes(request.command);
  const advance = (request.sequence - open.generation.sequence) & 0xffff;
  if (advance > ADVANCE_MAX && isChange) throw refuse(STATUS.FILE_NOT_AVAILABLE);
  if (advance > 0 && advance <= ADVANCE_MAX) {
    if (open.generation.count > 0) open.olderGenerations.add(open.generation);
    open.generation = { sequence: request.sequence, count: 0 };
  }
  if (isChange && request.isReplay && open.olderGenerations.size > 0) throw refuse(STATUS.FILE_NOT_AVAILABLE);
  open.generation.count++;
  return open.generation;
}

export function leaveSequence(open: SequencedOpen, generation: Generation): void {
  generation.count--;
  if (generation.count === 0) open.olderGenerations.delete(generation);
}
