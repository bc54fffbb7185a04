import { hmac } from "../support/auth.ts";
import type { BlobKit } from "./blob.ts";

/**
 * A service SAS for a container or a blob with these letters, good for an hour. The path is below the
 * account.
 */
export function sasOf(
  { server }: Pick<BlobKit, "server">,
  path: string,
  resource: "c" | "b",
  permissions: string,
): string {
  const sv = "2022-11-02";
  const se = `${new Date(server.clock.now() + 3_600_000).toISOString().slice(0, 19)}Z`;
  const cr = `/blob/${server.account}/${path}`;
  const text = [permissions, "", se, cr, "", "", "", sv, resource, "", "", "", "", "", "", ""].join("\n");
  return new URLSearchParams({ sv, se, sr: resource, sp: permissions, sig: hmac(text) }).toString();
}
