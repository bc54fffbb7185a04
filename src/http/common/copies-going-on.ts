import { LIMITS } from "../../base/limits.ts";
import { Refusal } from "../../base/refusals.ts";

/** Copies from elsewhere that go on after their requests were answered; there is an end to how many. */
let count = 0;

export function checkRoomForCopy(): void {
  if (count >= LIMITS.copiesFromElsewhereMax) throw new Refusal("ServerBusy");
}

/** Whoever started it has had its answer: how it ends is written in its target. */
export function letGoOn(copy: Promise<unknown>): void {
  count++;
  void copy.catch(() => {}).finally(() => count--);
}
