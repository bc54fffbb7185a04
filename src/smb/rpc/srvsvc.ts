import { NdrReader, NdrWriter } from "./ndr.ts";

/** The server service ([MS-SRVS]), which lists shares. */
const OPNUM = { SHARE_ENUM: 15, SHARE_GET_INFO: 16, SERVER_GET_INFO: 21, SHARE_ENUM_STICKY: 36 } as const;
const FAULT_OP_RANGE = 0x1c01_0002;
const FAULT_BAD_STUB = 0x6f7;
const WERR = { OK: 0, INVALID_LEVEL: 124, NET_NAME_NOT_FOUND: 2310 } as const;
const TYPE_DISK = 0;
const TYPE_IPC = 0x8000_0003;
const PLATFORM_NT = 500;
const SERVER_TYPE = 0x9003;

type RpcResult = { readonly stub: Buffer } | { readonly fault: number };
export interface ShareEntry {
  readonly name: string;
  readonly comment: string;
}

interface Listed extends ShareEntry {
  readonly type: number;
}

type Field = (share: Listed) => number | string | undefined;

const name: Field = (share) => share.name;
const type: Field = (share) => share.type;
const comment: Field = (share) => share.comment;
const none: Field = () => undefined;
const zero: Field = () => 0;
/** No limit on uses, and no current use. */
const uses: readonly Field[] = [() => 0xffff_ffff, zero];
/** A path of the form that Windows has. Clients cannot use it. */
const path: Field = (share) => (share.type === TYPE_DISK ? `C:\\${share.name}` : "");

/** SHARE_INFO_* ([MS-SRVS] 2.2.4). A string is a pointer to data that follows, undefined a null pointer. */
const LEVELS: ReadonlyMap<number, readonly Field[]> = new Map([
  [0, [name]],
  [1, [name, type, comment]],
  [2, [name, type, comment, zero, ...uses, path, none]],
  [501, [name, type, comment, zero]],
  [502, [name, type, comment, zero, ...uses, path, none, zero, none]],
]);
/** Only NetrShareGetInfo reports the flags. They allow no offline caching. */
const FLAGS_LEVEL = 1_005;
const LEVELS_OF_ONE: ReadonlyMap<number, readonly Field[]> = new Map([...LEVELS, [FLAGS_LEVEL, [zero]]]);

function putFixed(out: NdrWriter, fields: readonly Field[], share: Listed): void {
  for (const field of fields) {
    const value = field(share);
    if (typeof value === "string") out.reference();
    else out.u32(value ?? 0);
  }
}

function putStrings(out: NdrWriter, fields: readonly Field[], share: Listed): void {
  for (const field of fields) {
    const value = field(share);
    if (typeof value === "string") out.string(value);
  }
}

export class SrvSvc {
  readonly #serverName: string;
  readonly #shares: () => Promise<readonly ShareEntry[]>;

  constructor(input: {
    readonly serverName: string;
    readonly shares: () => Promise<readonly ShareEntry[]>;
  }) {
    this.#serverName = input.serverName;
    this.#shares = input.shares;
  }

  async call(opnum: number, stub: Buffer): Promise<RpcResult> {
    const input = new NdrReader(stub);
    let output: NdrWriter | undefined;
    if (opnum === OPNUM.SHARE_ENUM || opnum === OPNUM.SHARE_ENUM_STICKY)
      output = await this.#enumerate(input);
    else if (opnum === OPNUM.SHARE_GET_INFO) output = await this.#shareInfo(input);
    else if (opnum === OPNUM.SERVER_GET_INFO) output = this.#serverInfo(input);
    else return { fault: FAULT_OP_RANGE };
    return output === undefined || input.isBad ? { fault: FAULT_BAD_STUB } : { stub: output.bytes() };
  }

  async #listed(): Promise<Listed[]> {
    const shares = await this.#shares();
    const disks = shares.map((share) => ({ ...share, type: TYPE_DISK }));
    return [...disks, { name: "IPC$", comment: "Remote IPC", type: TYPE_IPC }];
  }

  async #enumerate(input: NdrReader): Promise<NdrWriter | undefined> {
    input.optionalString();
    const level = input.u32();
    input.u32();
    // The container is empty in a request. The limit and the resume handle follow it.
    if (input.u32() !== 0) {
      input.u32();
      input.u32();
    }
    input.u32();
    const hasResume = input.u32() !== 0;
    if (input.isBad) return undefined;
    const out = new NdrWriter();
    const fields = LEVELS.get(level);
    const shares = fields === undefined ? [] : await this.#listed();
    out.u32(level).u32(level).reference().u32(shares.length);
    if (fields === undefined) out.u32(0);
    else {
      out.reference().u32(shares.length);
      for (const share of shares) putFixed(out, fields, share);
      for (const share of shares) putStrings(out, fields, share);
    }
    out.u32(shares.length);
    if (hasResume) out.reference().u32(0);
    else out.u32(0);
    return out.u32(fields === undefined ? WERR.INVALID_LEVEL : WERR.OK);
  }

  async #shareInfo(input: NdrReader): Promise<NdrWriter | undefined> {
    input.optionalString();
    const name = input.string().toUpperCase();
    const level = input.u32();
    if (input.isBad) return undefined;
    const out = new NdrWriter();
    const share = (await this.#listed()).find((listed) => listed.name.toUpperCase() === name);
    const fields = LEVELS_OF_ONE.get(level);
    out.u32(level);
    if (fields === undefined) return out.u32(0).u32(WERR.INVALID_LEVEL);
    if (share === undefined) return out.u32(0).u32(WERR.NET_NAME_NOT_FOUND);
    out.reference();
    putFixed(out, fields, share);
    putStrings(out, fields, share);
    return out.u32(WERR.OK);
  }

  #serverInfo(input: NdrReader): NdrWriter | undefined {
    input.optionalString();
    const level = input.u32();
    if (input.isBad) return undefined;
    const out = new NdrWriter().u32(level);
    if (level === 100)
      return out.reference().u32(PLATFORM_NT).reference().string(this.#serverName).u32(WERR.OK);
    if (level !== 101) return out.u32(0).u32(WERR.INVALID_LEVEL);
    out.reference().u32(PLATFORM_NT).reference().u32(6).u32(1).u32(SERVER_TYPE).reference();
    return out.string(this.#serverName).string("").u32(WERR.OK);
  }
}
