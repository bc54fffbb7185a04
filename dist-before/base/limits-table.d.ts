/** The Table service's own maxima; the first group is the protocol's, the second ours. */
export declare const TABLE_LIMITS: {
    readonly nameCharsMin: 3;
    readonly nameCharsMax: 63;
    /** 1 KiB in UTF-16. */
    readonly keyCharsMax: 512;
    readonly propertiesMax: 252;
    readonly propertyNameCharsMax: 255;
    /** 64 KiB in UTF-16. */
    readonly stringCharsMax: number;
    readonly binaryBytesMax: number;
    readonly entityBytesMax: number;
    readonly bodyBytesMax: number;
    readonly aclBytesMax: number;
    readonly pageEntitiesMax: 1000;
    readonly pageBytesMax: number;
    /** What one query may look at before it hands out a continuation: it must not hold up other requests. */
    readonly scannedEntitiesMax: 4000;
    readonly scannedBytesMax: number;
    readonly scanMillisMax: 1000;
    /** Entities fetched together while scanning, and what they may weigh. */
    readonly scanChunkEntities: 256;
    readonly scanChunkBytes: number;
    readonly filterDepthMax: 64;
    readonly filterComparisonsMax: 128;
    /** Key ranges one filter may be taken apart into; past that, one range around all of them. */
    readonly filterRangesMax: 32;
    readonly selectedPropertiesMax: 255;
    readonly tokenCharsMax: number;
    readonly errorQuoteCharsMax: 256;
    readonly reclaimIntervalMillis: 1000;
    readonly reclaimedEntitiesPerStep: 500;
};
