import { FILE_LIMITS } from "../../services/file/limits.ts";
import { readSpace } from "../../services/file/opens/share-queries.ts";
import type { SmbContext } from "../context.ts";
import { SMB_LIMITS } from "../limits.ts";
import type { Share } from "../session/session.ts";
import { withStatus } from "../transport/statuses.ts";
import { fileTimeOfTicks } from "../wire/filetime.ts";
import { refuse, STATUS } from "../wire/status.ts";
import {
  deviceInformation,
  encodeAttributeInformation,
  encodeVolumeInformation,
  fullSizeInformation,
  objectIdInformation,
  sectorSizeInformation,
  sizeInformation,
  VOLUME_ATTRIBUTE,
  VOLUME_CLASS,
} from "../wire/volume-information.ts";
import type { InfoAnswer } from "./query-info.ts";

const DISK = 7;
const IS_MOUNTED = 0x20;
const SECTOR_BYTES = 512;
const SECTORS_PER_UNIT = 8;
const UNIT_BYTES = SECTOR_BYTES * SECTORS_PER_UNIT;
const ALIGNED = 3;

const exactly = (data: Buffer): InfoAnswer => ({ data, fixedBytes: data.length });
const serialOf = (share: Share): number => Number(BigInt.asUintN(32, share.id ^ (share.id >> 32n)));

async function spaceOf({ files }: SmbContext, { ref }: Share) {
  const { quotaGib, usedBytes } = await withStatus(readSpace(files, ref));
  const totalBytes = quotaGib * FILE_LIMITS.quotaUnitBytes;
  const units = (bytes: number): bigint => BigInt(Math.floor(bytes / UNIT_BYTES));
  return { totalUnits: units(totalBytes), freeUnits: units(Math.max(0, totalBytes - usedBytes)) };
}

export async function volumeInformation(
  context: SmbContext,
  share: Share,
  informationClass: number,
): Promise<InfoAnswer> {
  switch (informationClass) {
    case VOLUME_CLASS.VOLUME:
      return {
        data: encodeVolumeInformation({
          // The id of a share is the revision at which it was created.
          creationTime: fileTimeOfTicks(share.id),
          serial: serialOf(share),
          label: share.ref.share,
        }),
        fixedBytes: 24,
      };
    case VOLUME_CLASS.SIZE: {
      const { totalUnits, freeUnits } = await spaceOf(context, share);
      return exactly(
        sizeInformation.encode({
          totalUnits,
          availableUnits: freeUnits,
          sectorsPerUnit: SECTORS_PER_UNIT,
          bytesPerSector: SECTOR_BYTES,
        }),
      );
    }
    case VOLUME_CLASS.DEVICE:
      return exactly(deviceInformation.encode({ deviceType: DISK, characteristics: IS_MOUNTED }));
    case VOLUME_CLASS.ATTRIBUTE:
      // Windows edits permissions only on a volume of this name.
      return {
        data: encodeAttributeInformation({
          attributes:
            VOLUME_ATTRIBUTE.CASE_PRESERVED_NAMES |
            VOLUME_ATTRIBUTE.UNICODE_ON_DISK |
            VOLUME_ATTRIBUTE.PERSISTENT_ACLS |
            VOLUME_ATTRIBUTE.SPARSE_FILES |
            VOLUME_ATTRIBUTE.EXTENDED_ATTRIBUTES |
            (context.hasStreams ? VOLUME_ATTRIBUTE.NAMED_STREAMS : 0),
          componentCharsMax: SMB_LIMITS.nameCharsMax,
          name: "NTFS",
        }),
        fixedBytes: 16,
      };
    case VOLUME_CLASS.CONTROL:
      return exactly(Buffer.alloc(48));
    case VOLUME_CLASS.FULL_SIZE: {
      const { totalUnits, freeUnits } = await spaceOf(context, share);
      return exactly(
        fullSizeInformation.encode({
          totalUnits,
          callerAvailableUnits: freeUnits,
          actualAvailableUnits: freeUnits,
          sectorsPerUnit: SECTORS_PER_UNIT,
          bytesPerSector: SECTOR_BYTES,
        }),
      );
    }
    case VOLUME_CLASS.OBJECT_ID: {
      const objectId = Buffer.alloc(16);
      objectId.writeBigUInt64LE(share.id);
      return exactly(objectIdInformation.encode({ objectId }));
    }
    case VOLUME_CLASS.SECTOR_SIZE:
      return exactly(
        sectorSizeInformation.encode({
          logicalBytesPerSector: SECTOR_BYTES,
          physicalBytesPerSectorForAtomicity: UNIT_BYTES,
          physicalBytesPerSectorForPerformance: UNIT_BYTES,
          effectivePhysicalBytesPerSector: UNIT_BYTES,
          flags: ALIGNED,
          byteOffsetForSectorAlignment: 0,
          byteOffsetForPartitionAlignment: 0,
        }),
      );
    default:
      throw refuse(STATUS.INVALID_INFO_CLASS);
  }
}
