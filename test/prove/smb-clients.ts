import { readFileSync } from "node:fs";
import { join } from "node:path";
import { startProgram } from "../kit/program.ts";
import type { Proof } from "../support/proof.ts";
import { runSmbClients } from "../support/smb-clients.ts";

const CLIENTS = 16;
const REST_CLIENTS = 4;
const ROUNDS = 5;

export const proof: Proof = {
  name: "smb-clients",
  what: "SMB and REST clients that lock, lease, open alone, rename and vanish never lose a write or meet a torn one",
  minutes: 2,
  async run({ length, progress, seed, directory }) {
    const program = await startProgram(["--location", join(directory, "data"), "--workers", "2"]);
    const total = { counted: 0, reads: 0, vanished: 0, refused: 0 };
    const memory: number[] = [];
    try {
      for (let round = 0; round < ROUNDS; round++) {
        const { violations, ...stats } = await runSmbClients({
          ports: program.ports,
          connectionString: program.connectionString,
          share: `round-${round}`,
          clients: CLIENTS,
          restClients: REST_CLIENTS,
          millis: { quick: 10_000, usual: 60_000, long: 600_000 }[length] / ROUNDS,
          seed: seed + round * 1_000,
        });
        for (const name of Object.keys(total) as (keyof typeof total)[]) total[name] += stats[name];
        memory.push(residentMegabytes(program.pid));
        progress(`${total.counted} counts, ${total.reads} reads, ${memory.at(-1)} MB`);
        if (violations.length > 0) return { ok: false, summary: violations.slice(0, 5).join("; ") };
      }
    } finally {
      await program.stop();
    }
    const summary = `${total.counted} counts, ${total.reads} reads, ${total.vanished} clients vanished, ${total.refused} refused, 0 violations; memory of all workers by round in MB: ${memory.join(", ")}`;
    return { ok: true, summary };
  },
};

/** Of the program and its workers together. */
function residentMegabytes(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8")
    .trim()
    .split(" ")
    .filter(Boolean);
  const kilobytes = [pid, ...children.map(Number)].map((one) =>
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${one}/status`, "utf8"))?.[1] ?? 0),
  );
  return Math.round(kilobytes.reduce((sum, one) => sum + one, 0) / 1_024);
}
