import { Refusal } from "../../base/refusals.ts";
import type { HttpReply } from "../exchange.ts";

/** Symbolic and hard links exist on NFS shares; this server offers shares over REST and SMB. */
export async function handleLink(): Promise<HttpReply> {
  throw new Refusal("UnsupportedQueryParameter", {
    elements: { QueryParameterName: "restype" },
    text: "Links exist on NFS shares only.",
  });
}
