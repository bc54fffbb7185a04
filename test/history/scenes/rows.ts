import type { PlainRequest } from "../../../bench/sign.ts";
import type { Change, Present, RegisterInput, RegisterOperation, RegisterOutput } from "../registers.ts";
import { judgeRegisters, unexpected } from "./blobs.ts";
import { pickOf, type Recorder, type Scene, type Timed } from "./stage.ts";

/** Partitions of a few rows each: single changes, batches of several, queries of the whole partition. */
const PARTITIONS = 4;
const ROWS = ["r0", "r1", "r2", "r3"];
const JSON_TYPE = { "Content-Type": "application/json", Accept: "application/json;odata=fullmetadata" };

export class RowScene implements Scene {
  readonly #histories = new Map<string, RegisterOperation[]>();
  readonly #known = new Map<string, string>();
  #made = 0;

  async prepare(client: Recorder): Promise<void> {
    const body = Buffer.from(JSON.stringify({ TableName: client.stage.name }));
    await client.insist("table", { method: "POST", path: "/Tables", headers: JSON_TYPE, body }, [201, 409]);
  }

  async act(client: Recorder, number: number): Promise<void> {
    const { random } = client.stage;
    const partition = `p${pickOf(random, PARTITIONS)}`;
    if (random.fraction() < 0.4) return this.#query(client, number, partition);
    const changes = new Map<string, Change>();
    const count = random.fraction() < 0.5 ? 1 : 2 + pickOf(random, ROWS.length - 1);
    for (let i = 0; i < count; i++) {
      const row = ROWS[pickOf(random, ROWS.length)]!;
      changes.set(row, this.#change(client, partition, row));
    }
    await this.#batch(client, number, partition, [...changes.values()]);
  }

  #change(client: Recorder, partition: string, key: string): Change {
    const { random, name } = client.stage;
    const value = `${name}-${partition}-${++this.#made}`;
    const etag = this.#known.get(`${partition} ${key}`);
    const choice = pickOf(random, 10);
    const put = { kind: "put", key, value } as const;
    if (choice < 5 && etag !== undefined) return { ...put, condition: { ifMatch: etag } };
    if (choice === 5) return { ...put, condition: { ifNoneMatch: "*" } };
    if (choice === 6) return { kind: "delete", key, condition: { ifMatch: "*" } };
    return put;
  }

  async #query(client: Recorder, number: number, partition: string): Promise<void> {
    const timed = await client.send("table", {
      method: "GET",
      path: `/${client.stage.name}()`,
      query: { $filter: `PartitionKey eq '${partition}'` },
      headers: JSON_TYPE,
    });
    const { reply } = timed;
    if (reply === undefined) return;
    if (reply.status !== 200) unexpected(timed);
    const rows = JSON.parse(reply.body.toString()) as { value: Record<string, string>[] };
    const found = new Map<string, Present>();
    for (const row of rows.value) {
      found.set(row.RowKey!, { value: row.V!, etag: row["odata.etag"] });
      this.#known.set(`${partition} ${row.RowKey}`, row["odata.etag"]!);
    }
    const output = { found: ROWS.map((row) => found.get(row)) };
    this.#record(partition, number, { do: "read", keys: ROWS }, timed, output);
  }

  async #batch(
    client: Recorder,
    number: number,
    partition: string,
    changes: readonly Change[],
  ): Promise<void> {
    const timed = await client.send("table", batchOf(client.stage.name, partition, changes));
    this.#record(partition, number, { do: "change", changes }, timed, this.#outcome(timed, changes));
  }

  #outcome(timed: Timed, changes: readonly Change[]): RegisterOutput | undefined {
    const { reply } = timed;
    if (reply === undefined) return undefined;
    if (reply.status !== 202) unexpected(timed);
    const text = reply.body.toString();
    const statuses = [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));
    if (statuses.every((status) => status < 300)) {
      const parts = text.split("HTTP/1.1 ").slice(1);
      return {
        done: changes.map(({ kind }, index) =>
          kind === "put" ? /\r\netag: ([^\r]*)/i.exec(parts[index]!)?.[1] : undefined,
        ),
      };
    }
    const index = Number(/"value":\s*"(\d+):/.exec(text)?.[1] ?? 0);
    switch (statuses.at(-1)) {
      case 404:
        return { refused: "missing", index };
      case 409:
        return { refused: "exists", index };
      case 412:
        return { refused: "notMet", index };
      default:
        return unexpected(timed);
    }
  }

  #record(
    partition: string,
    client: number,
    input: RegisterInput,
    { start, end }: Timed,
    output: RegisterOutput | undefined,
  ): void {
    const history = this.#histories.get(partition) ?? [];
    this.#histories.set(partition, history);
    history.push({ client, start, end, input, output });
  }

  async finish(client: Recorder): Promise<void> {
    for (let partition = 0; partition < PARTITIONS; partition++)
      await this.#query(client, -1, `p${partition}`);
  }

  judge(): { readonly operations: number; readonly fault: string | undefined } {
    return judgeRegisters("partition", this.#histories);
  }
}

export function batchOf(table: string, partition: string, changes: readonly Change[]): PlainRequest {
  const lines = ["--batch_b", "Content-Type: multipart/mixed; boundary=changeset_c", ""];
  for (const change of changes) {
    const { key, condition } = change;
    const isInsert = condition !== undefined && "ifNoneMatch" in condition;
    const method = change.kind === "delete" ? "DELETE" : isInsert ? "POST" : "PUT";
    const entity = isInsert ? "" : `(PartitionKey='${partition}',RowKey='${key}')`;
    lines.push(
      "--changeset_c",
      "Content-Type: application/http",
      "Content-Transfer-Encoding: binary",
      "",
      `${method} http://127.0.0.1/devstoreaccount1/${table}${entity} HTTP/1.1`,
      "Accept: application/json;odata=minimalmetadata",
      "Prefer: return-no-content",
    );
    if (condition !== undefined && "ifMatch" in condition) lines.push(`If-Match: ${condition.ifMatch}`);
    if (change.kind === "put") {
      const entityBody = JSON.stringify({ PartitionKey: partition, RowKey: key, V: change.value });
      lines.push("Content-Type: application/json", "", entityBody);
    } else lines.push("", "");
  }
  lines.push("--changeset_c--", "--batch_b--", "");
  return {
    method: "POST",
    path: "/$batch",
    headers: { "Content-Type": "multipart/mixed; boundary=batch_b" },
    body: Buffer.from(lines.join("\r\n")),
  };
}
