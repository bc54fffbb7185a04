import { NTLM_FLAG } from "../../src/smb/crypto/ntlmssp.ts";
import { COMMAND, FLAG, SIGNATURE_AT } from "../../src/smb/wire/header.ts";
import { encodeValidateNegotiate, ioctlRequest } from "../../src/smb/wire/ioctl.ts";
import { emptyBody } from "../../src/smb/wire/session-setup.ts";
import { encodeSmb1Negotiate } from "../../src/smb/wire/smb1-negotiate.ts";
import { STATUS } from "../../src/smb/wire/status.ts";
import { utf16 } from "../../src/smb/wire/text.ts";
import { treeConnectRequest } from "../../src/smb/wire/tree-connect.ts";
import { ntlmNegotiate, SmbClient, type SmbClientOptions } from "../kit/smb-client.ts";
import { SMB_ACCOUNT, SMB_PASSWORD, type SmbTestServer, startSmbServer } from "../kit/smb-server.ts";
import type { Ledger } from "./ledger.ts";

/** The same over SMB: logins without a password, signatures left out or changed, dialects talked down. */
const GOOD = { user: SMB_ACCOUNT, password: SMB_PASSWORD };
const DIALECTS = [0x0210, 0x0300, 0x0302, 0x0311];

/** The wait after a failed login is for guessers with time; here it would only make the proof long. */
const AT_ONCE = {
  after: (delay: number, run: () => void) => {
    const handle = setTimeout(run, Math.min(delay, 1));
    return { cancel: () => clearTimeout(handle) };
  },
  every: (interval: number, run: () => void) => {
    const handle = setInterval(run, interval);
    handle.unref();
    return { cancel: () => clearInterval(handle) };
  },
};

async function greeted(options: SmbClientOptions): Promise<SmbClient> {
  const client = new SmbClient(options);
  const status = await client.negotiate();
  if (status !== STATUS.SUCCESS) throw new Error(`NEGOTIATE: 0x${status.toString(16)}`);
  return client;
}

async function inside(ledger: Ledger, options: SmbClientOptions): Promise<SmbClient> {
  const client = await greeted(options);
  const login = await client.login(GOOD);
  if (login !== STATUS.SUCCESS) throw new Error(`the honest login got 0x${login?.toString(16)}`);
  const tree = await client.tree("work");
  if (tree !== STATUS.SUCCESS) throw new Error(`the honest tree connect got 0x${tree?.toString(16)}`);
  ledger.live++;
  return client;
}

const treeBody = (): Buffer => treeConnectRequest.encode({ flags: 0, path: utf16("\\\\127.0.0.1\\work") });

/** Accepted is what was answered with success. */
const isIn = (status: number | undefined): boolean => status === STATUS.SUCCESS;

export async function breakInBySmb(ledger: Ledger): Promise<void> {
  const smb = await startSmbServer({ timers: AT_ONCE });
  const sealed = await startSmbServer({ timers: AT_ONCE, encryption: "required" });
  try {
    for (const dialect of DIALECTS) {
      const options = { port: smb.port, dialects: [dialect] };
      const label = `SMB ${(dialect >> 8).toString(16)}.${((dialect >> 4) & 15).toString(16)}${(dialect & 15).toString(16)}`;
      await breakLogin(ledger, options, label);
      await breakSigning(ledger, options, label);
    }
    for (const signings of [[0], [1], [2]])
      await breakSigning(
        ledger,
        { port: smb.port, dialects: [0x311], signings },
        `SMB 3.1.1, signing ${signings[0]}`,
      );
    await breakNegotiation(ledger, smb);
    await breakEncryption(ledger, sealed);
  } finally {
    await smb.close();
    await sealed.close();
  }
}

async function breakLogin(ledger: Ledger, options: SmbClientOptions, label: string): Promise<void> {
  (await inside(ledger, options)).close();
  const attempt = async (what: string, credentials: Parameters<SmbClient["login"]>[0]): Promise<void> => {
    const client = await greeted(options);
    ledger.count(`${label}, ${what}`, isIn(await client.login(credentials)), credentials.user);
    client.close();
  };
  for (const user of [
    "guest",
    "Guest",
    "",
    "administrator",
    "anonymous",
    `${SMB_ACCOUNT}x`,
    `x\\${SMB_ACCOUNT}x`,
  ])
    for (const password of ["", SMB_PASSWORD, "guest"]) await attempt("another user", { user, password });
  for (const password of ["", SMB_PASSWORD.slice(1), SMB_PASSWORD.toLowerCase(), `${SMB_PASSWORD} `])
    await attempt("another password", { user: SMB_ACCOUNT, password });
  const proofAt = 88;
  for (let byte = 0; byte < 16; byte++)
    await attempt("one byte of the proof", { ...GOOD, spoil: (message) => flipped(message, proofAt + byte) });
  for (let byte = 0; byte < 16; byte++)
    await attempt("one byte of the MIC", { ...GOOD, spoil: (message) => flipped(message, 72 + byte) });
  for (const byte of [16, 24, 32, 36, 44, 46])
    await attempt("one byte of the response", {
      ...GOOD,
      spoil: (message) => flipped(message, proofAt + byte),
    });
  await attempt("anonymous by its flag", {
    ...GOOD,
    spoil: (message) => {
      message.writeUInt32LE((message.readUInt32LE(60) | NTLM_FLAG.ANONYMOUS) >>> 0, 60);
      return message;
    },
  });
  for (const length of [0, 1, 24])
    await attempt(`a response of ${length} bytes`, {
      ...GOOD,
      spoil: (message) => {
        message.writeUInt16LE(length, 20);
        return message;
      },
    });
  // The whole exchange of an earlier login, sent again: its proof is for another challenge.
  let recorded = Buffer.alloc(0);
  const first = await greeted(options);
  await first.login({ ...GOOD, spoil: (message) => (recorded = Buffer.from(message)) });
  first.close();
  await attempt("a recorded login", { ...GOOD, spoil: () => recorded });
  const skipped = await greeted(options);
  ledger.count(
    `${label}, the second step first`,
    isIn(await skipped.statusOf(COMMAND.SESSION_SETUP, skipped.setupBody(recorded))),
    "",
  );
  skipped.close();
}

const flipped = (message: Buffer, at: number): Buffer => {
  message[at]! ^= 1;
  return message;
};

async function breakSigning(ledger: Ledger, options: SmbClientOptions, label: string): Promise<void> {
  const client = await inside(ledger, options);
  const ask = async (what: string, pdu: Buffer): Promise<void> => {
    client.send(pdu);
    ledger.count(`${label}, ${what}`, isIn((await client.reply())?.header.status), what);
  };
  await ask("stripped signing", client.pdu(COMMAND.TREE_CONNECT, treeBody(), { flags: 0, treeId: 0 }));
  await ask(
    "an empty signature",
    client.pdu(COMMAND.TREE_CONNECT, treeBody(), { flags: FLAG.SIGNED, treeId: 0 }),
  );
  for (let byte = 0; byte < 16; byte++)
    await ask(
      "one byte of the signature",
      flipped(client.pdu(COMMAND.TREE_CONNECT, treeBody()), SIGNATURE_AT + byte),
    );
  for (const at of [12, 36, 40, 66, 76]) {
    const pdu = client.pdu(COMMAND.TREE_CONNECT, treeBody());
    await ask("one byte of what is signed", flipped(pdu, at));
  }
  await ask(
    "another command under the signature",
    (() => {
      const pdu = client.pdu(COMMAND.ECHO, emptyBody.encode({}));
      pdu.writeUInt16LE(COMMAND.LOGOFF, 12);
      return pdu;
    })(),
  );
  // A session of somebody else: its id is no secret, its key is.
  const other = await inside(ledger, options);
  await ask(
    "the session of another connection",
    client.pdu(COMMAND.TREE_CONNECT, treeBody(), { sessionId: other.sessionId }),
  );
  const thief = await greeted(options);
  thief.sessionId = client.sessionId;
  ledger.count(
    `${label}, a session without a login`,
    isIn(await thief.statusOf(COMMAND.TREE_CONNECT, treeBody())),
    "",
  );
  thief.close();
  const mixed = await inside(ledger, options);
  const pdu = other.pdu(COMMAND.TREE_CONNECT, treeBody(), {
    messageId: 6n,
    sessionId: mixed.sessionId,
    flags: FLAG.SIGNED,
  });
  mixed.send(other.sign(pdu));
  ledger.count(`${label}, signed by another session`, isIn((await mixed.reply())?.header.status), "");
  mixed.close();
  // A new login on a session needs the session's own signature.
  const setup = client.pdu(COMMAND.SESSION_SETUP, client.setupBody(ntlmNegotiate()), { flags: 0 });
  await ask("a new login on somebody's session", setup);
  const replayed = other.pdu(COMMAND.ECHO, emptyBody.encode({}));
  other.send(replayed);
  if (!isIn((await other.reply())?.header.status)) throw new Error("the honest echo was refused");
  other.send(replayed);
  ledger.count(`${label}, a message sent twice`, isIn((await other.reply())?.header.status), "");
  other.close();
  client.close();
}

async function breakNegotiation(ledger: Ledger, smb: SmbTestServer): Promise<void> {
  for (const dialects of [[0x0202], [0x0100], [0xffff], [0x02ff], [0]]) {
    const client = new SmbClient({ port: smb.port, dialects });
    ledger.count("a dialect of long ago", isIn(await client.negotiate()), `0x${dialects[0]!.toString(16)}`);
    client.close();
  }
  for (const names of [["NT LM 0.12"], ["SMB 2.002"], ["LANMAN1.0", "NT LM 0.12"]]) {
    const client = new SmbClient({ port: smb.port });
    client.send(encodeSmb1Negotiate(names));
    ledger.count("SMB1", (await client.next()) !== undefined, names.join());
    client.close();
  }
  // Somebody between took the better dialects out: the client's own list, sent signed, gives it away.
  const said = { capabilities: 0x7f, guid: Buffer.alloc(16, 9), securityMode: 1 };
  const validate = async (
    client: SmbClient,
    dialects: readonly number[],
    change: Partial<typeof said> = {},
  ) =>
    client.statusOf(
      COMMAND.IOCTL,
      ioctlRequest.encode({
        ctlCode: 0x0014_0204,
        fileId: { persistent: 2n ** 64n - 1n, volatile: 2n ** 64n - 1n },
        maxInputResponse: 0,
        maxOutputResponse: 24,
        flags: 1,
        input: encodeValidateNegotiate({ ...said, ...change, dialects }),
        output: Buffer.alloc(0),
      }),
    );
  for (const dialect of [0x0210, 0x0300, 0x0302]) {
    const honest = await inside(ledger, { port: smb.port, dialects: [dialect] });
    if (!isIn(await validate(honest, [dialect]))) throw new Error("the honest validation was refused");
    honest.close();
    const attempts = [
      { dialects: [0x0210, 0x0300, 0x0302, 0x0311], change: {} },
      { dialects: [dialect], change: { securityMode: 3 } },
      { dialects: [dialect], change: { capabilities: 0x3f } },
      { dialects: [dialect], change: { guid: Buffer.alloc(16, 8) } },
      { dialects: [], change: {} },
    ];
    for (const { dialects, change } of attempts) {
      const client = await inside(ledger, { port: smb.port, dialects: [dialect] });
      ledger.count(
        "a dialect talked down",
        isIn(await validate(client, dialects, change)),
        `0x${dialect.toString(16)}`,
      );
      client.close();
    }
  }
}

async function breakEncryption(ledger: Ledger, smb: SmbTestServer): Promise<void> {
  for (const cipher of [1, 2, 3, 4]) {
    const options = { port: smb.port, dialects: [0x311], ciphers: [cipher] };
    const enter = async (): Promise<SmbClient> => {
      const client = await greeted(options);
      if (!isIn(await client.login(GOOD))) throw new Error("the honest login was refused");
      return client;
    };
    const seal = (client: SmbClient): Buffer =>
      Buffer.concat(
        client.sealer!.encrypt(client.sessionId, [
          client.pdu(COMMAND.TREE_CONNECT, treeBody(), { flags: 0, treeId: 0 }),
        ]),
      );
    const honest = await enter();
    honest.send(seal(honest));
    if (!isIn((await honest.reply())?.header.status))
      throw new Error("the honest sealed message was refused");
    ledger.live++;
    honest.close();
    const plain = await enter();
    ledger.count(`cipher ${cipher}, without encryption`, isIn(await plain.tree("work")), "");
    plain.close();
    for (const at of [4, 12, 19, 20, 28, 36, 40, 42, 44, 48, 60, 100]) {
      const client = await enter();
      client.send(flipped(seal(client), at));
      ledger.count(
        `cipher ${cipher}, one byte of a sealed message`,
        isIn((await client.reply())?.header.status),
        String(at),
      );
      client.close();
    }
  }
  const bare = new SmbClient({ port: smb.port, dialects: [0x311], ciphers: [] });
  const status = await bare.negotiate();
  ledger.count("no cipher where one is required", isIn(status) && isIn(await bare.login(GOOD)), "");
  bare.close();
  const old = new SmbClient({ port: smb.port, dialects: [0x210] });
  await old.negotiate();
  ledger.count("2.1 where encryption is required", isIn(await old.login(GOOD)), "");
  old.close();
}
