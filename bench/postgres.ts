import { spawn } from "node:child_process";
import { pause } from "../src/base/clock.ts";
import { TestDatabase } from "../test/kit/postgres.ts";
import { drive } from "./load.ts";
import { type PlainRequest, signed } from "./sign.ts";

/**
 * Rates and round trips of one and of two members on one PostgreSQL, with a sync for each commit. Everything
 * runs on one machine, so two members share its processors with each other, with the database and with the
 * load.
 */
interface Member {
  readonly blob: number;
  readonly queue: number;
  readonly admin: number;
  stop(): Promise<void>;
}

async function startMember(address: string): Promise<Member> {
  const ports = ["blob", "queue", "table", "file", "admin", "smb"].flatMap((name) => [`--${name}Port`, "0"]);
  const flags = ["--store", address, ...ports, "--ready", "json", "--silent"];
  const child = spawn(process.execPath, ["dist/cli/holdfast.js", ...flags], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const line = await new Promise<string>((resolve, reject) => {
    child.stdout.once("data", (piece: Buffer) => resolve(piece.toString()));
    child.once("exit", (code) => reject(new Error(`a member ended with ${code}`)));
  });
  const { ports: open } = JSON.parse(line) as { ports: Member };
  return {
    ...open,
    stop: () =>
      new Promise((resolve) => {
        child.once("exit", () => resolve());
        child.kill("SIGTERM");
      }),
  };
}

async function roundTrips({ admin }: Member): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${admin}/metrics`)).text();
  return Number(/^holdfast_store_round_trips_total (\S+)$/m.exec(text)?.[1] ?? 0);
}

interface PostgresRow {
  readonly name: string;
  readonly service: "blob" | "queue";
  /** Different on each member, so that members meet only where the work itself makes them meet. */
  requests(member: number): PlainRequest[];
}

const KIB_1 = Buffer.alloc(1_024, 0x61);
const NAMES = 2_000;
const IDLE_MILLIS = 3_000;
const blob = (name: string, method = "PUT"): PlainRequest => ({
  method,
  path: `/bench/${name}`,
  ...(method === "PUT" ? { headers: { "x-ms-blob-type": "BlockBlob" }, body: KIB_1 } : {}),
});
const many = (make: (i: number) => PlainRequest): PlainRequest[] =>
  Array.from({ length: NAMES }, (_, i) => make(i));

const ROWS: readonly PostgresRow[] = [
  { name: "PUT blob 1 KiB", service: "blob", requests: (member) => many((i) => blob(`n${member}-${i}`)) },
  { name: "GET blob 1 KiB", service: "blob", requests: () => many((i) => blob(`n0-${i}`, "GET")) },
  {
    name: "Put Message",
    service: "queue",
    requests: (member) =>
      many(() => ({
        method: "POST",
        path: `/bench-${member}/messages`,
        body: Buffer.from("<QueueMessage><MessageText>text</MessageText></QueueMessage>"),
      })),
  },
];

/** What a member asks its database while nobody asks it anything: heartbeats, and looking for work. */
async function idleTripsPerSecond(members: readonly Member[]): Promise<number> {
  const before = await Promise.all(members.map(roundTrips));
  await pause(IDLE_MILLIS);
  const after = await Promise.all(members.map(roundTrips));
  const trips = after.reduce((sum, count, n) => sum + count - before[n]!, 0);
  return (trips * 1_000) / IDLE_MILLIS / members.length;
}

async function load(
  members: readonly Member[],
  row: PostgresRow,
  { connections, seconds, idle }: { connections: number; seconds: number; idle: number },
): Promise<{ perSecond: number; p50Millis: number; tripsPerOperation: number }> {
  const before = await Promise.all(members.map(roundTrips));
  const measured = await Promise.all(
    members.map((member, n) => {
      const port = member[row.service];
      const requests = row.requests(n).map((request) => signed({ ...request, service: row.service }, port));
      return drive({ port, requests, connections, seconds });
    }),
  );
  const after = await Promise.all(members.map(roundTrips));
  const perSecond = measured.reduce((sum, one) => sum + one.perSecond, 0);
  const errors = measured.reduce((sum, one) => sum + one.errors, 0);
  if (errors > 0) console.log(`  ${row.name}: ${errors} failed requests`);
  const all = after.reduce((sum, count, n) => sum + count - before[n]!, 0);
  const trips = Math.max(0, all - idle * seconds * members.length);
  const requests = measured.reduce((sum, one) => sum + (one.requests ?? one.perSecond * seconds), 0);
  return { perSecond, p50Millis: measured[0]!.p50Millis, tripsPerOperation: trips / requests };
}

export async function benchPostgres({
  seconds,
  connections,
}: {
  seconds: number;
  connections: number;
}): Promise<void> {
  const database = await TestDatabase.create({ isForgetful: false });
  try {
    for (const count of [1, 2]) {
      const members: Member[] = [];
      try {
        for (let i = 0; i < count; i++) members.push(await startMember(database.address(`bench_${count}`)));
        const create = (service: "blob" | "queue", path: string, query = {}): Promise<unknown> => {
          const port = members[0]![service];
          const requests = [signed({ method: "PUT", path, query, service }, port)];
          return drive({ port, requests, connections: 1, seconds: 1 });
        };
        await create("blob", "/bench", { restype: "container" });
        for (let i = 0; i < count; i++) await create("queue", `/bench-${i}`);
        const idle = await idleTripsPerSecond(members);
        for (const row of ROWS) {
          const busy = await load(members, row, { connections: connections / count, seconds, idle });
          const short = Math.min(2, seconds);
          const alone = await load(members.slice(0, 1), row, { connections: 1, seconds: short, idle });
          console.log(
            `${count} ${count === 1 ? "member " : "members"}  ${row.name.padEnd(16)} ${connections} clients ` +
              `${Math.round(busy.perSecond).toLocaleString("en-US").padStart(7)}/s, p50 ${busy.p50Millis.toFixed(2)} ms, ` +
              `${busy.tripsPerOperation.toFixed(3)} round trips each; 1 client ${Math.round(alone.perSecond)}/s, ` +
              `${alone.tripsPerOperation.toFixed(2)} round trips each`,
          );
        }
      } finally {
        await Promise.all(members.map((member) => member.stop()));
      }
    }
  } finally {
    await database.remove();
  }
}
