import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import fc from "fast-check";
import { seedOfThisRun } from "../../../test/support/seed.ts";
import { MIB } from "../../base/limits.ts";
import { decodeHeader, SIGNATURE_AT } from "../wire/header.ts";
import { decodeNegotiateRequest, decodeNegotiateResponse } from "../wire/negotiate.ts";
import { sessionSetupRequest, sessionSetupResponse } from "../wire/session-setup.ts";
import { ProtocolError, StatusError } from "../wire/status.ts";
import { CIPHER, cipherKeyBytes, MessageCipher } from "./encryption.ts";
import { Login } from "./login.ts";
import { md4 } from "./md4.ts";
import {
  exportedSessionKey,
  mechListMic,
  messagesMic,
  ntHash,
  ntowfv2,
  ntProof,
  sessionBaseKey,
} from "./ntlm-proof.ts";
import { decodeNtlmAuthenticate, hasMic } from "./ntlmssp.ts";
import { PREAUTH_START, preauthAfter } from "./preauth.ts";
import { rc4 } from "./rc4.ts";
import { deriveSessionKeys } from "./session-keys.ts";
import { isSignatureValid, SIGNING, signerOf } from "./signing.ts";
import { decodeClientToken, encodeClientInit, encodeServerToken, serverHint } from "./spnego.ts";

interface Case {
  readonly dialect: string;
  readonly cipherId: number;
  readonly signing: "HMAC-SHA256" | "AES-128-CMAC" | "AES-128-GMAC";
  readonly negReq: string;
  readonly negRsp: string;
  readonly sessionSetup: readonly string[];
  readonly preauthHash?: string;
  readonly ntlm: Readonly<Record<string, string>>;
  readonly keys: {
    readonly sign: string;
    readonly c2s?: string;
    readonly s2c?: string;
    readonly app?: string;
  };
  readonly sessRsp: string;
  readonly signed?: { readonly dir: string; readonly pdu: string };
  readonly transform?: { readonly dir: string; readonly wire: string; readonly plain: string };
}

const vectors = new URL("../../../test/kit/smb-logins.json", import.meta.url);
const { cases } = JSON.parse(readFileSync(vectors, "utf8")) as { cases: Record<string, Case> };
const hex = (text: string): Buffer => Buffer.from(text, "hex");
const ALGORITHMS = {
  "HMAC-SHA256": SIGNING.HMAC_SHA256,
  "AES-128-CMAC": SIGNING.AES_CMAC,
  "AES-128-GMAC": SIGNING.AES_GMAC,
};

test("there are nine captured logins", () => assert.equal(Object.keys(cases).length, 9));

for (const [name, login] of Object.entries(cases)) {
  const { ntlm, keys } = login;
  const dialect = Number(login.dialect);

  test(`${name}: NTLMv2 comes out value by value`, () => {
    const hash = ntHash(ntlm.password!);
    assert.equal(hash.toString("hex"), ntlm.ntHash);
    const owf = ntowfv2(hash, ntlm.user!, ntlm.domain!);
    assert.equal(owf.toString("hex"), ntlm.ntowfv2);
    const message = decodeNtlmAuthenticate(hex(ntlm.authenticate!));
    assert.equal(message.user, ntlm.user);
    assert.equal(message.domain, ntlm.domain);
    assert.equal(message.flags, Number(ntlm.flags));
    const blob = message.ntResponse.subarray(16);
    const challenge = hex(ntlm.challenge!);
    const proof = ntProof(owf, challenge.subarray(24, 32), blob);
    assert.equal(proof.toString("hex"), ntlm.ntProofStr);
    const base = sessionBaseKey(owf, proof);
    assert.equal(base.toString("hex"), ntlm.sessionBaseKey);
    const key = exportedSessionKey(base, message)!;
    assert.equal(key.toString("hex"), ntlm.exportedSessionKey);
    assert.ok(hasMic(blob));
    const mic = messagesMic(key, {
      negotiate: hex(ntlm.negotiate!),
      challenge,
      authenticate: hex(ntlm.authenticate!),
    });
    assert.equal(mic.toString("hex"), ntlm.mic);
    const list = hex(ntlm.mechTypeList!);
    assert.equal(mechListMic(key, "client", list).toString("hex"), ntlm.mechListMICClient);
    assert.equal(mechListMic(key, "server", list).toString("hex"), ntlm.mechListMICServer);
  });

  test(`${name}: the tokens of the captured messages are read`, () => {
    const first = decodeClientToken(sessionSetupRequest.decode(hex(login.sessionSetup[0]!)).token);
    assert.ok(first.kind === "init" && first.isNtlmPreferred);
    assert.equal(first.token!.toString("hex"), ntlm.negotiate);
    assert.equal(first.mechTypes.toString("hex"), ntlm.mechTypeList);
    const answer = sessionSetupResponse.decode(hex(login.sessionSetup[1]!)).token;
    const ours = encodeServerToken({ negState: 1, hasMech: true, token: hex(ntlm.challenge!) });
    assert.equal(ours.toString("hex"), answer.toString("hex"));
    const second = decodeClientToken(sessionSetupRequest.decode(hex(login.sessionSetup[2]!)).token);
    assert.ok(second.kind === "response");
    assert.equal(second.token!.toString("hex"), ntlm.authenticate);
    assert.equal(second.mechListMic!.toString("hex"), ntlm.mechListMICClient);
    const last = sessionSetupResponse.decode(hex(login.sessRsp)).token;
    const mic = hex(ntlm.mechListMICServer!);
    assert.equal(
      encodeServerToken({ negState: 0, hasMech: false, mechListMic: mic }).toString("hex"),
      last.toString("hex"),
    );
  });

  test(`${name}: keys, signatures and encryption come out value by value`, () => {
    assert.ok(decodeNegotiateRequest(hex(login.negReq)).dialects.includes(dialect));
    const response = decodeNegotiateResponse(hex(login.negRsp));
    assert.equal(response.dialect, dialect);
    assert.equal(serverHint().toString("hex"), response.token.toString("hex"));
    let preauthHash: Buffer | undefined;
    if (login.preauthHash !== undefined) {
      const messages = [login.negReq, login.negRsp, ...login.sessionSetup].map(hex);
      preauthHash = messages.reduce((running, message) => preauthAfter(running, message), PREAUTH_START);
      assert.equal(preauthHash.toString("hex"), login.preauthHash);
    }
    const derived = deriveSessionKeys({
      dialect,
      sessionKey: hex(ntlm.exportedSessionKey!),
      preauthHash,
      cipherKeyBytes: cipherKeyBytes(login.cipherId),
    });
    assert.equal(derived.signing.toString("hex"), keys.sign);
    assert.equal(derived.clientToServer?.toString("hex"), keys.c2s);
    assert.equal(derived.serverToClient?.toString("hex"), keys.s2c);
    assert.equal(derived.application?.toString("hex"), keys.app);

    const signer = signerOf(ALGORITHMS[login.signing], derived.signing);
    const check = (pdu: Buffer, isFromServer: boolean): void => {
      const { messageId } = decodeHeader(pdu);
      const message = { messageId, isFromServer, isCancel: false };
      assert.ok(isSignatureValid(signer, Buffer.from(pdu), message));
      const changed = Buffer.from(pdu);
      changed[pdu.length - 1]! ^= 1;
      assert.ok(!isSignatureValid(signer, changed, message));
      const zeroed = Buffer.from(pdu).fill(0, SIGNATURE_AT, SIGNATURE_AT + 16);
      const inParts = signer([zeroed.subarray(0, 64), zeroed.subarray(64, 71), zeroed.subarray(71)], message);
      assert.deepEqual(inParts, pdu.subarray(SIGNATURE_AT, SIGNATURE_AT + 16));
    };
    check(hex(login.sessRsp), true);
    if (login.signed !== undefined) check(hex(login.signed.pdu), login.signed.dir === "s");
    if (login.transform !== undefined) {
      const { dir, wire, plain } = login.transform;
      const key = dir === "c" ? derived.clientToServer! : derived.serverToClient!;
      assert.equal(new MessageCipher(login.cipherId, key).decrypt(hex(wire)).toString("hex"), plain);
    }
  });
}

test("MD4 and RC4 give the published values", () => {
  assert.equal(md4(Buffer.alloc(0)).toString("hex"), "31d6cfe0d16ae931b73c59d7e0c089c0");
  assert.equal(md4(Buffer.from("message digest")).toString("hex"), "d9130a8164549fe818874806e1c7014b");
  const digits = "1234567890".repeat(8);
  assert.equal(md4(Buffer.from(digits)).toString("hex"), "e33b4ddc9c38f2199c3e7b164fcc0536");
  assert.equal(rc4(Buffer.from("Key"), Buffer.from("Plaintext")).toString("hex"), "bbf316e8d940af0ad3");
});

test("CMAC gives the values of RFC 4493 for every length of the last block", () => {
  const signer = signerOf(SIGNING.AES_CMAC, hex("2b7e151628aed2a6abf7158809cf4f3c"));
  const text = hex(
    "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710",
  );
  const sign = (length: number): string =>
    signer([text.subarray(0, length)], { messageId: 0n, isFromServer: true, isCancel: false }).toString(
      "hex",
    );
  assert.equal(sign(0), "bb1d6929e95937287fa37d129b756746");
  assert.equal(sign(16), "070a16b46b4d4144f79bdd9dd04a287c");
  assert.equal(sign(40), "dfa66747de9ae63030ca32611497c827");
  assert.equal(sign(64), "51f0bebf7e3b9d92fc49741779363cfe");
});

test("each cipher decrypts what it encrypted, in one part or several, and nothing that was changed", () => {
  for (const cipher of Object.values(CIPHER)) {
    const key = Buffer.alloc(cipherKeyBytes(cipher), cipher);
    const parts = [Buffer.alloc(64, 1), Buffer.alloc(1_000, 2), Buffer.from("end")];
    const sealer = new MessageCipher(cipher, key);
    const sealed = Buffer.concat(sealer.encrypt(9n, parts));
    assert.notDeepEqual(Buffer.concat(sealer.encrypt(9n, parts)).subarray(20, 36), sealed.subarray(20, 36));
    assert.deepEqual(new MessageCipher(cipher, key).decrypt(sealed), Buffer.concat(parts));
    for (const at of [5, 25, 45, 60, sealed.length - 1]) {
      const changed = Buffer.from(sealed);
      changed[at]! ^= 0x10;
      assert.throws(() => new MessageCipher(cipher, key).decrypt(changed), ProtocolError, `byte ${at}`);
    }
  }
});

/** A client's AUTHENTICATE without MIC, made by hand. */
function authenticate(input: { user: string; domain: string; password: string; challenge: Buffer }): Buffer {
  const blob = Buffer.concat([Buffer.from("0101000000000000", "hex"), Buffer.alloc(24)]);
  const owf = ntowfv2(ntHash(input.password), input.user, input.domain);
  const response = Buffer.concat([ntProof(owf, input.challenge, blob), blob]);
  const texts = [Buffer.from(input.domain, "utf16le"), Buffer.from(input.user, "utf16le")];
  const head = Buffer.alloc(64);
  head.write("NTLMSSP\0", "latin1");
  head.writeUInt32LE(3, 8);
  let offset = 64;
  for (const [at, part] of [
    [20, response],
    [28, texts[0]!],
    [36, texts[1]!],
  ] as const) {
    head.writeUInt16LE(part.length, at);
    head.writeUInt32LE(offset, at + 4);
    offset += part.length;
  }
  head.writeUInt32LE(1, 60);
  return Buffer.concat([head, response, ...texts]);
}

const KEYS = ["first key", "second key"];
const NEGOTIATE = Buffer.concat([Buffer.from("NTLMSSP\0\x01\0\0\0", "latin1"), Buffer.alloc(20)]);
const serverChallenge = Buffer.from("0123456789abcdef", "hex");
const newLogin = (): Login =>
  new Login({
    accounts: { find: (name) => (name === "files1" ? { name, ntHashes: KEYS.map(ntHash) } : undefined) },
    serverName: "HOLDFAST",
    serverChallenge,
    now: 1n,
  });

test("either key of the account logs in, whatever the domain says", () => {
  for (const password of KEYS) {
    for (const user of ["files1", "FILES1", "AZURE\\files1", "files1@host.example"]) {
      const login = newLogin();
      assert.equal(login.step(encodeClientInit(NEGOTIATE)).kind, "continue");
      const token = authenticate({ user, domain: "any.Domain", password, challenge: serverChallenge });
      const done = login.step(token);
      assert.ok(done.kind === "done" && done.account === "files1" && done.sessionKey.length === 16);
    }
  }
});

test("a wrong key, an unknown user, NTLMv1, an anonymous user: all end in the same status", () => {
  const attempts = [
    authenticate({ user: "files1", domain: "", password: "wrong", challenge: serverChallenge }),
    authenticate({ user: "unknown", domain: "", password: KEYS[0]!, challenge: serverChallenge }),
    authenticate({ user: "", domain: "", password: "", challenge: serverChallenge }),
    authenticate({ user: "files1", domain: "", password: KEYS[0]!, challenge: Buffer.alloc(8) }),
  ];
  const v1 = Buffer.from(attempts[0]!);
  v1.writeUInt16LE(24, 20);
  for (const token of [...attempts, v1]) {
    const login = newLogin();
    login.step(NEGOTIATE);
    assert.throws(
      () => login.step(token),
      (error) => error instanceof StatusError && error.status === 0xc000_006d,
    );
  }
});

test("arbitrary tokens are refused and never more than that", () => {
  const options = { seed: seedOfThisRun(), numRuns: 300 };
  const tries = (run: () => unknown): void => {
    try {
      run();
    } catch (error) {
      assert.ok(error instanceof StatusError, String(error));
    }
  };
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.nat(40), (array, at) => {
      const bytes = Buffer.from(array);
      tries(() => newLogin().step(bytes));
      tries(() => decodeClientToken(bytes));
      tries(() => decodeNtlmAuthenticate(bytes));
      const mangled = encodeClientInit(NEGOTIATE);
      mangled.set(bytes.subarray(0, mangled.length - at), at);
      tries(() => newLogin().step(mangled));
      const login = newLogin();
      login.step(NEGOTIATE);
      tries(() => login.step(Buffer.concat([Buffer.from("NTLMSSP\0\x03\0\0\0", "latin1"), bytes])));
      hasMic(bytes);
    }),
    options,
  );
});

test("what is given away is sealed where it lies, and opens as what it was", () => {
  for (const cipher of Object.values(CIPHER)) {
    const key = Buffer.alloc(cipherKeyBytes(cipher), cipher);
    const parts = [Buffer.alloc(64, 1), Buffer.alloc(200_000, 2), Buffer.alloc(70_000, 3)];
    const plain = Buffer.concat(parts);
    const given = parts[1]!;
    const sealed = new MessageCipher(cipher, key).encrypt(9n, parts, [given]);
    const isCcm = cipher === CIPHER.AES_128_CCM || cipher === CIPHER.AES_256_CCM;
    assert.equal(sealed.includes(given), !isCcm, "CCM needs its whole text at once");
    assert.deepEqual(
      Buffer.concat([parts[0]!, parts[2]!]),
      Buffer.concat([plain.subarray(0, 64), plain.subarray(200_064)]),
    );
    assert.deepEqual(new MessageCipher(cipher, key).decrypt(Buffer.concat(sealed)), plain);
  }
});

test("opening a long message leaves no memory behind for the garbage collector", () => {
  const key = Buffer.alloc(16, 7);
  const sealed = Buffer.concat(
    new MessageCipher(CIPHER.AES_128_GCM, key).encrypt(1n, [Buffer.alloc(8 * MIB)]),
  );
  const work = Buffer.allocUnsafeSlow(sealed.length);
  const before = process.memoryUsage().arrayBuffers;
  for (let round = 0; round < 4; round++) {
    work.set(sealed);
    assert.equal(new MessageCipher(CIPHER.AES_128_GCM, key).decrypt(work).length, 8 * MIB);
  }
  const left = process.memoryUsage().arrayBuffers - before;
  assert.ok(left < MIB, `${left} bytes are still there`);
});
