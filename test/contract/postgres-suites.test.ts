/**
 * A selection of the services' behaviour suites on the PostgreSQL engine: those in which transactions meet,
 * and one of each service that moves payload. All of them run with `npm run prove -- --only postgres-suites`.
 *
 * The engine must be chosen before a suite is loaded, hence the imports by hand.
 */
process.env.HOLDFAST_TEST_ENGINES = "postgres";

for (const suite of [
  "blob-races",
  "blob-blocks",
  "blob-lease",
  "queue-messages",
  "table-concurrency",
  "table-batch",
  "file-handles",
  "file-content",
]) {
  await import(`./${suite}.test.ts`);
}
