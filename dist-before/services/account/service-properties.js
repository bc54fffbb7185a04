/** Which properties a service has, in the order it prints them. */
export const PROPERTIES_OF = {
    blob: [
        "logging",
        "hourMetrics",
        "minuteMetrics",
        "cors",
        "defaultServiceVersion",
        "deleteRetention",
        "staticWebsite",
    ],
    queue: ["logging", "hourMetrics", "minuteMetrics", "cors"],
    table: ["logging", "hourMetrics", "minuteMetrics", "cors"],
    file: ["hourMetrics", "minuteMetrics", "cors", "protocolSettings"],
};
const NO_RETENTION = { isEnabled: false, days: undefined };
const NO_METRICS = {
    version: "1.0",
    isEnabled: false,
    includesApis: undefined,
    retention: NO_RETENTION,
};
const DEFAULTS = {
    logging: {
        version: "1.0",
        logsDelete: false,
        logsRead: false,
        logsWrite: false,
        retention: NO_RETENTION,
    },
    hourMetrics: NO_METRICS,
    minuteMetrics: NO_METRICS,
    cors: [],
    deleteRetention: { ...NO_RETENTION, allowsPermanentDelete: undefined },
    staticWebsite: {
        isEnabled: false,
        indexDocument: undefined,
        errorDocument404Path: undefined,
        defaultIndexDocumentPath: undefined,
    },
    protocolSettings: {
        smbMultichannel: false,
        smbEncryptionRequired: undefined,
        nfsEncryptionRequired: undefined,
    },
};
/** What a service says before anyone set anything. The default version stays unset until a client sets it. */
export function defaultServiceProperties(owner) {
    const out = {};
    for (const name of PROPERTIES_OF[owner])
        if (DEFAULTS[name] !== undefined)
            out[name] = DEFAULTS[name];
    return out;
}
/**
 * A Set replaces what it names as a whole and keeps the rest: an empty Cors removes all rules, an absent one
 * keeps them.
 */
export function mergeServiceProperties(current, update) {
    const merged = { ...current };
    for (const [name, value] of Object.entries(update))
        if (value !== undefined)
            merged[name] = value;
    return merged;
}
