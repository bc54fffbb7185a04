/**
 * Properties of a whole service: logging, metrics, CORS, and those of one service only. CORS, soft delete,
 * the default version and the static website change what Holdfast does; the others are stored and returned,
 * because tools read what they wrote.
 */
export type PropertiesOwner = "blob" | "queue" | "table" | "file";

export interface Retention {
  readonly isEnabled: boolean;
  /** 1 to 365; undefined when not enabled. */
  readonly days: number | undefined;
}

/** Soft delete of blobs. */
export interface DeleteRetention extends Retention {
  readonly allowsPermanentDelete: boolean | undefined;
}

export interface Logging {
  readonly version: string;
  readonly logsDelete: boolean;
  readonly logsRead: boolean;
  readonly logsWrite: boolean;
  readonly retention: Retention;
}

export interface Metrics {
  readonly version: string;
  readonly isEnabled: boolean;
  readonly includesApis: boolean | undefined;
  readonly retention: Retention;
}

export interface CorsRule {
  /** Exact origins, or "*". */
  readonly allowedOrigins: readonly string[];
  /** Upper case. */
  readonly allowedMethods: readonly string[];
  /** Literal names and prefixes that end in "*". */
  readonly allowedHeaders: readonly string[];
  readonly exposedHeaders: readonly string[];
  readonly maxAgeSeconds: number;
}

export interface StaticWebsite {
  readonly isEnabled: boolean;
  readonly indexDocument: string | undefined;
  readonly errorDocument404Path: string | undefined;
  readonly defaultIndexDocumentPath: string | undefined;
}

/** Settings of the File service's protocols; undefined where never set. */
export interface ProtocolSettings {
  readonly smbMultichannel: boolean | undefined;
  readonly smbEncryptionRequired: boolean | undefined;
  readonly nfsEncryptionRequired: boolean | undefined;
}

/**
 * The properties of all services. A field is undefined when the service does not have it or it was never set.
 */
export interface ServiceProperties {
  readonly logging?: Logging;
  readonly hourMetrics?: Metrics;
  readonly minuteMetrics?: Metrics;
  readonly cors?: readonly CorsRule[];
  readonly defaultServiceVersion?: string;
  readonly deleteRetention?: DeleteRetention;
  readonly staticWebsite?: StaticWebsite;
  readonly protocolSettings?: ProtocolSettings;
}

export type ServicePropertyName = keyof ServiceProperties;

/** Which properties a service has, in the order it prints them. */
export const PROPERTIES_OF: Readonly<Record<PropertiesOwner, readonly ServicePropertyName[]>> = {
  blob: [
    "logging",
    "hourMetrics",
    "minuteMetrics",
    "cors",
    "deleteRetention",
    "staticWebsite",
    "defaultServiceVersion",
  ],
  queue: ["logging", "hourMetrics", "minuteMetrics", "cors"],
  table: ["logging", "hourMetrics", "minuteMetrics", "cors"],
  file: ["hourMetrics", "minuteMetrics", "cors", "protocolSettings"],
};

const NO_RETENTION: Retention = { isEnabled: false, days: undefined };
const NO_METRICS: Metrics = {
  version: "1.0",
  isEnabled: false,
  includesApis: undefined,
  retention: NO_RETENTION,
};

const DEFAULTS: ServiceProperties = {
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
  deleteRetention: { ...NO_RETENTION, allowsPermanentDelete: false },
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

/** The properties before a client sets any. The default version stays unset. */
export function defaultServiceProperties(owner: PropertiesOwner): ServiceProperties {
  const out: Record<string, unknown> = {};
  for (const name of PROPERTIES_OF[owner]) if (DEFAULTS[name] !== undefined) out[name] = DEFAULTS[name];
  return out;
}

/**
 * Set Service Properties replaces each given property as a whole and keeps the others: an empty Cors removes
 * all rules, an absent one keeps them.
 */
export function mergeServiceProperties(
  current: ServiceProperties,
  update: ServiceProperties,
): ServiceProperties {
  const merged: Record<string, unknown> = { ...current };
  for (const [name, value] of Object.entries(update)) if (value !== undefined) merged[name] = value;
  return merged;
}
