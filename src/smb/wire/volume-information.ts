import { raw, struct, u32, u64 } from "./layout.ts";
import { utf16 } from "./text.ts";

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
  CASE_SENSITIVE_SEARCH: 0x1,
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

export interface VolumeInformation {
  readonly creationTime: bigint;
  readonly serial: number;
  readonly label: string;
}

export function encodeVolumeInformation({ creationTime, serial, label }: VolumeInformation): Buffer {
  const text = utf16(label);
  const to = Buffer.alloc(18 + text.length);
  to.writeBigUInt64LE(creationTime, 0);
  to.writeUInt32LE(serial, 8);
  to.writeUInt32LE(text.length, 12);
  to.set(text, 18);
  return to;
}

export interface AttributeInformation {
  readonly attributes: number;
  readonly componentCharsMax: number;
  readonly name: string;
}

export function encodeAttributeInformation(value: AttributeInformation): Buffer {
  const text = utf16(value.name);
  const to = Buffer.alloc(12 + text.length);
  to.writeUInt32LE(value.attributes, 0);
  to.writeUInt32LE(value.componentCharsMax, 4);
  to.writeUInt32LE(text.length, 8);
  to.set(text, 12);
  return to;
}
