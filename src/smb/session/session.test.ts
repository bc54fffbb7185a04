import assert from "node:assert/strict";
import { test } from "node:test";
import { loginAccountOf } from "../crypto/login.ts";
import { SIGNING } from "../crypto/signing.ts";
import type { Connection } from "../transport/connection.ts";
import { DIALECT } from "../wire/negotiate.ts";
import { Session } from "./session.ts";

const connection = (): Connection =>
  ({ dialect: DIALECT.SMB_3_0, cipher: 0, signing: SIGNING.AES_CMAC, sessions: new Map() }) as Connection;
const keys = [1, 2, 3].map((fill) => Buffer.alloc(64, fill));
const [first, second, third] = keys as [Buffer, Buffer, Buffer];
const accountOf = (...some: Buffer[]) => loginAccountOf("files1", some);
const hashOf = (key: Buffer): Buffer => accountOf(key).ntHashes[0]!;

test("a session is allowed while the account has the key of its login", () => {
  const session = new Session(1n, connection(), Buffer.alloc(0));
  assert.ok(session.isAllowedBy(undefined), "a login that is not through has proven nothing yet");
  session.ntHash = hashOf(first);
  assert.ok(session.isAllowedBy(accountOf(first, second)));
  assert.ok(session.isAllowedBy(accountOf(second, first)), "whichever place the key has");
  assert.equal(session.isAllowedBy(accountOf(second)), false);
  assert.equal(session.isAllowedBy(undefined), false);
});

test("a login that is repeated with another key stands for the session", () => {
  const session = new Session(1n, connection(), Buffer.alloc(0));
  session.ntHash = hashOf(first);
  session.ntHash = hashOf(second);
  assert.ok(session.isAllowedBy(accountOf(second)));
  assert.equal(session.isAllowedBy(accountOf(first)), false);
});

test("a connection that was bound with another key needs that key, too", () => {
  const session = new Session(1n, connection(), Buffer.alloc(0));
  session.ntHash = hashOf(first);
  for (const key of [first, second, second]) {
    session.bind(connection(), { sessionKey: Buffer.alloc(16), ntHash: hashOf(key) }, Buffer.alloc(0));
  }
  assert.ok(session.isAllowedBy(accountOf(first, second)));
  assert.equal(session.isAllowedBy(accountOf(first, third)), false);
  assert.equal(session.isAllowedBy(accountOf(second, third)), false);
});
