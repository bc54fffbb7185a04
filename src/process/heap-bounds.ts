import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";
import { systemTimers, type Timer, type Timers } from "../base/clock.ts";
import { LIMITS } from "../base/limits.ts";

/**
 * How far the heap may grow, in bytes (decision 0051). V8 knows only ratios: it marks the heap when it
 * has grown to a multiple of what was alive, and doubles its young generation when much has survived in it. A
 * server with 2,000 hostile connections has three times as much alive as one at work, and would keep twelve
 * times as much.
 *
 *   old generation    grows to four times of what is alive (decision 0048), but once it is larger than
 *                     `heapOldBytes`, only by a tenth of that growth: then V8 starts incremental marking
 *   young generation  has halves of `heapYoungBytes`, which V8 would double
 *
 * V8 reads these flags each time it decides, so a look at the heap now and then is enough.
 */
const GROWTH_PERCENT = 300;
const LARGE_TRIGGER_PERCENT = 10;
/** V8's own choice: it begins to mark when little is left until the limit. */
const USUAL_TRIGGER_PERCENT = 0; /** Each half loses a little to the heads of its pages. */
const YOUNG_GROWN_SHARE = 0.6;

export interface HeapSizes {
  /** What one half of the young generation can take: the other one is not there at all times. */
  readonly youngBytes: number;
  /** Bytes of objects in all other spaces, dead ones included. */
  readonly oldBytes: number;
}

export interface HeapBounds {
  readonly triggerPercent: number;
  readonly youngFactor: number;
}

/** What bounds a heap of these sizes. */
export function boundsFor({ youngBytes, oldBytes }: HeapSizes): HeapBounds {
  return {
    triggerPercent: oldBytes > LIMITS.heapOldBytes ? LARGE_TRIGGER_PERCENT : USUAL_TRIGGER_PERCENT,
    youngFactor: youngBytes < YOUNG_GROWN_SHARE * LIMITS.heapYoungBytes ? 2 : 1,
  };
}

function heapSizes(): HeapSizes {
  let [youngBytes, oldBytes] = [0, 0];
  for (const space of getHeapSpaceStatistics()) {
    const { space_name, space_available_size, space_used_size } = space;
    if (space_name === "new_space") youngBytes = space_available_size + space_used_size;
    else if (space_name !== "new_large_object_space") oldBytes += space_used_size;
  }
  return { youngBytes, oldBytes };
}

/** Bounds the heap of this process, until it is cancelled. */
export function boundHeap(timers: Timers = systemTimers): Timer {
  const look = (): void => {
    const { triggerPercent, youngFactor } = boundsFor(heapSizes());
    // All of them each time: with a new thread, V8 has its own values again.
    setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
    setFlagsFromString(`--incremental-marking-soft-trigger=${triggerPercent}`);
    setFlagsFromString(`--semi-space-growth-factor=${youngFactor}`);
  };
  look();
  return timers.every(LIMITS.heapWatchMillis, look);
}
