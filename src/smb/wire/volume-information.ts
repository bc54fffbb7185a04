import { type Decoded, encodeWithText, raw, struct, u32, u64 } from "./layout.ts";

/** Information classes of file systems ([MS-FSCC] 2.5). */
export const VOLUME_CLASS = {
  VOLUME: 1,
  SIZE: 3,
  DEVICE: 4,
  ATTRIBUTE: 5,
  CONTROL: 6,
  FULL_SIZE: 7,
  OBJECT_ID: 8,
  SECTOR_SIZE: 11,
} as const;

export const VOLUME_ATTRIBUTE = {
  CASE_PRESERVED_NAMES: 0x2,
  UNICODE_ON_DISK: 0x4,
  PERSISTENT_ACLS: 0x8,
  SPARSE_FILES: 0x40,
  NAMED_STREAMS: 0x4_0000,
  EXTENDED_ATTRIBUTES: 0x80_0000,
} as const;

export const sizeInformation = struct(24, {
  totalUnits: u64(0),
  availableUnits: u64(8),
  sectorsPerUnit: u32(16),
  bytesPerSector: u32(20),
});

export const fullSizeInformation = struct(32, {
  totalUnits: u64(0),
  callerAvailableUnits: u64(8),
  actualAvailableUnits: u64(16),
  sectorsPerUnit: u32(24),
  bytesPerSector: u32(28),
});

export const deviceInformation = struct(8, { deviceType: u32(0), characteristics: u32(4) });

export const sectorSizeInformation = struct(28, {
  logicalBytesPerSector: u32(0),
  physicalBytesPerSectorForAtomicity: u32(4),
  physicalBytesPerSectorForPerformance: u32(8),
  effectivePhysicalBytesPerSector: u32(12),
  flags: u32(16),
  byteOffsetForSectorAlignment: u32(20),
  byteOffsetForPartitionAlignment: u32(24),
});

export const objectIdInformation = struct(64, { objectId: raw(0, 16) });

const volumeHead = struct(18, { creationTime: u64(0), serial: u32(8), textBytes: u32(12) });
const attributeHead = struct(12, { attributes: u32(0), componentCharsMax: u32(4), textBytes: u32(8) });
type Head<T> = Omit<Decoded<T>, "textBytes">;

export function encodeVolumeInformation({
  label,
  ...rest
}: Head<typeof volumeHead> & { readonly label: string }): Buffer {
  return encodeWithText(volumeHead, rest, label);
}

export function encodeAttributeInformation({
  name,
  ...rest
}: Head<typeof attributeHead> & { readonly name: string }): Buffer {
  return encodeWithText(attributeHead, rest, name);
}
