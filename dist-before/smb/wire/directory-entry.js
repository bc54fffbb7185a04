import { refuse, STATUS } from "../status.js";
import { FILE_CLASS } from "./file-information.js";
const withTimes = (nameAt, fileIdAt) => ({
    nameAt,
    nameLengthAt: 60,
    fileIdAt,
    hasTimes: true,
});
const LAYOUTS = new Map([
    [FILE_CLASS.DIRECTORY, withTimes(64)],
    [FILE_CLASS.FULL_DIRECTORY, withTimes(68)],
    [FILE_CLASS.BOTH_DIRECTORY, withTimes(94)],
    [FILE_CLASS.NAMES, { nameAt: 12, nameLengthAt: 8, fileIdAt: undefined, hasTimes: false }],
    [FILE_CLASS.ID_BOTH_DIRECTORY, withTimes(104, 96)],
    [FILE_CLASS.ID_FULL_DIRECTORY, withTimes(80, 72)],
    [FILE_CLASS.ID_EXTD_DIRECTORY, withTimes(88, 72)],
    [FILE_CLASS.ID_EXTD_BOTH_DIRECTORY, withTimes(114, 72)],
]);
export function directoryLayout(informationClass) {
    const layout = LAYOUTS.get(informationClass);
    if (layout === undefined)
        throw refuse(STATUS.INVALID_INFO_CLASS);
    return layout;
}
/** Fills one reply with entries, each on a boundary of 8 bytes and whole. */
export class DirectoryPage {
    #layout;
    #buffer;
    #end = 0;
    #lastAt;
    constructor(informationClass, bytesMax) {
        this.#layout = directoryLayout(informationClass);
        this.#buffer = Buffer.alloc(bytesMax);
    }
    get isEmpty() {
        return this.#lastAt === undefined;
    }
    /** False when it does not fit any more. */
    add(entry) {
        const { nameAt, nameLengthAt, fileIdAt, hasTimes } = this.#layout;
        const at = (this.#end + 7) & ~7;
        const nameBytes = entry.name.length * 2;
        const end = at + nameAt + nameBytes;
        if (end > this.#buffer.length)
            return false;
        const to = this.#buffer;
        if (this.#lastAt !== undefined)
            to.writeUInt32LE(at - this.#lastAt, this.#lastAt);
        if (hasTimes) {
            to.writeBigUInt64LE(entry.creationTime, at + 8);
            to.writeBigUInt64LE(entry.lastAccessTime, at + 16);
            to.writeBigUInt64LE(entry.lastWriteTime, at + 24);
            to.writeBigUInt64LE(entry.changeTime, at + 32);
            to.writeBigUInt64LE(entry.endOfFile, at + 40);
            to.writeBigUInt64LE(entry.allocationSize, at + 48);
            to.writeUInt32LE(entry.attributes, at + 56);
        }
        to.writeUInt32LE(nameBytes, at + nameLengthAt);
        if (fileIdAt !== undefined)
            to.writeBigUInt64LE(entry.fileId, at + fileIdAt);
        to.write(entry.name, at + nameAt, "utf16le");
        this.#lastAt = at;
        this.#end = end;
        return true;
    }
    bytes() {
        return this.#buffer.subarray(0, this.#end);
    }
}
export function decodeDirectoryEntries(informationClass, data) {
    const { nameAt, nameLengthAt, fileIdAt, hasTimes } = directoryLayout(informationClass);
    const entries = [];
    for (let at = 0; at + nameAt <= data.length;) {
        const whole = (offset) => (hasTimes ? data.readBigUInt64LE(at + offset) : 0n);
        const next = data.readUInt32LE(at);
        const nameBytes = data.readUInt32LE(at + nameLengthAt);
        if (at + nameAt + nameBytes > data.length)
            throw refuse(STATUS.INVALID_PARAMETER);
        entries.push({
            name: data.toString("utf16le", at + nameAt, at + nameAt + nameBytes),
            fileId: fileIdAt === undefined ? 0n : data.readBigUInt64LE(at + fileIdAt),
            creationTime: whole(8),
            lastAccessTime: whole(16),
            lastWriteTime: whole(24),
            changeTime: whole(32),
            endOfFile: whole(40),
            allocationSize: whole(48),
            attributes: hasTimes ? data.readUInt32LE(at + 56) : 0,
        });
        if (next < nameAt)
            break;
        at += next;
    }
    return entries;
}
