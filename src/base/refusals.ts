import { BLOB_REFUSALS } from "./refusals/blob.ts";
import { COMMON_REFUSALS } from "./refusals/common.ts";
import { FILE_REFUSALS } from "./refusals/file.ts";
import { QUEUE_REFUSALS } from "./refusals/queue.ts";
import { TABLE_REFUSALS } from "./refusals/table.ts";

/**
 * The catalogue: every expected "no" is a row here. Rules return its name, services throw `Refusal`, the front
 * ends print the row in their protocol. `code` stands where two rows share one code on the wire; `{resource}` in a
 * text is where the front end names what it was asked for.
 */
export interface RefusalRow {
  readonly http: number;
  readonly text: string;
  readonly smb?: number;
  readonly code?: string;
}

export const REFUSALS = {
  ...COMMON_REFUSALS,
  ...BLOB_REFUSALS,
  ...QUEUE_REFUSALS,
  ...TABLE_REFUSALS,
  ...FILE_REFUSALS,
} as const satisfies Record<string, RefusalRow>;

export type RefusalCode = keyof typeof REFUSALS;

/** More for the client: extra elements of the error body, headers of the reply, a text of its own. */
export interface RefusalDetail {
  readonly text?: string;
  readonly elements?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An expected no. It carries no stack: refusals are part of the protocol, and contention makes many of them. */
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

/** A header the client must mend, named as the protocol names it. */
export function badHeader(name: string, value: string, code: RefusalCode = "InvalidHeaderValue"): Refusal {
  return new Refusal(code, { elements: { HeaderName: name, HeaderValue: value } });
}

/** A query parameter the client must mend. */
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

/** What a copy is answered whose source refused to be read: the source's own status, code and words go along. */
export function sourceRefusal(code: RefusalCode, cause: Refusal): Refusal {
  const { row, detail } = cause;
  const [status, sourceCode, text] = [String(row.http), row.code ?? cause.code, detail.text ?? row.text];
  return new Refusal(code, {
    text,
    elements: {
      CopySourceStatusCode: status,
      CopySourceErrorCode: sourceCode,
      CopySourceErrorMessage: text,
    },
    headers: { "x-ms-copy-source-status-code": status, "x-ms-copy-source-error-code": sourceCode },
  });
}
