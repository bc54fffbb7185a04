import type { Share } from "../file-system.ts";
import { SMB_LIMITS } from "../limits.ts";
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
const units = (bytes: number): bigint => BigInt(Math.floor(bytes / UNIT_BYTES));
const serialOf = (share: Share): number => Number(BigInt.asUintN(32, share.id ^ (share.id >> 32n)));

export async function volumeInformation(share: Share, informationClass: number): Promise<InfoAnswer> {
  switch (informationClass) {
    case VOLUME_CLASS.VOLUME:
      return {
        data: encodeVolumeInformation({
          creationTime: share.createdAt,
          serial: serialOf(share),
          label: share.name,
        }),
        fixedBytes: 24,
      };
    case VOLUME_CLASS.SIZE: {
      const { totalBytes, freeBytes } = await share.space();
      return exactly(
        sizeInformation.encode({
          totalUnits: units(totalBytes),
          availableUnits: units(freeBytes),
          sectorsPerUnit: SECTORS_PER_UNIT,
          bytesPerSector: SECTOR_BYTES,
        }),
      );
    }
    case VOLUME_CLASS.DEVICE:
      return exactly(deviceInformation.encode({ deviceType: DISK, characteristics: IS_MOUNTED }));
    case VOLUME_CLASS.ATTRIBUTE:
      // Windows edits permissions only on what calls itself NTFS.
      return {
        data: encodeAttributeInformation({
          attributes:
            VOLUME_ATTRIBUTE.CASE_PRESERVED_NAMES |
            VOLUME_ATTRIBUTE.UNICODE_ON_DISK |
            VOLUME_ATTRIBUTE.PERSISTENT_ACLS |
            VOLUME_ATTRIBUTE.SPARSE_FILES |
            VOLUME_ATTRIBUTE.EXTENDED_ATTRIBUTES |
            (share.keepsStreams === true ? VOLUME_ATTRIBUTE.NAMED_STREAMS : 0),
          componentCharsMax: SMB_LIMITS.nameCharsMax,
          name: "NTFS",
        }),
        fixedBytes: 16,
      };
    case VOLUME_CLASS.CONTROL:
      return exactly(Buffer.alloc(48));
    case VOLUME_CLASS.FULL_SIZE: {
      const { totalBytes, freeBytes } = await share.space();
      return exactly(
        fullSizeInformation.encode({
          totalUnits: units(totalBytes),
          callerAvailableUnits: units(freeBytes),
          actualAvailableUnits: units(freeBytes),
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
