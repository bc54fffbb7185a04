import type { Operation, Permission } from "../operation.ts";

/** What each row states; the rest has the values that most rows have. */
export type RowFields<Services> = Pick<
  Operation<Services>,
  "name" | "method" | "resource" | "permission" | "handle"
> &
  Partial<Operation<Services>>;

/** A row of an operation table: unless it says otherwise, it has no body, no conditions, no lease, and 200. */
export function row<Services>(fields: RowFields<Services>): Operation<Services> {
  return {
    returnsEtag: false,
    conditions: [],
    lease: "none",
    body: "none",
    bodyBytesMax: 0,
    ok: [200],
    ...fields,
  };
}

/** A read that answers GET with and HEAD without its body. */
export function getAndHead<Services>(
  fields: Omit<RowFields<Services>, "method">,
  headName = `${fields.name}Head`,
): Operation<Services>[] {
  return [row({ ...fields, method: "GET" }), row({ ...fields, name: headName, method: "HEAD" })];
}

/** The letters of an account SAS for the root of a service, where no service SAS reaches. */
export function onService(account: readonly string[]): Permission {
  return { type: "s", account, service: [] };
}

/** The letters of an account SAS for a container, queue, table or share; a service SAS reaches few of these. */
export function onContainer(account: readonly string[], service: readonly string[] = []): Permission {
  return { type: "c", account, service };
}

/** The letters for a blob, message, entity or file, the same for both kinds of SAS. */
export function onObject(letters: readonly string[]): Permission {
  return { type: "o", account: letters, service: letters };
}
