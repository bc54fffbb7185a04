import { propertiesKey, propertiesRecord } from "../../services/account/get-service-properties.ts";
import type {
  CorsRule,
  Logging,
  Metrics,
  Retention,
  ServiceProperties,
} from "../../services/account/service-properties.ts";
import { putServiceProperties } from "../../services/account/set-service-properties.ts";
import { fieldsOf } from "./azurite-data.ts";
import type { Fields } from "./fields.ts";
import { canonical, defined, type ImportStep } from "./import-step.ts";
import type { LokiRecord } from "./loki-file.ts";

/** The properties of a service, for each account that has set them. */
export function propertiesStep(service: "blob" | "queue" | "table"): ImportStep {
  return {
    file: service,
    isIn: (collection) => collection === "$SERVICES_COLLECTION$",
    async prepare(_, loki) {
      const { account, properties } = propertiesOf(service, loki);
      return {
        async write(write) {
          await putServiceProperties(write, account, service, properties);
          return "imported";
        },
      };
    },
    async compare(_, read, loki) {
      const { account, properties } = propertiesOf(service, loki);
      const bytes = await read.get(propertiesKey(account, service));
      const stored = bytes === undefined ? {} : propertiesRecord.unpack(bytes);
      const isSame = canonical({ ...stored, ...properties }) === canonical(stored);
      return isSame ? undefined : `the properties of the ${service} service of ${account}`;
    },
  };
}

function propertiesOf(
  service: string,
  loki: LokiRecord,
): { readonly account: string; readonly properties: ServiceProperties } {
  const fields = fieldsOf(loki, `the properties of the ${service} service`);
  const cors = fields.value("cors") === undefined ? undefined : fields.list("cors").map(corsRuleOf);
  const retention = fields.optionalFields("deleteRetentionPolicy");
  const website = fields.optionalFields("staticWebsite");
  const properties = {
    logging: loggingOf(fields.optionalFields("logging")),
    hourMetrics: metricsOf(fields.optionalFields("hourMetrics")),
    minuteMetrics: metricsOf(fields.optionalFields("minuteMetrics")),
    cors,
    defaultServiceVersion: fields.optionalText("defaultServiceVersion"),
    deleteRetention: retention && { ...retentionOf(retention), allowsPermanentDelete: undefined },
    staticWebsite: website && {
      isEnabled: website.flag("enabled"),
      indexDocument: website.optionalText("indexDocument"),
      errorDocument404Path: website.optionalText("errorDocument404Path"),
      defaultIndexDocumentPath: website.optionalText("defaultIndexDocumentPath"),
    },
  };
  return { account: fields.text("accountName"), properties: defined(properties) as ServiceProperties };
}

function retentionOf(policy: Fields | undefined): Retention {
  const isEnabled = policy?.flag("enabled") ?? false;
  return { isEnabled, days: isEnabled ? policy?.optionalNumber("days") : undefined };
}

function loggingOf(logging: Fields | undefined): Logging | undefined {
  if (logging === undefined) return undefined;
  return {
    version: logging.optionalText("version") ?? "1.0",
    logsDelete: logging.flag("deleteProperty"),
    logsRead: logging.flag("read"),
    logsWrite: logging.flag("write"),
    retention: retentionOf(logging.optionalFields("retentionPolicy")),
  };
}

function metricsOf(metrics: Fields | undefined): Metrics | undefined {
  if (metrics === undefined) return undefined;
  return {
    version: metrics.optionalText("version") ?? "1.0",
    isEnabled: metrics.flag("enabled"),
    includesApis: metrics.value("includeAPIs") === undefined ? undefined : metrics.flag("includeAPIs"),
    retention: retentionOf(metrics.optionalFields("retentionPolicy")),
  };
}

function corsRuleOf(rule: Fields): CorsRule {
  const items = (field: string): string[] =>
    (rule.optionalText(field) ?? "")
      .split(",")
      .map((item) => item.trim())
      .filter((item) => item !== "");
  return {
    allowedOrigins: items("allowedOrigins"),
    allowedMethods: items("allowedMethods").map((method) => method.toUpperCase()),
    allowedHeaders: items("allowedHeaders"),
    exposedHeaders: items("exposedHeaders"),
    maxAgeSeconds: rule.optionalNumber("maxAgeInSeconds") ?? 0,
  };
}
