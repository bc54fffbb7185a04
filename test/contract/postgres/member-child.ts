import { PostgresStore } from "../../../src/store/postgres/postgres-store.ts";

/** A member that takes something in the ephemeral key space and goes on until it is killed. */
const [, , address, owner] = process.argv as [string, string, string, string];
const store = new PostgresStore({
  address,
  owner,
  onFatal: () => process.exit(1),
});
await store.ephemeral.write(async (write) => write.put("held", Buffer.from(owner)));
process.stdout.write("ready\n");
setInterval(() => {}, 1_000);
