import { Refusal } from "../../../src/base/refusals.ts";
import { type Log, silentLog } from "../../../src/observability/log.ts";
import { parseSddl, printSddl } from "../../../src/services/file/security/sddl.ts";
import {
  decodeSecurityDescriptor,
  encodeSecurityDescriptor,
} from "../../../src/services/file/security/security-descriptor.ts";
import { MessageCipher } from "../../../src/smb/crypto/encryption.ts";
import { Login, loginAccountOf } from "../../../src/smb/crypto/login.ts";
import { decodeNtlmAuthenticate, hasMic } from "../../../src/smb/crypto/ntlmssp.ts";
import { decodeClientToken, encodeClientInit } from "../../../src/smb/crypto/spnego.ts";
import { SMB_LIMITS } from "../../../src/smb/limits.ts";
import { Pipe } from "../../../src/smb/rpc/pipe.ts";
import { SrvSvc } from "../../../src/smb/rpc/srvsvc.ts";
import { createRequest, createResponse } from "../../../src/smb/wire/create.ts";
import { encodeCreateContexts, readCreateContexts } from "../../../src/smb/wire/create-contexts.ts";
import { queryDirectoryRequest } from "../../../src/smb/wire/directory.ts";
import {
  decodeFullEas,
  decodeGetEas,
  type ExtendedAttribute,
  encodeFullEas,
  encodeGetEas,
} from "../../../src/smb/wire/extended-attributes.ts";
import { decodeRename } from "../../../src/smb/wire/file-information.ts";
import { FrameAssembler } from "../../../src/smb/wire/framing.ts";
import { COMMAND, decodeHeader, encodeHeader, splitCompound } from "../../../src/smb/wire/header.ts";
import { queryInfoRequest, setInfoRequest } from "../../../src/smb/wire/info.ts";
import { ioctlRequest } from "../../../src/smb/wire/ioctl.ts";
import { encodeLockRequest } from "../../../src/smb/wire/lock.ts";
import {
  decodeIds,
  decodeNegotiateRequest,
  decodePreauthIntegrity,
  encodeIds,
  encodeNegotiateRequest,
  encodePreauthIntegrity,
} from "../../../src/smb/wire/negotiate.ts";
import { parsePath } from "../../../src/smb/wire/path.ts";
import { decodeSmb1Negotiate, encodeSmb1Negotiate } from "../../../src/smb/wire/smb1-negotiate.ts";
import { ProtocolError, STATUS, StatusError } from "../../../src/smb/wire/status.ts";
import { textOf, utf16 } from "../../../src/smb/wire/text.ts";
import { decodeTransform } from "../../../src/smb/wire/transform.ts";
import { matcherOf } from "../../../src/smb/wire/wildcard.ts";
import { ntlmAuthenticate, ntlmNegotiate, SmbClient } from "../../kit/smb-client.ts";
import { SMB_ACCOUNT, SMB_KEYS, SMB_PASSWORD, startSmbServer } from "../../kit/smb-server.ts";
import { type FuzzTarget, plainTarget } from "../target.ts";

const refusals = [StatusError, ProtocolError];

const HEADER = {
  creditCharge: 1,
  status: 0,
  command: 0,
  credits: 1,
  flags: 0,
  nextCommand: 0,
  messageId: 0n,
  asyncId: 0n,
  processId: 0,
  treeId: 0,
  sessionId: 0n,
};

const NEGOTIATE = encodeNegotiateRequest({
  securityMode: 1,
  capabilities: 0x7f,
  clientGuid: Buffer.alloc(16, 7),
  dialects: [0x210, 0x302, 0x311],
  contexts: [
    { type: 1, data: encodePreauthIntegrity({ hashes: [1], salt: Buffer.alloc(32) }) },
    { type: 2, data: encodeIds([2, 1]) },
    { type: 8, data: encodeIds([2, 1, 0]) },
  ],
});

const framed = (payload: Buffer): Buffer => {
  const prefix = Buffer.alloc(4);
  prefix.writeUIntBE(payload.length, 1, 3);
  return Buffer.concat([prefix, payload]);
};
const ECHO = Buffer.concat([encodeHeader({ ...HEADER, command: COMMAND.ECHO }), Buffer.from([4, 0, 0, 0])]);
const cipher = new MessageCipher(2, Buffer.alloc(16, 5));
const SEALED = Buffer.concat(cipher.encrypt(1n, [ECHO]));

/** A stream cut into two chunks anywhere: frames, headers, compounds, encrypted messages. */
export const SMB_FRAMING = plainTarget("smb-framing", {
  seeds: [
    framed(ECHO),
    framed(SEALED),
    framed(Buffer.concat([encodeHeader({ ...HEADER, nextCommand: 72 }), Buffer.alloc(8), ECHO])),
    framed(encodeSmb1Negotiate(["NT LM 0.12", "SMB 2.???"])),
  ],
  refusals,
  read: (input) => {
    const frames = new FrameAssembler(SMB_LIMITS.anonymousFrameBytesMax);
    const take = (frame: Buffer): void => {
      const protocol = frame.readUInt32LE(0);
      if (protocol === 0x424d_53ff) decodeSmb1Negotiate(frame);
      const plain = protocol === 0x424d_53fd ? opened(frame) : frame;
      for (const pdu of splitCompound(plain, SMB_LIMITS.pdusPerCompoundMax)) decodeHeader(pdu);
    };
    const cut = input.length === 0 ? 0 : input[0]! % input.length;
    frames.add(input.subarray(0, cut), take);
    frames.add(input.subarray(cut), take);
  },
});

function opened(frame: Buffer): Buffer {
  decodeTransform(frame);
  return cipher.decrypt(frame);
}

export const SMB_NEGOTIATE = plainTarget("smb-negotiate", {
  seeds: [Buffer.concat([encodeHeader(HEADER), NEGOTIATE]), encodeSmb1Negotiate(["SMB 2.002", "SMB 2.???"])],
  refusals,
  read: (input) => {
    if (input.length > 4 && input.readUInt32LE(0) === 0x424d_53ff) return decodeSmb1Negotiate(input);
    decodeHeader(input);
    const { contexts } = decodeNegotiateRequest(input);
    for (const { type, data } of contexts) {
      if (type === 1) decodePreauthIntegrity(data);
      else decodeIds(data);
    }
    return undefined;
  },
});

const CHALLENGE = Buffer.alloc(8, 6);
const account = loginAccountOf(SMB_ACCOUNT, SMB_KEYS);
const newLogin = (): Login =>
  new Login({
    accounts: { find: (name) => (name === SMB_ACCOUNT ? account : undefined) },
    serverName: "HOLDFAST",
    serverChallenge: CHALLENGE,
    now: 132_000_000_000_000_000n,
  });

function goodTokens(): Buffer[] {
  const negotiate = ntlmNegotiate();
  const step = newLogin().step(negotiate);
  const { message } = ntlmAuthenticate({
    negotiate,
    challenge: step.token,
    user: SMB_ACCOUNT,
    password: SMB_PASSWORD,
  });
  const response = Buffer.concat([Buffer.from([0xa1, 0x81, 0]), message]);
  return [encodeClientInit(negotiate), negotiate, message, response];
}

/** The first token, and the second on top of a good first one. */
export const SPNEGO_NTLM = plainTarget("spnego-ntlm", {
  seeds: goodTokens(),
  words: [
    "NTLMSSP\0",
    "\x06\x0a\x2b\x06\x01\x04\x01\x82\x37\x02\x02\x0a",
    "\x06\x06\x2b\x06\x01\x05\x05\x02",
  ],
  refusals,
  read: (input) => {
    const attempts = [
      () => decodeClientToken(input),
      () => newLogin().step(input),
      () => {
        const login = newLogin();
        login.step(ntlmNegotiate());
        login.step(input);
      },
      () => hasMic(decodeNtlmAuthenticate(input).ntResponse),
    ];
    for (const attempt of attempts)
      try {
        attempt();
      } catch (error) {
        if (!isAnswer(error)) throw error;
      }
  },
});

/** What a client hears as a status: a refusal of the wire, or of the service where it has one for SMB. */
function isAnswer(error: unknown): boolean {
  return error instanceof StatusError || (error instanceof Refusal && error.row.smb !== undefined);
}

const CONTEXTS = encodeCreateContexts([
  { name: "MxAc", data: Buffer.alloc(0) },
  { name: "RqLs", data: Buffer.alloc(52, 1) },
  { name: "AlSi", data: Buffer.alloc(8, 1) },
  { name: "DH2Q", data: Buffer.alloc(32, 1) },
  { name: "TWrp", data: Buffer.alloc(8, 1) },
]);

const EAS = encodeFullEas(
  [
    { name: "user.a", value: Buffer.from("value"), isNeeded: false },
    { name: "B", value: Buffer.alloc(0), isNeeded: true },
  ],
  1_024,
).data;
const EA_NAMES = encodeGetEas(["user.a", "none"]);

/** What comes back of a list is the list: a decoder that reads past an element would not see it so. */
export const SMB_EAS = plainTarget("smb-eas", {
  seeds: [
    EAS,
    EA_NAMES,
    encodeFullEas([{ name: "x", value: Buffer.alloc(300, 1), isNeeded: false }], 1_024).data,
  ],
  refusals,
  read: (input) => {
    const attempts = [
      () => {
        const eas = decodeFullEas(input);
        const { data, count } = encodeFullEas(eas, 1 << 24);
        if (count !== eas.length || shownEas(decodeFullEas(data)) !== shownEas(eas))
          throw new Error("a list of attributes did not come back");
      },
      () => {
        const names = decodeGetEas(input);
        if (decodeGetEas(encodeGetEas(names)).join("\0") !== names.join("\0"))
          throw new Error("a list of names did not come back");
      },
    ];
    for (const attempt of attempts)
      try {
        attempt();
      } catch (error) {
        if (!isAnswer(error)) throw error;
      }
  },
});

function shownEas(eas: readonly ExtendedAttribute[]): string {
  return eas.map(({ name, value, isNeeded }) => `${name} ${isNeeded} ${value.toString("hex")}`).join();
}

export const CREATE_CONTEXTS = plainTarget("create-contexts", {
  seeds: [
    CONTEXTS,
    encodeCreateContexts([{ name: "DHnC", data: Buffer.alloc(16) }]),
    encodeCreateContexts([{ name: "DH2C", data: Buffer.alloc(36) }]),
    encodeCreateContexts([
      { name: "SecD", data: Buffer.alloc(20) },
      { name: "ExtA", data: EAS },
    ]),
  ],
  words: ["MxAc", "QFid", "RqLs", "AlSi", "DHnQ", "DHnC", "DH2Q", "DH2C", "TWrp", "SecD", "ExtA"],
  refusals,
  read: (input) => {
    const { securityDescriptor, extendedAttributes } = readCreateContexts(input);
    try {
      if (extendedAttributes !== undefined) decodeFullEas(extendedAttributes);
      if (securityDescriptor !== undefined) decodeSecurityDescriptor(securityDescriptor);
    } catch (error) {
      if (!isAnswer(error)) throw error;
    }
  },
});

const SDDL = "O:BAG:SYD:PAI(A;OICI;FA;;;BA)(D;;0x1301bf;;;S-1-5-21-1-2-3-500)S:(AU;SA;FA;;;WD)";

/**
 * Security descriptors in both forms, and names: what SET_INFO and CREATE take from a client besides numbers.
 */
export const SMB_VALUES = plainTarget("smb-values", {
  seeds: [
    SDDL,
    encodeSecurityDescriptor(parseSddl(SDDL)),
    utf16("dir\\file.txt"),
    utf16("@GMT-2026.01.01-00.00.00\\x"),
    utf16('<.?"*>a'),
    Buffer.concat([Buffer.alloc(16), Buffer.from([8, 0, 0, 0]), utf16("new")]),
  ],
  words: ["(A;", ";;;", "S-1-5-", "D:P", "O:", "*\0", "<\0", "?\0", "\\\0"],
  refusals,
  read: (input) => {
    const each = [
      () => printSddl(decodeSecurityDescriptor(input)),
      () => encodeSecurityDescriptor(parseSddl(input.latin1Slice())),
      () => parsePath(textOf(input)),
      () => matcherOf(textOf(input.subarray(0, 512)))("some name.of.a.file.txt"),
      () => decodeRename(input),
    ];
    for (const one of each)
      try {
        one();
      } catch (error) {
        if (!isAnswer(error)) throw error;
      }
  },
});

const shares = [{ name: "work", comment: "c" }];
const rpc = (type: number, body: Buffer): Buffer => {
  const head = Buffer.from([5, 0, type, 3, 0x10, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0]);
  head.writeUInt16LE(head.length + body.length, 8);
  return Buffer.concat([head, body]);
};
const SYNTAXES = "c84f324b7016d30112785a47bf6ee18803000000045d888aeb1cc9119fe808002b10486002000000";
const BIND = rpc(11, Buffer.from(`b810b8100000000001000000000001 00${SYNTAXES}`.replaceAll(" ", ""), "hex"));
const enumerate = (opnum: number): Buffer => {
  const stub = Buffer.from("0000000001000000010000000100000000000000000000000000000000000000", "hex");
  return rpc(0, Buffer.concat([Buffer.from([stub.length, 0, 0, 0, 0, 0, opnum, 0]), stub]));
};

/** A bound pipe that is asked something, and an unbound one. */
export const SRVSVC = plainTarget("srvsvc", {
  seeds: [BIND, enumerate(15), enumerate(16), enumerate(21), enumerate(36)],
  refusals,
  read: async (input) => {
    const service = new SrvSvc({ serverName: "HOLDFAST", shares: async () => shares });
    for (const isBound of [false, true]) {
      const pipe = new Pipe(service);
      if (isBound) await pipe.call(BIND);
      try {
        await pipe.call(input);
        pipe.read(1_024);
      } catch (error) {
        if (!isAnswer(error)) throw error;
      }
    }
  },
});

const FILE_ID = Buffer.alloc(16, 0xf1);
const PIPE_ID = Buffer.alloc(16, 0xf2);
const DIRECTORY_ID = Buffer.alloc(16, 0xf3);
const idOf = (bytes: Buffer) => ({
  persistent: bytes.readBigUInt64LE(0),
  volatile: bytes.readBigUInt64LE(8),
});
const command = (code: number, body: Buffer): Buffer => Buffer.concat([Buffer.from([code]), body]);

const createOf = (name: string, contexts: Buffer = Buffer.alloc(0), options = 0): Buffer =>
  createRequest.encode({
    requestedOplockLevel: 0,
    impersonationLevel: 2,
    desiredAccess: 0x1f_01ff,
    fileAttributes: 0x80,
    shareAccess: 7,
    createDisposition: 3,
    createOptions: options,
    name: utf16(name),
    contexts,
  });
const setInfoOf = (informationClass: number, data: Buffer, infoType = 1): Buffer =>
  command(
    COMMAND.SET_INFO,
    setInfoRequest.encode({
      infoType,
      informationClass,
      additionalInformation: 4,
      fileId: idOf(FILE_ID),
      data,
    }),
  );
const queryInfoOf = (informationClass: number, infoType = 1, input: Buffer = Buffer.alloc(0)): Buffer =>
  command(
    COMMAND.QUERY_INFO,
    queryInfoRequest.encode({
      infoType,
      informationClass,
      outputBufferLength: 4_096,
      additionalInformation: 7,
      flags: 0,
      fileId: idOf(FILE_ID),
      input,
    }),
  );
const ioctlOf = (ctlCode: number, id: Buffer, input: Buffer): Buffer =>
  command(
    COMMAND.IOCTL,
    ioctlRequest.encode({
      ctlCode,
      fileId: idOf(id),
      maxInputResponse: 0,
      maxOutputResponse: 4_096,
      flags: 1,
      input,
      output: Buffer.alloc(0),
    }),
  );

const SESSION_SEEDS: readonly Buffer[] = [
  command(COMMAND.CREATE, createOf("f", CONTEXTS)),
  command(COMMAND.CREATE, createOf("d\\x", Buffer.alloc(0), 1)),
  ...[4, 5, 6, 7, 8, 14, 16, 17, 18, 22, 34, 35, 48].map((one) => queryInfoOf(one)),
  ...[1, 3, 5, 7, 8, 11].map((one) => queryInfoOf(one, 2)),
  queryInfoOf(0, 3),
  setInfoOf(15, EAS),
  queryInfoOf(15),
  queryInfoOf(15, 1, EA_NAMES),
  setInfoOf(4, Buffer.alloc(40)),
  setInfoOf(10, Buffer.concat([Buffer.alloc(16), Buffer.from([2, 0, 0, 0]), utf16("g")])),
  setInfoOf(13, Buffer.alloc(1)),
  setInfoOf(14, Buffer.alloc(8, 1)),
  setInfoOf(19, Buffer.from([1, 0, 0, 0, 0, 0, 0, 0])),
  setInfoOf(20, Buffer.from([1, 0, 0, 0, 0, 0, 0, 0])),
  setInfoOf(0, encodeSecurityDescriptor(parseSddl(SDDL)), 3),
  ioctlOf(0x11c017, PIPE_ID, BIND),
  ioctlOf(0x11c017, PIPE_ID, enumerate(15)),
  ioctlOf(0x140078, FILE_ID, Buffer.alloc(0)),
  ioctlOf(
    0x1440f2,
    FILE_ID,
    Buffer.concat([Buffer.alloc(24), Buffer.from([1, 0, 0, 0, 0, 0, 0, 0]), Buffer.alloc(24)]),
  ),
  ioctlOf(0x980c8, FILE_ID, Buffer.alloc(16)),
  ioctlOf(0x940cf, FILE_ID, Buffer.concat([Buffer.alloc(8), Buffer.from([9, 0, 0, 0, 0, 0, 0, 0])])),
  ioctlOf(0x144064, FILE_ID, Buffer.alloc(0)),
  command(
    COMMAND.LOCK,
    encodeLockRequest({
      fileId: idOf(FILE_ID),
      lockSequence: 0,
      locks: [{ offset: 0n, length: 5n, flags: 0x12 }],
    } as never),
  ),
  command(
    COMMAND.QUERY_DIRECTORY,
    queryDirectoryRequest.encode({
      informationClass: 37,
      flags: 1,
      fileIndex: 0,
      fileId: idOf(DIRECTORY_ID),
      outputBufferLength: 4_096,
      pattern: utf16("*"),
    } as never),
  ),
  command(
    COMMAND.READ,
    Buffer.concat([
      Buffer.from("310050000010000000000000000000 00".replaceAll(" ", ""), "hex"),
      FILE_ID,
      Buffer.alloc(17),
    ]),
  ),
  command(COMMAND.ECHO, Buffer.from([4, 0, 0, 0])),
];

/**
 * Requests inside a session, signed after they were changed: the first byte is the command, the rest its
 * body. The marks of the file, the directory and the pipe become the ids that this session has for them.
 */
export const SMB_SESSION: FuzzTarget = {
  name: "smb-session",
  seeds: SESSION_SEEDS,
  words: ["\xf1".repeat(16), "\xf2".repeat(16), "\xf3".repeat(16), "RqLs", "MxAc", "DH2Q", "*\0", "\\\0"],
  open: async () => {
    const faults: string[] = [];
    const error: Log["error"] = (fields, text) => {
      faults.push(`${text}: ${(fields as { err?: Error }).err?.stack}`);
    };
    const log: Log = { ...silentLog, error, child: () => log };
    const smb = await startSmbServer({ log });
    let visit = await enter(smb.port);
    return {
      run: async (input) => {
        if (visit.client.isClosed) visit = await enter(smb.port);
        const { client } = visit;
        const code = input.length === 0 ? 13 : input[0]! % 19;
        // A request that waits, and one without an answer, would hold up the next.
        if (code === COMMAND.CANCEL || code === COMMAND.CHANGE_NOTIFY) return;
        const body = named(input.subarray(1), visit);
        const treeId =
          code === COMMAND.IOCTL && body.includes(visit.ids[1]!.to) ? visit.pipeTree : client.treeId;
        const ended = new Promise<void>((resolve) => {
          setTimeout(resolve, 60).unref();
        });
        const answered = await Promise.race([
          client.ask(code, body, { treeId }).then((reply) => reply ?? "closed"),
          ended,
        ]);
        // Nothing came back: it waits for a lock or a break. The next one starts on a connection of its own.
        if (answered === undefined) client.close();
        const fault = faults.shift();
        if (fault !== undefined) throw new Error(`logged: ${fault}`);
      },
      close: async () => {
        visit.client.close();
        await smb.close();
      },
    };
  },
};

interface Visit {
  readonly client: SmbClient;
  readonly pipeTree: number;
  readonly ids: readonly { readonly from: Buffer; readonly to: Buffer }[];
}

async function enter(port: number): Promise<Visit> {
  const client = new SmbClient({ port, dialects: [0x302] });
  await client.negotiate();
  if ((await client.login({ user: SMB_ACCOUNT, password: SMB_PASSWORD })) !== STATUS.SUCCESS)
    throw new Error("the login of the fuzzer failed");
  const open = async (body: Buffer): Promise<Buffer> => {
    const reply = await client.ask(COMMAND.CREATE, body);
    if (reply?.header.status !== STATUS.SUCCESS) return Buffer.alloc(16, 0xee);
    const { fileId } = createResponse.decode(reply.pdu);
    const bytes = Buffer.alloc(16);
    bytes.writeBigUInt64LE(fileId.persistent, 0);
    bytes.writeBigUInt64LE(fileId.volatile, 8);
    return bytes;
  };
  await client.tree("IPC$");
  const pipeTree = client.treeId;
  const pipe = await open(createOf("srvsvc"));
  await client.tree("work");
  const file = await open(createOf("f"));
  const directory = await open(createOf("", Buffer.alloc(0), 1));
  const ids = [
    { from: FILE_ID, to: file },
    { from: PIPE_ID, to: pipe },
    { from: DIRECTORY_ID, to: directory },
  ];
  return { client, pipeTree, ids };
}

function named(body: Buffer, { ids }: Visit): Buffer {
  const out = Buffer.from(body);
  for (const { from, to } of ids)
    for (let at = out.indexOf(from); at >= 0; at = out.indexOf(from, at + 16)) out.set(to, at);
  return out;
}
