import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { TableClient } from "@azure/data-tables";
import { tlsOptions } from "../kit/certificates.ts";
import { startOauthServer } from "../kit/oauth.ts";
import { transmit } from "../kit/send.ts";

const VERSION = "2026-04-06";

test("a bearer token works a table, and its user delegation key signs a SAS for it", async () => {
  const kit = await startOauthServer();
  const { server, token, credential, startsOn, expiresOn } = kit;
  try {
    const url = kit.url("table");
    const table = new TableClient(url, "tokens", credential, { tlsOptions });
    await table.createTable();
    await table.createEntity({ partitionKey: "p", rowKey: "r", text: "by token" });

    const headers = { Authorization: `Bearer ${token}`, "x-ms-version": VERSION };
    const secondOf = (time: Date): string => `${time.toISOString().slice(0, 19)}Z`;
    const [start, expiry] = [secondOf(startsOn), secondOf(expiresOn)];
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
