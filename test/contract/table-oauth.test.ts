import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { TableClient } from "@azure/data-tables";
import { transmit } from "../kit/send.ts";
import { startTestServer } from "../kit/server.ts";
import { tokenOf } from "../support/tokens.ts";

const file = (name: string): string => fileURLToPath(new URL(`../kit/certificates/${name}`, import.meta.url));

const VERSION = "2026-04-06";

test("a bearer token works a table, and its user delegation key signs a SAS for it", async () => {
  const flags = ["--cert", file("cert.pem"), "--key", file("key.pem"), "--oauth", "basic"];
  const server = await startTestServer({ flags });
  try {
    const seconds = Math.floor(Date.now() / 1_000);
    const token = tokenOf({ nbf: seconds - 60, exp: seconds + 3_600 });
    const credential = { getToken: async () => ({ token, expiresOnTimestamp: Date.now() + 3_600_000 }) };
    const url = `${server.endpoints.table}/${server.account}`;
    const tlsOptions = { ca: readFileSync(file("cert.pem"), "utf8"), rejectUnauthorized: false };
    const table = new TableClient(url, "tokens", credential, { tlsOptions });
    await table.createTable();
    await table.createEntity({ partitionKey: "p", rowKey: "r", text: "by token" });

    const headers = { Authorization: `Bearer ${token}`, "x-ms-version": VERSION };
    const at = (offset: number): string => new Date((seconds + offset) * 1_000).toISOString().slice(0, 19);
    const [start, expiry] = [`${at(-60)}Z`, `${at(3_600)}Z`];
    const body = Buffer.from(`<KeyInfo><Start>${start}</Start><Expiry>${expiry}</Expiry></KeyInfo>`);
    const reply = await transmit(server.endpoints.table, {
      method: "POST",
      target: `/${server.account}/?restype=service&comp=userdelegationkey`,
      headers: { ...headers, "Content-Length": String(body.length) },
      body,
    });
    assert.equal(reply.status, 200);
    const key = reply.bytes.toString();
    const field = (name: string): string => new RegExp(`<${name}>(.*)</${name}>`).exec(key)![1]!;
    assert.equal(field("SignedService"), "t");

    const signed = {
      sp: "r",
      st: start,
      se: expiry,
      cr: `/table/${server.account}/tokens`,
      skoid: field("SignedOid"),
      sktid: field("SignedTid"),
      skt: field("SignedStart"),
      ske: field("SignedExpiry"),
      sks: "t",
      skv: field("SignedVersion"),
      skdutid: "",
      sduoid: "",
      sip: "",
      spr: "",
      sv: VERSION,
      spk: "",
      srk: "",
      epk: "",
      erk: "",
    };
    const text = Object.values(signed).join("\n");
    const sig = createHmac("sha256", Buffer.from(field("Value"), "base64"))
      .update(text)
      .digest("base64");
    const { cr: _, ...sent } = signed;
    const query = new URLSearchParams(
      Object.entries({ ...sent, tn: "tokens", sig }).filter(([, v]) => v !== ""),
    );
    const ask = (method: string) =>
      transmit(server.endpoints.table, {
        method,
        target: `/${server.account}/tokens(PartitionKey='p',RowKey='r')?${query}`,
        headers: { Accept: "application/json;odata=nometadata", "x-ms-version": VERSION },
        body: undefined,
      });
    const read = await ask("GET");
    assert.equal(JSON.parse(read.bytes.toString()).text, "by token");
    assert.equal((await ask("DELETE")).code, "AuthorizationPermissionMismatch");
  } finally {
    await server.close();
  }
});
