import { breakInByConfiguration } from "./configuration.ts";
import { breakInByCopy } from "./copies.ts";
import { openFixture } from "./fixture.ts";
import { Ledger } from "./ledger.ts";
import { breakInByPath } from "./paths.ts";
import { breakInByRights } from "./rights.ts";
import { breakInBySas } from "./sas.ts";
import { breakInBySharedKey } from "./shared-key.ts";
import { breakInBySmb } from "./smb.ts";

/** Every way in that we could think of, over HTTP, HTTPS and SMB. */
export async function breakIn(progress: (text: string) => void = () => {}): Promise<Ledger> {
  const ledger = new Ledger();
  const tell = (what: string): void =>
    progress(`${what}: ${ledger.attempts} attempts, ${ledger.accepted.length} accepted`);
  for (const isSecure of [false, true]) {
    const fixture = await openFixture(isSecure);
    try {
      if (!isSecure) await breakInBySharedKey(fixture, ledger);
      tell("Shared Key");
      await breakInBySas(fixture, ledger);
      tell("SAS");
      await breakInByPath(fixture, ledger);
      tell("paths");
    } finally {
      await fixture.close();
    }
  }
  await breakInByCopy(ledger);
  tell("copies");
  await breakInByRights(ledger);
  tell("rights");
  breakInByConfiguration(ledger);
  tell("configuration");
  await breakInBySmb(ledger);
  tell("SMB");
  return ledger;
}
