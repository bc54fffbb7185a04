import { join } from "node:path";
import { converse } from "../../bench/converse.ts";
import { drive } from "../../bench/load.ts";
import { type PlainRequest, signed } from "../../bench/sign.ts";
import { startProgram } from "../kit/program.ts";
import type { Proof } from "../support/proof.ts";

const BODY = Buffer.alloc(1_024, "b");
const BLOCK_BLOB = { "x-ms-blob-type": "BlockBlob" };
const CONNECTIONS = 64;
/** Rates in turn, so that whatever else the machine does meets both containers. */
const ROUNDS = { quick: 2, usual: 5, long: 5 };
const SECONDS = { quick: 1, usual: 2, long: 2 };
/** Blobs that are read in turn, in either container. */
const FEW = 2_000;
const SHARE_MIN = 0.8;

const container = (name: string): PlainRequest => ({
  method: "PUT",
  path: `/${name}`,
  query: { restype: "container" },
});
const put = (path: string): PlainRequest => ({ method: "PUT", path, headers: BLOCK_BLOB, body: BODY });
/** Spread over the whole order, as hashes or times would be. */
const nameOf = (index: number): string =>
  `n${String(Math.imul(index, 2_654_435_761) >>> 0).padStart(10, "0")}`;

async function send(port: number, requests: readonly PlainRequest[], progress?: (done: number) => void) {
  let next = 0;
  const measured = await converse({
    port,
    connections: CONNECTIONS,
    seconds: 3_600,
    request: () => {
      if (next >= requests.length) return undefined;
      if (next % 50_000 === 0) progress?.(next);
      return signed(requests[next++]!, port);
    },
  });
  if (measured.errors > 0) throw new Error(`${measured.errors} requests of the preparation failed`);
}

const median = (values: number[]): number => values.sort((a, b) => a - b)[values.length >>> 1]!;

export const proof: Proof = {
  name: "blob-many",
  what: "a container with a million blobs is written and read as fast as an empty one",
  minutes: 1,
  isAlone: true,
  async run({ length, directory, progress }) {
    const count = { quick: 10_000, usual: 50_000, long: 1_000_000 }[length];
    const rounds = ROUNDS[length];
    const program = await startProgram(["--location", join(directory, "data"), "--silent"]);
    try {
      const port = program.ports.blob;
      const few = Array.from({ length: FEW }, (_, index) => put(`/few/f${index}`));
      await send(port, [container("few"), container("many")]);
      await send(port, few);
      const blobs = Array.from({ length: count }, (_, index) => put(`/many/${nameOf(index)}`));
      await send(port, blobs, (done) => progress(`${done} blobs`));
      const rates: Record<string, number[]> = {};
      for (let round = 0; round < rounds; round++) {
        const fresh = (where: string): PlainRequest[] =>
          Array.from({ length: 40_000 }, (_, i) => put(`/${where}/${nameOf(count + round * 40_000 + i)}`));
        const kinds: Record<string, PlainRequest[]> = {
          "few PUT": fresh("few"),
          "many PUT": fresh("many"),
          "few GET": Array.from({ length: FEW }, (_, i) => ({ method: "GET", path: `/few/f${i}` })),
          "many GET": Array.from({ length: FEW }, (_, i) => ({
            method: "GET",
            path: `/many/${nameOf(Math.floor((i * count) / FEW))}`,
          })),
        };
        for (const [kind, plain] of Object.entries(kinds)) {
          const requests = plain.map((request) => signed(request, port));
          const { perSecond, errors } = await drive({
            port,
            requests,
            connections: CONNECTIONS,
            seconds: SECONDS[length],
          });
          if (errors > 0) throw new Error(`${kind}: ${errors} failed`);
          rates[kind] = [...(rates[kind] ?? []), perSecond];
        }
        progress(`round ${round + 1} of ${rounds}`);
      }
      const of = (kind: string): number => median(rates[kind]!);
      const share = (verb: string): number => of(`many ${verb}`) / of(`few ${verb}`);
      const summary = ["PUT", "GET"]
        .map(
          (verb) =>
            `${verb} ${share(verb).toFixed(2)} of the rate of an empty one (${Math.round(of(`many ${verb}`))}/s)`,
        )
        .join(", ");
      const ok = share("PUT") >= SHARE_MIN && share("GET") >= SHARE_MIN;
      return { ok, summary: `${count} blobs: ${summary}` };
    } finally {
      await program.stop();
    }
  },
};
