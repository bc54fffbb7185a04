import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { ENGINES, startTestServer } from "../kit/server.ts";
import { seedOfThisRun } from "../support/seed.ts";
import { runSmbClients } from "../support/smb-clients.ts";

for (const engine of ENGINES) {
  suite(`many SMB clients and REST on a few files over ${engine}`, () => {
    test("no count is lost, no cell is torn, exclusive opens exclude each other", async (t) => {
      const server = await startTestServer({ engine });
      try {
        const outcome = await runSmbClients({
          ports: server.server.ports,
          connectionString: server.connectionString,
          share: "clients",
          clients: 8,
          restClients: 2,
          millis: 2_500,
          seed: seedOfThisRun(t),
        });
        assert.deepEqual(outcome.violations, []);
        assert.ok(outcome.counted > 20, `only ${outcome.counted} counts`);
      } finally {
        await server.close();
      }
    });
  });
}
