import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";
import { systemTimers, type Timer, type Timers } from "../base/clock.ts";
import { LIMITS } from "../base/limits.ts";

/**
 * Bounds the heap in bytes (decision 0051). V8 knows only ratios: it marks the heap when it has grown to a
 * multiple of the live objects, and doubles its young generation when many objects have survived in it. A
 * server with 2,000 hostile connections has three times the live objects of a usual one, and its heap would
 * grow to twelve times.
 *
 *   old generation    grows to four times the live objects (decision 0048); above `heapOldBytes`, incremental
 *                     marking starts after a tenth of that growth
 *   young generation  has semi-spaces of `heapYoungBytes`, which V8 would double
 *
 * V8 reads these flags at each decision, so checking the heap at intervals is enough.
 */
const GROWTH_PERCENT = 300;
const LARGE_TRIGGER_PERCENT = 10;
/** The default of V8: marking starts shortly before the limit. */
const USUAL_TRIGGER_PERCENT = 0;
/** Page headers take a little of each semi-space. */
const YOUNG_GROWN_SHARE = 0.6;

export interface HeapSizes {
  /** Capacity of one semi-space: the other one is not always allocated. */
  readonly youngBytes: number;
  /** Bytes of objects in all other spaces, garbage included. */
  readonly oldBytes: number;
}

export interface HeapBounds {
  readonly triggerPercent: number;
  readonly youngFactor: number;
}

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

/** Bounds the heap of this process until the timer is cancelled. */
export function boundHeap(timers: Timers = systemTimers): Timer {
  const check = (): void => {
    const { triggerPercent, youngFactor } = boundsFor(heapSizes());
    // Each time all of them: a new thread resets them to V8's defaults.
    setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
    setFlagsFromString(`--incremental-marking-soft-trigger=${triggerPercent}`);
    setFlagsFromString(`--semi-space-growth-factor=${youngFactor}`);
  };
  check();
  return timers.every(LIMITS.heapWatchMillis, check);
}
