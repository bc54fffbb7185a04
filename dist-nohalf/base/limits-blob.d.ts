/** What the Blob service takes, by name and with its unit. */
export declare const BLOB_LIMITS: {
    readonly containerNameCharsMin: 3;
    readonly containerNameCharsMax: 63;
    readonly blobNameCharsMax: 1024;
    readonly blobNameSegmentsMax: 254;
    readonly putBlobBytesMax: number;
    readonly putBlockBytesMax: number;
    readonly appendBlockBytesMax: number;
    readonly appendBlockBytesMaxBefore2022: number;
    readonly appendBlocksMax: 50000;
    /** An appended block up to this size lies in its own record; longer ones in extents. */
    readonly inlineAppendBytesMax: number;
    readonly pageWriteBytesMax: number;
    readonly pageBlobBytesMax: number;
    readonly pageBytes: 512;
    /** A key of a page blob's map covers this much of it. */
    readonly segmentBytes: number;
    /** Ranges of one segment that are too many; from there it is put together in the background. */
    readonly segmentRangesMax: 64;
    /** Bytes of slices a segment may name and not use. */
    readonly segmentWasteBytesMax: number;
    readonly pieceSegmentsPerStep: 8;
    readonly pageRangesMax: 10000;
    /** Slices that are opened together when pages are read. */
    readonly pageSlicesPerOpen: 64;
    /** Zeros are sent from one buffer, again and again. */
    readonly zeroBytes: number;
    readonly blockIdBytesMax: 64;
    readonly committedBlocksMax: 50000;
    readonly uncommittedBlocksMax: 100000;
    /** 50,000 entries of <Uncommitted> with the longest ids, and their white space. */
    readonly blockListBytesMax: number;
    /** A staged block up to this size waits in its own record; longer ones in extents. */
    readonly inlineBlockBytesMax: 256;
    /** Blocks kept at one key of a content. */
    readonly blocksPerPage: 128;
    /** Slices named in a blob's own record; a content of its own beyond that. */
    readonly slicesInRecordMax: 128;
    readonly uncommittedBlockMillis: number;
    readonly syncCopyBytesMax: number;
    readonly copySourceCharsMax: number;
    readonly copyMillisMax: number;
    /** A source elsewhere: how long until its headers are there, and how long it may then fall silent. */
    readonly sourceHeadersMillis: 30000;
    readonly sourceIdleMillis: 60000;
    /** A copy from elsewhere up to this length is done before it is answered; a longer one goes on by itself. */
    readonly copyAtOnceBytesMax: number;
    readonly copiesFromElsewhereMax: 64;
    readonly tagsMax: 10;
    readonly tagKeyCharsMax: 128;
    readonly tagValueCharsMax: 256;
    readonly tagsHeaderCharsMax: number;
    readonly tagsBodyBytesMax: number;
    readonly aclBodyBytesMax: number;
    readonly keyInfoBodyBytesMax: number;
    readonly leaseSecondsMin: 15;
    readonly leaseSecondsMax: 60;
    readonly breakSecondsMax: 60;
    /** Records a listing looks at for one page before it gives a short one. */
    readonly listScanMax: 20000;
    /** Rehydration takes hours on Azure; here a client that polls sees both states. */
    readonly rehydrateMillis: 1000;
    /** Chores: how often, and how much in one step. */
    readonly choreMillis: 1000;
    readonly dueChoreMillis: 30000;
    readonly reclaimRecordsPerStep: 200;
    readonly dueRecordsPerStep: 100;
    readonly encryptionScopeCharsMax: 63;
    readonly expiryMillisMax: number;
};
