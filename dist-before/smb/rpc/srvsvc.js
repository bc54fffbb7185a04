import { NdrReader, NdrWriter } from "./ndr.js";
/** The server service ([MS-SRVS]): which shares there are. */
const OPNUM = { SHARE_ENUM: 15, SHARE_GET_INFO: 16, SERVER_GET_INFO: 21, SHARE_ENUM_STICKY: 36 };
const FAULT_OP_RANGE = 0x1c01_0002;
const FAULT_BAD_STUB = 0x6f7;
const WERR = { OK: 0, INVALID_LEVEL: 124, NET_NAME_NOT_FOUND: 2310 };
const TYPE_DISK = 0;
const TYPE_IPC = 0x8000_0003;
const PLATFORM_NT = 500;
const SERVER_TYPE = 0x9003;
export class SrvSvc {
    #serverName;
    #shares;
    constructor(input) {
        this.#serverName = input.serverName;
        this.#shares = input.shares;
    }
    async call(opnum, stub) {
        const input = new NdrReader(stub);
        let answer;
        if (opnum === OPNUM.SHARE_ENUM || opnum === OPNUM.SHARE_ENUM_STICKY)
            answer = await this.#enumerate(input);
        else if (opnum === OPNUM.SHARE_GET_INFO)
            answer = await this.#shareInfo(input);
        else if (opnum === OPNUM.SERVER_GET_INFO)
            answer = this.#serverInfo(input);
        else
            return { fault: FAULT_OP_RANGE };
        return answer === undefined || input.isBad ? { fault: FAULT_BAD_STUB } : { stub: answer.bytes() };
    }
    async #listed() {
        const shares = await this.#shares();
        const disks = shares.map((share) => ({ ...share, type: TYPE_DISK }));
        return [...disks, { name: "IPC$", comment: "Remote IPC", type: TYPE_IPC }];
    }
    async #enumerate(input) {
        input.optionalString();
        const level = input.u32();
        input.u32();
        // The container comes in empty; what follows it are the limit and the place to go on from.
        if (input.u32() !== 0) {
            input.u32();
            input.u32();
        }
        input.u32();
        const hasResume = input.u32() !== 0;
        if (input.isBad)
            return undefined;
        const out = new NdrWriter();
        const isKnown = level === 0 || level === 1;
        const shares = isKnown ? await this.#listed() : [];
        out.u32(level).u32(level).reference().u32(shares.length);
        if (shares.length === 0)
            out.u32(0);
        else {
            out.reference().u32(shares.length);
            for (const { type } of shares) {
                out.reference();
                if (level === 1)
                    out.u32(type).reference();
            }
            for (const { name, comment } of shares) {
                out.string(name);
                if (level === 1)
                    out.string(comment);
            }
        }
        out.u32(shares.length);
        if (hasResume)
            out.reference().u32(0);
        else
            out.u32(0);
        return out.u32(isKnown ? WERR.OK : WERR.INVALID_LEVEL);
    }
    async #shareInfo(input) {
        input.optionalString();
        const wanted = input.string();
        const level = input.u32();
        if (input.isBad)
            return undefined;
        const out = new NdrWriter();
        const share = (await this.#listed()).find(({ name }) => name.toUpperCase() === wanted.toUpperCase());
        const isKnown = level === 0 || level === 1;
        out.u32(level);
        if (share === undefined || !isKnown)
            return out.u32(0).u32(isKnown ? WERR.NET_NAME_NOT_FOUND : WERR.INVALID_LEVEL);
        out.reference().reference();
        if (level === 1)
            out.u32(share.type).reference();
        out.string(share.name);
        if (level === 1)
            out.string(share.comment);
        return out.u32(WERR.OK);
    }
    #serverInfo(input) {
        input.optionalString();
        const level = input.u32();
        if (input.isBad)
            return undefined;
        const out = new NdrWriter().u32(level);
        if (level !== 101)
            return out.u32(0).u32(WERR.INVALID_LEVEL);
        out.reference().u32(PLATFORM_NT).reference().u32(6).u32(1).u32(SERVER_TYPE).reference();
        return out.string(this.#serverName).string("").u32(WERR.OK);
    }
}
