/** One expected refusal: its HTTP status, and the NTSTATUS where SMB can meet it. */
export interface RefusalRow {
  readonly http: number;
  /** `{resource}` stands for the kind of resource that the front end was asked for. */
  readonly text: string;
  readonly smb?: number;
  /** The code on the wire, where several rows share one. */
  readonly code?: string;
}

/** Rows that differ only in code and text. */
export function withStatus<Name extends string>(
  http: number,
  texts: Readonly<Record<Name, string>>,
): Readonly<Record<Name, RefusalRow>> {
  const rows = {} as Record<Name, RefusalRow>;
  for (const name in texts) rows[name] = { http, text: texts[name] };
  return rows;
}

/** Rows that share a code on the wire. */
export function withCode<Name extends string>(
  code: string,
  rows: Readonly<Record<Name, RefusalRow>>,
): Readonly<Record<Name, RefusalRow>> {
  const coded = {} as Record<Name, RefusalRow>;
  for (const name in rows) coded[name] = { ...rows[name], code };
  return coded;
}
