/** Information classes of file systems ([MS-FSCC] 2.5). */
export declare const VOLUME_CLASS: {
    readonly VOLUME: 1;
    readonly SIZE: 3;
    readonly DEVICE: 4;
    readonly ATTRIBUTE: 5;
    readonly CONTROL: 6;
    readonly FULL_SIZE: 7;
    readonly OBJECT_ID: 8;
    readonly SECTOR_SIZE: 11;
};
export declare const VOLUME_ATTRIBUTE: {
    readonly CASE_SENSITIVE_SEARCH: 1;
    readonly CASE_PRESERVED_NAMES: 2;
    readonly UNICODE_ON_DISK: 4;
    readonly PERSISTENT_ACLS: 8;
    readonly SPARSE_FILES: 64;
};
export declare const sizeInformation: import("./layout.ts").Struct<import("./layout.ts").Values<{
    totalUnits: import("./layout.ts").Field<bigint>;
    availableUnits: import("./layout.ts").Field<bigint>;
    sectorsPerUnit: import("./layout.ts").Field<number>;
    bytesPerSector: import("./layout.ts").Field<number>;
}>>;
export declare const fullSizeInformation: import("./layout.ts").Struct<import("./layout.ts").Values<{
    totalUnits: import("./layout.ts").Field<bigint>;
    callerAvailableUnits: import("./layout.ts").Field<bigint>;
    actualAvailableUnits: import("./layout.ts").Field<bigint>;
    sectorsPerUnit: import("./layout.ts").Field<number>;
    bytesPerSector: import("./layout.ts").Field<number>;
}>>;
export declare const deviceInformation: import("./layout.ts").Struct<import("./layout.ts").Values<{
    deviceType: import("./layout.ts").Field<number>;
    characteristics: import("./layout.ts").Field<number>;
}>>;
export declare const sectorSizeInformation: import("./layout.ts").Struct<import("./layout.ts").Values<{
    logicalBytesPerSector: import("./layout.ts").Field<number>;
    physicalBytesPerSectorForAtomicity: import("./layout.ts").Field<number>;
    physicalBytesPerSectorForPerformance: import("./layout.ts").Field<number>;
    effectivePhysicalBytesPerSector: import("./layout.ts").Field<number>;
    flags: import("./layout.ts").Field<number>;
    byteOffsetForSectorAlignment: import("./layout.ts").Field<number>;
    byteOffsetForPartitionAlignment: import("./layout.ts").Field<number>;
}>>;
export declare const objectIdInformation: import("./layout.ts").Struct<import("./layout.ts").Values<{
    objectId: import("./layout.ts").Field<Buffer<ArrayBufferLike>>;
}>>;
export interface VolumeInformation {
    readonly creationTime: bigint;
    readonly serial: number;
    readonly label: string;
}
export declare function encodeVolumeInformation({ creationTime, serial, label }: VolumeInformation): Buffer;
export interface AttributeInformation {
    readonly attributes: number;
    readonly componentCharsMax: number;
    readonly name: string;
}
export declare function encodeAttributeInformation(value: AttributeInformation): Buffer;
