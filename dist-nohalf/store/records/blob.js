import { recordType } from "./record.js";
export const containerRecord = recordType("blobContainer", 1);
export const blobRecord = recordType("blob", 1);
export const contentRecord = recordType("blobContent", 1);
export const epochRecord = recordType("blobEpoch", 1);
const packedSegment = recordType("blobPages", 1);
/** Lists instead of maps: a segment may hold hundreds of ranges, and every write of pages writes one. */
export const segmentRecord = {
    pack: (ranges) => packedSegment.pack({
        r: ranges.map(({ start, length, epoch, slice, from }) => [
            start,
            length,
            epoch,
            slice.extent,
            slice.offset,
            slice.length,
            from,
        ]),
    }),
    unpack: (bytes) => packedSegment.unpack(bytes).r.map(([start, length, epoch, extent, offset, sliceLength, from]) => ({
        start,
        length,
        epoch,
        slice: { extent, offset, length: sliceLength },
        from,
    })),
};
export const piecedSegmentRecord = recordType("blobPieced", 1);
/** Consecutive blocks of a content. Keyed by the offset of the first one. */
export const blockPageRecord = recordType("blobBlocks", 1);
export const stagingRecord = recordType("blobStaging", 1);
export const stagedBlockRecord = recordType("blobStagedBlock", 1);
export const garbageRecord = recordType("blobGarbage", 1);
/** An entry of the tag index: the name of the container at that time, to be compared with what is there now. */
export const tagRecord = recordType("blobTag", 1);
export const dueRecord = recordType("blobDue", 1);
