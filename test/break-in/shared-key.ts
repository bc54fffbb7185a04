import { createHash, createHmac } from "node:crypto";
import { ACCOUNT, KEY } from "../../bench/sign.ts";
import type { Fixture, Service } from "./fixture.ts";
import { type Ledger, oneOff, type Sent, send } from "./ledger.ts";

/** Requests signed with the account key that somebody saw on the wire and sends again, changed. */
const READS: Readonly<
  Record<Service, { readonly path: string; readonly query?: Readonly<Record<string, string>> }>
> = {
  blob: { path: "/vault/granted" },
  queue: { path: "/queue-a", query: { comp: "metadata" } },
  table: { path: "/tablea(PartitionKey='m',RowKey='m')" },
  file: { path: "/share-a/granted" },
};

function lite(fixture: Fixture, service: Service): Sent {
  const date = new Date().toUTCString();
  const { path, query = {} } = READS[service];
  const comp = query.comp === undefined ? "" : `?comp=${query.comp}`;
  const resource = `/${ACCOUNT}/${ACCOUNT}${path}${comp}`;
  const version = "2022-11-02";
  const text =
    service === "table"
      ? `${date}\n${resource}`
      : `GET\n\n\n\nx-ms-date:${date}\nx-ms-version:${version}\n${resource}`;
  const signature = createHmac("sha256", KEY).update(text).digest("base64");
  const headers = {
    "x-ms-date": date,
    "x-ms-version": version,
    Authorization: `SharedKeyLite ${ACCOUNT}:${signature}`,
  };
  return fixture.bare(service, "GET", `${path}${comp}`, { headers });
}

const withHeader = (sent: Sent, name: string, value: string | undefined): Sent => {
  const headers = { ...sent.headers };
  for (const key of Object.keys(headers)) if (key.toLowerCase() === name.toLowerCase()) delete headers[key];
  return { ...sent, headers: value === undefined ? headers : { ...headers, [name]: value } };
};

export async function breakInBySharedKey(fixture: Fixture, ledger: Ledger): Promise<void> {
  for (const service of ["blob", "queue", "table", "file"] as const) {
    const full = fixture.signed({ service, method: "GET", ...READS[service] });
    for (const [scheme, good] of [
      ["Shared Key", full],
      ["Shared Key Lite", lite(fixture, service)],
    ] as const) {
      const name = `${scheme}, ${service}`;
      await ledger.good(name, good);
      const given = good.headers!.Authorization!;
      const colon = given.indexOf(":") + 1;
      const signature = given.slice(colon);
      const spoiled = [
        ...oneOff(signature),
        "",
        signature.slice(0, -1),
        `${signature}=`,
        signature.toLowerCase(),
        "AAAA",
      ];
      const authorizations = spoiled.map((changed) => given.slice(0, colon) + changed);
      authorizations.push(
        given.replace(ACCOUNT, "devstoreaccount2"),
        given.replace(ACCOUNT, ""),
        given.replace(/^SharedKey(Lite)? /, "Basic "),
        given.replace(/^SharedKey(Lite)? /, "SharedKeyX "),
        scheme === "Shared Key"
          ? given.replace("SharedKey ", "SharedKeyLite ")
          : given.replace("SharedKeyLite ", "SharedKey "),
        `${given}, ${given}`,
        "SharedKey",
        "SharedKey :",
        `SharedKey ${ACCOUNT}`,
      );
      await ledger.tryAll(
        `${name}, a changed signature`,
        authorizations.map((value) => withHeader(good, "Authorization", value)),
      );
      const other = service === "table" ? "PUT" : "DELETE";
      // A Lite signature of a table does not cover the method: the protocol has it so.
      const methods =
        service === "table" && scheme === "Shared Key Lite" ? [] : [other, "PUT", "POST", "HEAD"];
      await ledger.tryAll(
        `${name}, another method`,
        methods.map((method) => ({ ...good, method })),
      );
      const [path, query = ""] = good.target.split("?");
      const targets = [
        `${path}x?${query}`,
        `${path}/x?${query}`,
        `${good.target.replace(ACCOUNT, "devstoreaccount2")}`,
        `${path}?comp=acl`,
        `${path}?comp=acl&comp=metadata`,
        `${good.target.replace("granted", "secret").replace("queue-a", "queue-b").replace("'m'", "'a'")}`,
      ];
      if (scheme === "Shared Key" && service !== "table")
        targets.push(
          `${good.target}${query === "" ? "?" : "&"}snapshot=2026-01-01`,
          `${good.target}${query === "" ? "?" : "&"}prefix=a`,
        );
      await ledger.tryAll(
        `${name}, another target`,
        targets.map((target) => ({ ...good, target })),
      );
      // Before the date of the change, so that nothing but the header differs.
      const stale = new Date(Date.now() - 20 * 60_000).toUTCString();
      const changes: Sent[] = [
        withHeader(good, "x-ms-date", stale),
        withHeader(good, "x-ms-date", undefined),
        withHeader(good, "x-ms-date", "yesterday"),
        withHeader(withHeader(good, "x-ms-date", undefined), "Date", stale),
      ];
      if (service !== "table") {
        changes.push(
          withHeader(good, "x-ms-version", "2020-02-10"),
          withHeader(good, "x-ms-meta-more", "1"),
          withHeader(good, "x-ms-lease-id", "11111111-1111-4111-8111-111111111111"),
          withHeader(good, "Content-Type", "text/plain"),
          withHeader(good, "Content-MD5", "1B2M2Y8AsgTpgAmY7PhCfg=="),
        );
        if (scheme === "Shared Key")
          changes.push(
            withHeader(good, "Range", "bytes=0-1"),
            withHeader(good, "If-Match", "*"),
            withHeader(good, "If-None-Match", "*"),
            withHeader(good, "If-Modified-Since", stale),
            withHeader(good, "Content-Encoding", "gzip"),
            withHeader(good, "Content-Language", "de"),
          );
      }
      await ledger.tryAll(`${name}, another header`, changes);
      // Recorded and sent again twenty minutes later.
      fixture.server.clock.advance(20 * 60_000);
      await ledger.attempt(`${name}, replayed later`, good);
      fixture.server.clock.advance(-40 * 60_000);
      await ledger.attempt(`${name}, replayed from the future`, good);
      fixture.server.clock.advance(20 * 60_000);
    }
  }
  await breakInByBody(fixture, ledger);
}

/** A write whose body is exchanged: with a digest in the signed headers it cannot be, nor can its length. */
async function breakInByBody(fixture: Fixture, ledger: Ledger): Promise<void> {
  const body = Buffer.from("honest");
  const digest = { "x-ms-blob-type": "BlockBlob", "Content-MD5": md5(body) };
  const put = fixture.signed({
    service: "blob",
    method: "PUT",
    path: "/vault/written",
    headers: digest,
    body,
  });
  await ledger.good("Shared Key, a write", put);
  const answer = await send({ ...put, body: "forged" });
  ledger.count("Shared Key, a body of the same length", answer.status < 400, `${answer.status}`);
  const longer = await send({ ...put, body: "forged and longer" });
  ledger.count("Shared Key, a longer body", longer.status < 400, `${longer.status}`);
}

const md5 = (body: Buffer): string => createHash("md5").update(body).digest("base64");
