/** The File service's limits, by name and with their unit. */
export declare const FILE_LIMITS: {
    readonly shareNameCharsMin: 3;
    readonly shareNameCharsMax: 63;
    readonly shareQuotaGibMax: 102400;
    readonly shareQuotaGibDefault: 5120;
    readonly quotaUnitBytes: number;
    readonly shareSnapshotsMax: 200;
    /** How long a deleted share can be had back, unless the operator says otherwise. */
    readonly shareRetentionDays: 7;
    readonly nameCharsMax: 255;
    readonly pathCharsMax: 2048;
    readonly pathLevelsMax: 250;
    readonly fileBytesMax: number;
    /** What one Put Range may carry, and the longest record of a range. */
    readonly rangeBytesMax: number;
    /**
     * Up to here the MD5 of a range is told although the client sent none. On a large one it would cost more than all
     * the rest of the request, and no client looks at it.
     */
    readonly toldDigestBytesMax: number;
    /** Neighbours that lie in their records join up to this: pages of databases stay as they are written. */
    readonly joinedBytesMax: number;
    readonly permissionHeaderBytesMax: number;
    readonly permissionBytesMax: number;
    readonly aclBytesMax: number;
    readonly leaseSecondsMin: 15;
    readonly leaseSecondsMax: 60;
    readonly breakSecondsMax: 60;
    readonly copySourceCharsMax: number;
    /** A source of a copy that says nothing for this long is given up. */
    readonly sourceIdleMillis: 30000;
    /** Ranges of a source that one transaction copies. */
    readonly copyRangesPerStep: 1024;
    /** How long Copy File waits for the copy to end before it answers "pending". */
    readonly copyAnswerMillis: 500;
    /** Small ranges that lie inside their records, held in memory for one reader. */
    readonly readerInlineBytesMax: number;
    /** Ranges that a reader looks up at once. */
    readonly readerRangesPerStep: 4096;
    readonly handlesPerNodeMax: 2000;
    readonly handlesPerRootMax: 10000;
    readonly listHandlesMax: 1000;
    /** Handles that one Force Close ends before it gives a marker. */
    readonly closedPerRequestMax: 1000;
    readonly locksPerHandleMax: 4096;
    /** An SMB open that meets a REST call under way tries again this often, after this long. */
    readonly openRetriesMax: 100;
    readonly openRetryMillis: 5;
    /** Background work: how often, and how many records one transaction removes. */
    readonly sweepIntervalMillis: 1000;
    readonly sweptPerStep: 512;
};
