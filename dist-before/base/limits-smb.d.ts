/** The SMB front end's limits, by name and with their unit. */
export declare const SMB_LIMITS: {
    readonly connectionsMax: 4096;
    /** A connection that has not logged in by then is ended. */
    readonly loginMillis: 30000;
    /** Silence of a connection with a session; its handles end with it. Clients that live send ECHO long before. */
    readonly idleMillis: number;
    readonly shutdownMillis: 5000;
    readonly transactBytesMax: number;
    readonly readBytesMax: number;
    readonly writeBytesMax: number;
    /** Before LARGE_MTU, and for what one credit pays. */
    readonly creditBytes: number;
    /** Around the payload of the largest message: headers, contexts, names, compounds. */
    readonly frameOverheadBytes: number;
    /** A message before anybody has logged in: a token and little else. */
    readonly anonymousFrameBytesMax: number;
    readonly creditsMax: 8192;
    readonly pdusPerCompoundMax: 64;
    /** Requests of one connection that wait for something: locks, changes, breaks. */
    readonly asyncRequestsMax: 1024;
    /** Bytes of requests taken in and not yet answered; beyond this the socket is not read. */
    readonly requestBytesMax: number;
    /** Replies not yet taken by the client; beyond this the socket is not read. */
    readonly replyBytesMax: number;
    readonly sessionsPerConnectionMax: 64;
    readonly treesPerSessionMax: 1024;
    readonly opensPerConnectionMax: 65536;
    readonly pipesPerConnectionMax: 64;
    readonly pipeBytesMax: number;
    readonly pathCharsMax: 2048;
    readonly nameCharsMax: 255;
    readonly locksPerRequestMax: 4096;
    readonly locksPerOpenMax: 16384;
    readonly copyChunksMax: 256;
    readonly copyChunkBytesMax: number;
    readonly copyBytesMax: number;
    readonly directoryEntriesPerStep: 512;
    /** Events kept for a watched directory between two requests. */
    readonly notifyBytesMax: number;
    readonly watchesPerConnectionMax: 1024;
    readonly securityDescriptorBytesMax: number;
    readonly breakMillis: 35000;
    readonly durableMillisDefault: 60000;
    readonly durableMillisMax: 300000;
    readonly durableOpensMax: 16384;
    /** Failed logins from one address: each doubles the wait before the answer, up to the longest. */
    readonly loginDelayMillisMin: 100;
    readonly loginDelayMillisMax: 5000;
    readonly loginFailuresKept: 10000;
    readonly loginFailureMillis: number;
    readonly fileBytesMax: number;
};
