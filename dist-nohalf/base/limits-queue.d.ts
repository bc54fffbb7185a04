/** What the Queue service allows, by name and with its unit. */
export declare const QUEUE_LIMITS: {
    readonly queueNameCharsMin: 3;
    readonly queueNameCharsMax: 63;
    readonly messageTextBytesMax: number;
    /** XML may write one byte of text in several: `&quot;` takes six, `&#x0022;` eight. */
    readonly messageBodyBytesMax: number;
    readonly aclBytesMax: number;
    readonly messagesPerGetMax: 32;
    readonly visibilitySecondsMax: number;
    readonly visibilitySecondsDefault: 30;
    readonly timeToLiveSecondsDefault: number;
    /** Longest time to live before version 2017-07-29. */
    readonly timeToLiveSecondsMaxOnce: number;
    /** Expired messages that one Get or Peek steps over, and a Get removes, on its way to the first living one. */
    readonly expiredPerCallMax: 1000;
    /** Messages that one step of a chore removes: a longer transaction would hold up other writers. */
    readonly sweptPerStep: 500;
    readonly sweepIntervalMillis: 1000;
};
