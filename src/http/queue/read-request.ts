import { badQuery, Refusal } from "../../base/refusals.ts";
import { parseReceipt, type Receipt } from "../../concurrency/visibility.ts";
import type { QueueContext } from "../../services/queue/context.ts";
import { getQueueMetadata } from "../../services/queue/get-queue-metadata.ts";
import { QUEUE_LIMITS } from "../../services/queue/limits.ts";
import { isMessageId } from "../../services/queue/message-id.ts";
import { checkQueueName, type QueueRef } from "../../services/queue/queue-ref.ts";
import type { HttpRequest, Query } from "../exchange.ts";

export function readQueueRef({ target }: HttpRequest): QueueRef {
  const { path, account } = target;
  const slash = path.indexOf("/");
  const queue = slash < 0 ? path : path.slice(0, slash);
  checkQueueName(queue);
  return { account, queue };
}

/** The last segment of /{queue}/messages/{messageid}. */
export function readMessageId({ target }: HttpRequest): string {
  const { path } = target;
  const end = path.endsWith("/") ? path.length - 1 : path.length;
  return path.slice(path.indexOf("/", path.indexOf("/") + 1) + 1, end);
}

/** Undefined when the text is not a receipt. */
export function readReceipt(query: Query): Receipt | undefined {
  return parseReceipt(required(query, "popreceipt"));
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/**
 * Refuses a malformed receipt, after it has refused a queue that does not exist, and a message that does not
 * if the receipt is at least Base64.
 */
export async function refuseReceipt(
  queues: QueueContext,
  ref: QueueRef,
  request: HttpRequest,
): Promise<never> {
  await getQueueMetadata(queues, ref);
  const text = required(request.query, "popreceipt").slice(0, 256);
  if (BASE64.test(text) && !isMessageId(readMessageId(request))) throw new Refusal("MessageNotFound");
  throw badQuery("popreceipt", text, "Invalid pop receipt format");
}

export interface Bounds {
  readonly min: number;
  readonly max: number;
}

export const VISIBILITY_OF_PUT: Bounds = { min: 0, max: QUEUE_LIMITS.visibilitySecondsMax };
export const VISIBILITY_OF_GET: Bounds = { min: 1, max: QUEUE_LIMITS.visibilitySecondsMax };
export const VISIBILITY_OF_UPDATE: Bounds = VISIBILITY_OF_PUT;
export const COUNT_OF_MESSAGES: Bounds = { min: 1, max: QUEUE_LIMITS.messagesPerGetMax };

const WHOLE = /^[+-]?\d{1,15}$/;

/** A whole number within bounds, or the default. */
export function readWhole(query: Query, name: string, bounds: Bounds, byDefault: number): number {
  const text = query.get(name);
  return text === undefined ? byDefault : wholeWithin(name, text, bounds);
}

export function requireWhole(query: Query, name: string, bounds: Bounds): number {
  return wholeWithin(name, required(query, name), bounds);
}

function wholeWithin(name: string, text: string, bounds: Bounds): number {
  const value = wholeNumber(name, text);
  if (value < bounds.min || value > bounds.max) throw outOfRange(name, text, bounds);
  return value;
}

function wholeNumber(name: string, text: string): number {
  if (!WHOLE.test(text)) throw badQuery(name, text.slice(0, 256), "A whole number is expected.");
  return Number(text);
}

function required(query: Query, name: string): string {
  const text = query.get(name);
  if (text !== undefined && text !== "") return text;
  throw new Refusal("MissingRequiredQueryParameter", { elements: { QueryParameterName: name } });
}

function outOfRange(name: string, text: string, { min, max }: Bounds): Refusal {
  return new Refusal("OutOfRangeQueryParameterValue", {
    elements: {
      QueryParameterName: name,
      QueryParameterValue: text,
      MinimumAllowed: String(min),
      MaximumAllowed: String(max),
    },
  });
}

const ANY_TIME_TO_LIVE_SINCE = "2017-07-29";
const NEVER_EXPIRES = -1;

/** messagettl: seconds, or -1 for a message that never expires. Old versions allow at most seven days. */
export function readTimeToLive({ query, version }: HttpRequest): number | "never" {
  const text = query.get("messagettl");
  if (text === undefined) return QUEUE_LIMITS.timeToLiveSecondsDefault;
  const seconds = wholeNumber("messagettl", text);
  if (version !== "" && version < ANY_TIME_TO_LIVE_SINCE) {
    const bounds = { min: 1, max: QUEUE_LIMITS.timeToLiveSecondsMaxOnce };
    if (seconds < bounds.min || seconds > bounds.max) throw outOfRange("messagettl", text, bounds);
    return seconds;
  }
  if (seconds === NEVER_EXPIRES) return "never";
  if (seconds < 1) {
    throw badQuery("messagettl", text, "The value must be a positive number of seconds, or -1 for never.");
  }
  return seconds;
}
