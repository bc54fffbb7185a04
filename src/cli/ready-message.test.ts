import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultAccounts, parseAccountsVariable } from "../services/account/account-list.ts";
import { printListening, printReadyJson, printReadyText, type ReadyInfo } from "./ready-message.ts";

const at = (port: number, host = "127.0.0.1") => ({ host, port, configuredPort: port });
const info: ReadyInfo = {
  version: "1.2.3",
  pid: 42,
  workers: 2,
  dataDirectory: "/var/lib/holdfast",
  isSecure: false,
  addresses: { blob: at(1), queue: at(2), table: at(3), file: at(4), smb: at(5), admin: at(6) },
  accounts: defaultAccounts().accounts,
  warnings: [],
};
const CONNECTION =
  "DefaultEndpointsProtocol=http;AccountName=devstoreaccount1;AccountKey=Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6" +
  "IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==;BlobEndpoint=http://127.0.0.1:1/devstoreaccount1;QueueEndpoint=http://" +
  "127.0.0.1:2/devstoreaccount1;TableEndpoint=http://127.0.0.1:3/devstoreaccount1;FileEndpoint=http://127.0.0.1:4/" +
  "devstoreaccount1;";

test("the message for people shows where everything is", () => {
  const text = printReadyText(info);
  for (const part of [
    "Holdfast 1.2.3 is ready.",
    "  blob      http://127.0.0.1:1/devstoreaccount1",
    "  smb       smb://127.0.0.1:5",
    "  admin     http://127.0.0.1:6  (/healthz, /readyz, /metrics)",
    "  data      /var/lib/holdfast",
    "  workers   2",
    CONNECTION,
  ])
    assert.ok(text.includes(part), `${part}\n---\n${text}`);
  assert.doesNotMatch(text, /Warning/);
});

test("the line for programs is one line with real ports", () => {
  const line = printReadyJson(info);
  assert.equal(line.indexOf("\n"), line.length - 1);
  assert.deepEqual(JSON.parse(line), {
    ready: true,
    version: "1.2.3",
    pid: 42,
    workers: 2,
    dataDirectory: "/var/lib/holdfast",
    endpoints: {
      blob: "http://127.0.0.1:1",
      queue: "http://127.0.0.1:2",
      table: "http://127.0.0.1:3",
      file: "http://127.0.0.1:4",
      smb: "smb://127.0.0.1:5",
      admin: "http://127.0.0.1:6",
    },
    ports: { blob: 1, queue: 2, table: 3, file: 4, smb: 5, admin: 6 },
    account: "devstoreaccount1",
    connectionString: CONNECTION,
    warnings: [],
  });
});

test("a wildcard address is shown as one a client can use, with a warning about the public key", () => {
  const addresses = {
    blob: at(1, "0.0.0.0"),
    queue: at(2, "::"),
    table: at(3, "::1"),
    file: at(4, "box.example"),
    smb: at(5),
    admin: at(6),
  };
  const open = { ...info, isSecure: true, dataDirectory: undefined, addresses, warnings: ["mind this"] };
  const { endpoints, dataDirectory, warnings } = JSON.parse(printReadyJson(open));
  assert.deepEqual(endpoints, {
    blob: "https://127.0.0.1:1",
    queue: "https://[::1]:2",
    table: "https://[::1]:3",
    file: "https://box.example:4",
    smb: "smb://127.0.0.1:5",
    admin: "http://127.0.0.1:6",
  });
  assert.equal(dataDirectory, null);
  assert.equal(warnings[0], "mind this");
  assert.match(warnings[1], /^listening on 0\.0\.0\.0, ::, box\.example with the public key/);
  const text = printReadyText(open);
  assert.match(text, /^Warning: mind this$/m);
  assert.match(text, /in memory, lost when this process ends/);
});

test("an admin listener that other machines reach is warned about, a loopback one is not", () => {
  const own = parseAccountsVariable("V", `mine:${Buffer.from("a key").toString("base64")}`).accounts;
  const { addresses } = info;
  const open = { ...addresses, blob: at(1, "0.0.0.0"), queue: at(2, "0.0.0.0") };
  const warnings = (some: Partial<ReadyInfo>): string[] =>
    JSON.parse(printReadyJson({ ...info, accounts: own, ...some })).warnings;
  assert.deepEqual(warnings({ addresses: open }), []);
  const [warning, ...more] = warnings({ addresses: { ...addresses, admin: at(6, "0.0.0.0") } });
  assert.match(warning!, /^health and metrics listen on 0\.0\.0\.0 without a login/);
  assert.deepEqual(more, []);
});

test("a key of the operator's own is never printed", () => {
  const key = Buffer.from("a key of our own").toString("base64");
  const own = { ...info, accounts: parseAccountsVariable("V", `mine:${key}`).accounts };
  for (const text of [printReadyText(own), printReadyJson(own)]) {
    assert.ok(!text.includes(key));
    assert.match(text, /AccountKey=<key>;BlobEndpoint=http:\/\/127\.0\.0\.1:1\/mine;/);
  }
});

test("the lines of a start are Azurite's, with the host and the port as they were given", () => {
  const lines = (some: Partial<ReadyInfo>) => printListening({ ...info, ...some });
  const addresses = { ...info.addresses, blob: at(1, "0.0.0.0"), queue: { ...at(2), configuredPort: 0 } };
  assert.equal(
    lines({ addresses: { ...addresses, table: at(3, "::1") } }),
    "Azurite Blob service is starting at http://0.0.0.0:1\n" +
      "Azurite Blob service is successfully listening at http://0.0.0.0:1\n" +
      "Azurite Queue service is starting at http://127.0.0.1:0\n" +
      "Azurite Queue service is successfully listening at http://127.0.0.1:2\n" +
      "Azurite Table service is starting at http://[::1]:3\n" +
      "Azurite Table service is successfully listening at http://[::1]:3\n",
  );
  assert.match(lines({ isSecure: true }), /listening at https:/);
  assert.equal(
    lines({ only: "blob", addresses }),
    "Azurite Blob service is starting on 0.0.0.0:1\n" +
      "Azurite Blob service successfully listens on http://0.0.0.0:1\n",
  );
  assert.equal(
    lines({ only: "queue", addresses }),
    "Azurite Queue service is starting on 127.0.0.1:0\n" +
      "Azurite Queue service successfully listens on http://127.0.0.1:2\n",
  );
  assert.equal(
    lines({ only: "table" }),
    "Azurite Table service is starting on 127.0.0.1:3\n" +
      "Azurite Table service successfully started on 127.0.0.1:3\n",
  );
});

test("the message reports a listener that moved because its default port is in use", () => {
  const moved = { ...info, addresses: { ...info.addresses, file: { ...at(4), configuredPort: 10_003 } } };
  assert.match(
    printReadyText(moved),
    /Warning: port 10003 is in use; the File service moved to 4 \(set --filePort to pin it\)/,
  );
});
