import { setPriority } from "node:os";
import { createInterface } from "node:readline";
import { monotonic } from "../../../src/base/clock.ts";
import { attacksOn } from "./attacks.ts";
import type { Siege } from "./crowd.ts";

/**
 * The attackers, in a process of their own with a low priority: they would be on machines of their own, so
 * here they must not be what the honest clients wait for.
 *
 *   arguments: ports, SMB port, TLS or not and the number of connections, as JSON
 *   stdin: a line of JSON for each attack, its name and seconds     stdout: a line when it has ended
 */
const NICENESS = 10;
const target = JSON.parse(process.argv[2]!) as Omit<Siege, "isOver">;
const attacks = attacksOn(target.isSecure);
setPriority(NICENESS);
process.stdout.write("ready\n");
for await (const line of createInterface({ input: process.stdin })) {
  const { name, seconds } = JSON.parse(line) as { readonly name: string; readonly seconds: number };
  const end = monotonic() + seconds * 1_000;
  await attacks.find((attack) => attack.name === name)!.run({ ...target, isOver: () => monotonic() > end });
  process.stdout.write("done\n");
}
process.exit(0);
