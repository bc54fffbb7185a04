import { BLOB_REFUSALS } from "./refusals/blob.ts";
import { COMMON_REFUSALS } from "./refusals/common.ts";
import { FILE_REFUSALS } from "./refusals/file.ts";
import { QUEUE_REFUSALS } from "./refusals/queue.ts";
import type { RefusalRow } from "./refusals/row.ts";
import { TABLE_REFUSALS } from "./refusals/table.ts";

/**
 * The catalogue: every expected "no" is a row here. Rules return its name, services throw `Refusal`, and the
 * front ends print the row in their protocol.
 */
export const REFUSALS = {
  ...COMMON_REFUSALS,
  ...BLOB_REFUSALS,
  ...QUEUE_REFUSALS,
  ...TABLE_REFUSALS,
  ...FILE_REFUSALS,
} satisfies Record<string, RefusalRow>;

export type RefusalCode = keyof typeof REFUSALS;

/** What one refusal adds to its row: elements of the error body, headers of the reply, another text. */
export interface RefusalDetail {
  readonly text?: string;
  readonly elements?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An expected "no". It has no stack trace, which is slow: contention makes many refusals. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly code: RefusalCode;
  readonly detail: RefusalDetail;

  constructor(code: RefusalCode, detail: RefusalDetail = {}) {
    const limit = Error.stackTraceLimit;
    Error.stackTraceLimit = 0;
    super(code);
    Error.stackTraceLimit = limit;
    this.code = code;
    this.detail = detail;
  }

  get row(): RefusalRow {
    return REFUSALS[this.code];
  }
}

/** Refuses a header, which the error body names. */
export function badHeader(name: string, value: string, code: RefusalCode = "InvalidHeaderValue"): Refusal {
  return new Refusal(code, { elements: { HeaderName: name, HeaderValue: value } });
}

/** Refuses a query parameter, which the error body names. */
export function badQuery(
  name: string,
  value: string,
  reason: string,
  code: RefusalCode = "InvalidQueryParameterValue",
): Refusal {
  return new Refusal(code, {
    elements: { QueryParameterName: name, QueryParameterValue: value, Reason: reason },
  });
}

export function throwIf(code: RefusalCode | undefined): void {
  if (code !== undefined) throw new Refusal(code);
}

/** What the source of a copy answered instead of its bytes. */
export interface SourceAnswer {
  readonly status: number;
  readonly code?: string | undefined;
  readonly text?: string | undefined;
}

/** The answer of a source on this server. */
export function answerOf({ code, row, detail }: Refusal): SourceAnswer {
  return { status: row.http, code: row.code ?? code, text: detail.text ?? row.text };
}

const SOURCE_CODES: Readonly<Record<number, RefusalCode>> = {
  304: "CopySourceNotModified",
  400: "CopySourceBadRequest",
  401: "CopySourceUnauthenticated",
  403: "CopySourceForbidden",
  404: "CopySourceNotFound",
  409: "CopySourceConflict",
  412: "CopySourcePreconditionFailed",
  416: "CopySourceBadRange",
};

/** The refusal of a copy whose source could not be read; it carries the source's status, code and text. */
export function sourceRefusal({ status, code, text }: SourceAnswer): Refusal {
  return new Refusal(SOURCE_CODES[status] ?? "CannotVerifyCopySource", {
    ...(text === undefined ? {} : { text }),
    elements: {
      CopySourceStatusCode: String(status),
      ...(code === undefined ? {} : { CopySourceErrorCode: code }),
      ...(text === undefined ? {} : { CopySourceErrorMessage: text }),
    },
    headers: {
      "x-ms-copy-source-status-code": String(status),
      ...(code === undefined ? {} : { "x-ms-copy-source-error-code": code }),
    },
  });
}
