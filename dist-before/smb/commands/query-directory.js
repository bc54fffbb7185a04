import { SMB_LIMITS } from "../../base/limits-smb.js";
import { refuse, STATUS } from "../status.js";
import { ACCESS } from "../wire/create.js";
import { encodeOutputHead, QUERY_DIRECTORY_FLAG, queryDirectoryRequest } from "../wire/directory.js";
import { DirectoryPage, directoryLayout } from "../wire/directory-entry.js";
import { textOf } from "../wire/text.js";
import { matcherOf } from "../wire/wildcard.js";
import { need } from "./rights.js";
const OUTPUT_BYTES_MIN = 9;
export async function queryDirectory(request) {
    const body = queryDirectoryRequest.decode(request.pdu);
    const open = request.file(body.fileId, STATUS.INVALID_PARAMETER);
    if (open.file.kind !== "directory")
        throw refuse(STATUS.INVALID_PARAMETER);
    if (body.outputBufferLength > SMB_LIMITS.transactBytesMax || body.outputBufferLength < OUTPUT_BYTES_MIN)
        throw refuse(STATUS.INVALID_PARAMETER);
    request.checkCharge(body.outputBufferLength);
    directoryLayout(body.informationClass);
    need(open, ACCESS.READ_DATA);
    const turn = open.scanning.then(() => scan(open, body, textOf(body.pattern)));
    open.scanning = turn.catch(() => { });
    return await turn;
}
async function scan(open, body, pattern) {
    const isRestart = (body.flags & (QUERY_DIRECTORY_FLAG.RESTART_SCANS | QUERY_DIRECTORY_FLAG.REOPEN)) !== 0;
    if (open.scan === undefined || isRestart) {
        if (pattern === "" || /[\\/]/.test(pattern))
            throw refuse(STATUS.OBJECT_NAME_INVALID);
        open.scan = newScan(pattern);
    }
    const state = open.scan;
    const page = new DirectoryPage(body.informationClass, body.outputBufferLength);
    const isSingle = (body.flags & QUERY_DIRECTORY_FLAG.RETURN_SINGLE_ENTRY) !== 0;
    for (;;) {
        const entry = await nextEntry(open, state);
        if (entry === undefined)
            break;
        if (!page.add(entryOf(entry.name, entry.info))) {
            state.waiting.unshift(entry);
            if (page.isEmpty)
                throw refuse(STATUS.INFO_LENGTH_MISMATCH);
            break;
        }
        state.hasMatched = true;
        if (isSingle)
            break;
    }
    if (page.isEmpty)
        throw refuse(state.hasMatched ? STATUS.NO_MORE_FILES : STATUS.NO_SUCH_FILE);
    const output = page.bytes();
    return { status: STATUS.SUCCESS, body: encodeOutputHead(output.length), payload: [output] };
}
function newScan(pattern) {
    const matches = matcherOf(pattern);
    return { pattern, matches, after: undefined, dots: 0, waiting: [], isAtEnd: false, hasMatched: false };
}
async function nextEntry(open, scan) {
    for (;;) {
        const waiting = scan.waiting.shift();
        if (waiting !== undefined)
            return waiting;
        if (scan.dots < 2) {
            const name = scan.dots++ === 0 ? "." : "..";
            if (!scan.matches(name))
                continue;
            const info = await open.file.info();
            const parent = name === "." ? undefined : await open.file.parent();
            return { name, info: parent ?? info };
        }
        if (scan.isAtEnd)
            return undefined;
        const listed = await open.file.list(scan.after, SMB_LIMITS.directoryEntriesPerStep);
        scan.after = listed.at(-1)?.name ?? scan.after;
        scan.isAtEnd = listed.length < SMB_LIMITS.directoryEntriesPerStep;
        scan.waiting = listed.filter(({ name }) => scan.matches(name));
    }
}
function entryOf(name, info) {
    return {
        name,
        fileId: info.node,
        creationTime: info.createdAt,
        lastAccessTime: info.accessedAt,
        lastWriteTime: info.writtenAt,
        changeTime: info.changedAt,
        endOfFile: BigInt(info.size),
        allocationSize: BigInt(info.allocationSize),
        attributes: info.attributes,
    };
}
