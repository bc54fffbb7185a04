import { BLOB_REFUSALS } from "./refusals/blob.ts";
import { COMMON_REFUSALS } from "./refusals/common.ts";
import { FILE_REFUSALS } from "./refusals/file.ts";
import { QUEUE_REFUSALS } from "./refusals/queue.ts";
import { TABLE_REFUSALS } from "./refusals/table.ts";

/**
 * The catalogue: every expected "no" is a row here. Rules return its name, services throw `Refusal`, the
 * front ends print the row in their protocol. `code` stands where two rows share one code on the wire;
 * `{resource}` in a text is where the front end names what it was asked for.
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

/**
 * An expected no. It carries no stack: refusals are part of the protocol, and contention makes many of them.
 */
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

/** What the source of a copy answered instead of its bytes. */
export interface SourceAnswer {
  readonly status: number;
  readonly code?: string | undefined;
  readonly text?: string | undefined;
}

/** The answer of a source that is on this server. */
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

/**
 * What a copy is answered whose source refused to be read: the source's own status, code and words go along.
 */
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
