import { DamagedData } from "../../base/faults.js";
import { recordType } from "./record.js";
const description = recordType("queue", 1);
const CONTENTS_BYTES = 8;
/** The id stands in front, 8 bytes, because most operations want nothing but it. */
export const queueRecord = {
    pack({ contents, metadata, policies }) {
        const rest = description.pack({ metadata, policies });
        const bytes = Buffer.allocUnsafe(CONTENTS_BYTES + rest.length);
        bytes.writeBigUInt64BE(contents);
        bytes.set(rest, CONTENTS_BYTES);
        return bytes;
    },
    unpack(bytes) {
        return { contents: this.contentsOf(bytes), ...description.unpack(bytes.subarray(CONTENTS_BYTES)) };
    },
    contentsOf: (bytes) => bytes.readBigUInt64BE(),
};
const MESSAGE_VERSION = 1;
const TEXT_AT = 29;
export const messageRecord = {
    pack({ insertedAt, expiresAt, dequeueCount, stamp, text }) {
        const bytes = Buffer.allocUnsafe(TEXT_AT + text.length);
        bytes[0] = MESSAGE_VERSION;
        bytes.writeDoubleBE(insertedAt, 1);
        bytes.writeDoubleBE(expiresAt, 9);
        bytes.writeUInt32BE(dequeueCount, 17);
        bytes.writeBigUInt64BE(stamp, 21);
        bytes.set(text, TEXT_AT);
        return bytes;
    },
    /** Changes a packed message to one that was taken or updated, text left as it is. */
    restamp(bytes, dequeueCount, stamp) {
        bytes.writeUInt32BE(dequeueCount, 17);
        bytes.writeBigUInt64BE(stamp, 21);
    },
    /** `text` is a view of `bytes`. */
    unpack(bytes) {
        checkVersion("message", bytes[0], MESSAGE_VERSION);
        return {
            insertedAt: bytes.readDoubleBE(1),
            expiresAt: bytes.readDoubleBE(9),
            dequeueCount: bytes.readUInt32BE(17),
            stamp: bytes.readBigUInt64BE(21),
            text: bytes.subarray(TEXT_AT),
        };
    },
};
const TALLY_VERSION = 1;
export const tallyRecord = {
    pack({ count, headVisibleAt, headSequence }) {
        const bytes = Buffer.allocUnsafe(25);
        bytes[0] = TALLY_VERSION;
        bytes.writeDoubleBE(count, 1);
        bytes.writeDoubleBE(headVisibleAt, 9);
        bytes.writeBigUInt64BE(headSequence, 17);
        return bytes;
    },
    unpack(bytes) {
        checkVersion("queue tally", bytes[0], TALLY_VERSION);
        return {
            count: bytes.readDoubleBE(1),
            headVisibleAt: bytes.readDoubleBE(9),
            headSequence: bytes.readBigUInt64BE(17),
        };
    },
};
/** The value of an expiry entry: where its message is now. */
export const placeRecord = {
    pack(visibleAt) {
        const bytes = Buffer.allocUnsafe(8);
        bytes.writeDoubleBE(visibleAt);
        return bytes;
    },
    unpack: (bytes) => bytes.readDoubleBE(),
};
function checkVersion(family, found, known) {
    if (found === known)
        return;
    throw new DamagedData(`record of family ${family} has version ${found}, this build knows ${known}`);
}
