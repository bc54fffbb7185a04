import { badQuery } from "../../base/refusals.ts";
import { isSasParameter } from "../query.ts";
import type { Unauthenticated } from "./context.ts";
import { authenticationFailed } from "./refuse.ts";

/**
 * Refuses an address in which a parameter comes twice that may come once. A field of a SAS proves nothing then. Where
 * there is no signature these names mean nothing, and on a website nothing but the path does.
 */
export function refuseRepeated(
  { query, target }: Pick<Unauthenticated, "query" | "target">,
  names: readonly string[],
): void {
  if (target.isWebsite === true) return;
  for (const name of names) {
    if (!isSasParameter(name)) {
      throw badQuery(name, query.get(name) ?? "", `The query parameter ${name} is given more than once.`);
    }
    if (query.has("sig")) throw authenticationFailed(`The SAS field ${name} is given more than once.`);
  }
}
