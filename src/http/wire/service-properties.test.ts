import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Refusal, type RefusalCode } from "../../base/refusals.ts";
import {
  defaultServiceProperties,
  mergeServiceProperties,
  PROPERTIES_OF,
  type PropertiesOwner,
  type ServiceProperties,
} from "../../services/account/service-properties.ts";
import { parseServiceProperties, printServiceProperties } from "./service-properties.ts";

const OWNERS: readonly PropertiesOwner[] = ["blob", "queue", "table", "file"];

const parse = (owner: PropertiesOwner, content: string): ServiceProperties =>
  parseServiceProperties(
    owner,
    Buffer.from(
      `<?xml version="1.0" encoding="UTF-8"?><StorageServiceProperties>${content}</StorageServiceProperties>`,
    ),
  );

function refused(owner: PropertiesOwner, content: string, code: RefusalCode, tag?: string): void {
  assert.throws(
    () => parse(owner, content),
    (error: unknown) => {
      assert(error instanceof Refusal, String(error));
      assert.equal(error.code, code);
      if (tag !== undefined) assert.equal(error.detail.elements?.XmlNodeName, tag);
      return true;
    },
  );
}

const LOGGING =
  "<Logging><Version>1.0</Version><Read>true</Read><Write>false</Write><Delete>true</Delete>" +
  "<RetentionPolicy><Enabled>true</Enabled><Days>7</Days></RetentionPolicy></Logging>";
const rule = (fields: Partial<Record<string, string>> = {}): string => {
  const all = {
    AllowedMethods: "GET,put",
    AllowedOrigins: "http://a.example, http://b.example",
    AllowedHeaders: "x-ms-meta-data*,x-ms-meta-abc",
    ExposedHeaders: "x-ms-meta-*",
    MaxAgeInSeconds: "200",
    ...fields,
  };
  return `<CorsRule>${Object.entries(all)
    .map(([name, value]) => (value === undefined ? "" : `<${name}>${value}</${name}>`))
    .join("")}</CorsRule>`;
};
const cors = (rules: string): string => `<Cors>${rules}</Cors>`;

test("a Set Blob Service Properties of every part is read", () => {
  const read = parse(
    "blob",
    `${LOGGING}<HourMetrics><Version>1.0</Version><Enabled>true</Enabled><IncludeAPIs>True</IncludeAPIs>
      <RetentionPolicy><Enabled>false</Enabled></RetentionPolicy></HourMetrics>${cors(rule())}
     <DefaultServiceVersion>2021-06-08</DefaultServiceVersion>
     <DeleteRetentionPolicy><Enabled>true</Enabled><Days>365</Days><AllowPermanentDelete>false</AllowPermanentDelete></DeleteRetentionPolicy>
     <StaticWebsite><Enabled>true</Enabled><IndexDocument>index.html</IndexDocument></StaticWebsite>`,
  );
  assert.deepEqual(read, {
    logging: {
      version: "1.0",
      logsDelete: true,
      logsRead: true,
      logsWrite: false,
      retention: { isEnabled: true, days: 7 },
    },
    hourMetrics: {
      version: "1.0",
      isEnabled: true,
      includesApis: true,
      retention: { isEnabled: false, days: undefined },
    },
    cors: [
      {
        allowedOrigins: ["http://a.example", "http://b.example"],
        allowedMethods: ["GET", "PUT"],
        allowedHeaders: ["x-ms-meta-abc", "x-ms-meta-data*"],
        exposedHeaders: ["x-ms-meta-*"],
        maxAgeSeconds: 200,
      },
    ],
    defaultServiceVersion: "2021-06-08",
    deleteRetention: { isEnabled: true, days: 365, allowsPermanentDelete: false },
    staticWebsite: {
      isEnabled: true,
      indexDocument: "index.html",
      errorDocument404Path: undefined,
      defaultIndexDocumentPath: undefined,
    },
  } satisfies ServiceProperties);
});

test("the File service has protocol settings and no logging", () => {
  const read = parse(
    "file",
    "<ProtocolSettings><SMB><Multichannel><Enabled>true</Enabled></Multichannel></SMB></ProtocolSettings>",
  );
  assert.equal(read.protocolSettings?.smbMultichannel, true);
  assert.equal(read.protocolSettings?.nfsEncryptionRequired, undefined);
  refused("file", LOGGING, "UnsupportedXmlNode", "Logging");
});

test("what a Set does not name keeps its value, an empty Cors removes the rules", () => {
  const stored = mergeServiceProperties(
    defaultServiceProperties("queue"),
    parse("queue", cors(rule()) + LOGGING),
  );
  const kept = mergeServiceProperties(stored, parse("queue", ""));
  assert.deepEqual(kept, stored);
  const cleared = mergeServiceProperties(stored, parse("queue", "<Cors/>"));
  assert.deepEqual(cleared, { ...stored, cors: [] });
});

test("each way to be wrong has its code", () => {
  refused("queue", "<Unknown/>", "UnsupportedXmlNode", "Unknown");
  refused("table", "<StaticWebsite><Enabled>true</Enabled></StaticWebsite>", "UnsupportedXmlNode");
  refused("queue", LOGGING + LOGGING, "InvalidXmlDocument", "Logging");
  refused("queue", LOGGING.replace("<Read>true</Read>", ""), "MissingRequiredXmlNode", "Read");
  for (const days of ["", "<Days>366</Days>", "<Days>0</Days>"])
    refused("queue", LOGGING.replace("<Days>7</Days>", days), "InvalidXmlDocument");
  const website = "<StaticWebsite><Enabled>false</Enabled><IndexDocument>a</IndexDocument></StaticWebsite>";
  refused("blob", website, "InvalidXmlDocument");
  refused("queue", LOGGING.replace("<Days>7</Days>", "<Days>x</Days>"), "InvalidXmlNodeValue", "Days");
  refused("queue", LOGGING.replace("<Read>true", "<Read>yes"), "InvalidXmlNodeValue", "Read");
  refused(
    "queue",
    "<HourMetrics><Enabled>true</Enabled></HourMetrics>",
    "MissingRequiredXmlNode",
    "IncludeAPIs",
  );
  refused("blob", "<DefaultServiceVersion>new</DefaultServiceVersion>", "InvalidXmlNodeValue");
  assert.throws(
    () => parseServiceProperties("blob", Buffer.from("<Other/>")),
    (error: unknown) => error instanceof Refusal && error.code === "InvalidXmlDocument",
  );
});

test("an invalid document names the place and the reason, as Azure does", () => {
  const elements = (document: string): object => {
    try {
      parseServiceProperties("queue", Buffer.from(document));
    } catch (error) {
      return (error as Refusal).detail.elements!;
    }
    assert.fail("accepted");
  };
  const metrics =
    "<MinuteMetrics><Version>1.0</Version><Enabled>true</Enabled><IncludeAPIs>true</IncludeAPIs>" +
    "<RetentionPolicy><Enabled>true</Enabled><Days>366</Days></RetentionPolicy></MinuteMetrics>";
  const body = `<?xml version='1.0'?>\n<StorageServiceProperties>${metrics}</StorageServiceProperties>`;
  assert.deepEqual(elements(body), {
    LineNumber: "2",
    LinePosition: "176",
    Reason: "Retention days must be greater than 0 and less than or equal to 365 days.",
  });
  const tooMany = `<StorageServiceProperties>${cors(rule().repeat(6))}</StorageServiceProperties>`;
  assert.deepEqual(elements(tooMany), { LineNumber: "0", LinePosition: "0", Reason: "" });
  assert.deepEqual(elements("<?xml version='1.0'?>\n<StorageServiceProperties />"), {
    LineNumber: "2",
    LinePosition: "29",
    Reason: "Error parsing Xml content: the root element is empty.",
  });
});

test("CORS headers print with the prefixes last, as Azure does", () => {
  const read = parse("queue", cors(rule({ AllowedHeaders: "b*,a,c*,d", ExposedHeaders: "x*,y" })));
  assert.deepEqual(read.cors?.[0]?.allowedHeaders, ["a", "d", "b*", "c*"]);
  assert.deepEqual(read.cors?.[0]?.exposedHeaders, ["y", "x*"]);
});

test("CORS rules have bounds", () => {
  assert.equal(parse("blob", cors(rule().repeat(5))).cors?.length, 5);
  refused("blob", cors(rule().repeat(6)), "InvalidXmlDocument");
  for (const name of ["AllowedOrigins", "AllowedHeaders", "ExposedHeaders"]) {
    refused("blob", cors(rule({ [name]: "a".repeat(257) })), "InvalidXmlDocument");
    // Refused before what is missing.
    const alone = `<CorsRule><${name}>${"a".repeat(257)}</${name}></CorsRule>`;
    refused("blob", cors(alone), "InvalidXmlDocument");
  }
  const fetch = "<CorsRule><AllowedMethods>FETCH</AllowedMethods></CorsRule>";
  refused("blob", cors(fetch), "InvalidXmlNodeValue", "AllowedMethods");
  refused("blob", cors(rule({ AllowedOrigins: "" })), "InvalidXmlNodeValue", "AllowedOrigins");
  refused("blob", cors(rule({ AllowedMethods: "GET,FETCH" })), "InvalidXmlNodeValue", "AllowedMethods");
  refused("blob", cors(rule({ AllowedHeaders: "a*,b*,c*" })), "InvalidXmlNodeValue", "AllowedHeaders");
  refused("blob", cors(rule({ ExposedHeaders: Array(65).fill("a").join(",") })), "InvalidXmlNodeValue");
  refused("blob", cors(rule({ MaxAgeInSeconds: "-1" })), "InvalidXmlNodeValue", "MaxAgeInSeconds");
  const long = rule({ AllowedHeaders: Array(5).fill("h".repeat(250)).join(",") });
  refused("blob", cors(long + long), "InvalidXmlDocument");
  for (const field of ["AllowedOrigins", "AllowedMethods", "MaxAgeInSeconds"])
    refused("blob", cors(rule({ [field]: undefined })), "MissingRequiredXmlNode", field);
  const bare = rule({ AllowedHeaders: undefined, ExposedHeaders: undefined });
  const [read] = parse("blob", cors(bare)).cors!;
  assert.deepEqual([read?.allowedHeaders, read?.exposedHeaders], [[], []]);
});

test("the defaults print what the service has, in its order", () => {
  assert.equal(
    printServiceProperties("file", defaultServiceProperties("file")),
    '\ufeff<?xml version="1.0" encoding="utf-8"?><StorageServiceProperties>' +
      "<HourMetrics><Version>1.0</Version><Enabled>false</Enabled><RetentionPolicy><Enabled>false</Enabled></RetentionPolicy></HourMetrics>" +
      "<MinuteMetrics><Version>1.0</Version><Enabled>false</Enabled><RetentionPolicy><Enabled>false</Enabled></RetentionPolicy></MinuteMetrics>" +
      "<Cors /><ProtocolSettings><SMB><Multichannel><Enabled>false</Enabled></Multichannel></SMB></ProtocolSettings>" +
      "</StorageServiceProperties>",
  );
});

const flag = fc.boolean();
const maybeFlag = fc.option(flag, { nil: undefined });
const retention = fc.oneof(
  fc.constant({ isEnabled: false, days: undefined }),
  fc.record({ isEnabled: fc.constant(true), days: fc.integer({ min: 1, max: 365 }) }),
);
const version = fc.constantFrom("1.0", "2.0");
const metrics = fc.oneof(
  fc.record({ version, isEnabled: fc.constant(false), includesApis: maybeFlag, retention }),
  fc.record({ version, isEnabled: fc.constant(true), includesApis: flag, retention }),
);
const item = fc.stringMatching(/^[a-z<&"':/.-]{1,12}$/);
const path = fc.option(fc.stringMatching(/^[a-z&<>/. ]{1,20}$/), { nil: undefined });
const values = fc.record({
  logging: fc.record({ version, logsDelete: flag, logsRead: flag, logsWrite: flag, retention }),
  hourMetrics: metrics,
  minuteMetrics: metrics,
  cors: fc.array(
    fc.record({
      allowedOrigins: fc.array(item, { minLength: 1, maxLength: 4 }),
      allowedMethods: fc.subarray(["GET", "PUT", "MERGE"], { minLength: 1 }),
      allowedHeaders: fc.array(item, { maxLength: 4 }),
      exposedHeaders: fc.array(item, { maxLength: 4 }),
      maxAgeSeconds: fc.nat(),
    }),
    { maxLength: 5 },
  ),
  defaultServiceVersion: fc.constant("2026-06-06"),
  deleteRetention: fc
    .tuple(retention, flag)
    .map(([policy, allowsPermanentDelete]) => ({ ...policy, allowsPermanentDelete })),
  staticWebsite: fc.tuple(flag, path, path, path).map(([isEnabled, ...documents]) => {
    const [indexDocument, errorDocument404Path, defaultIndexDocumentPath] = isEnabled ? documents : [];
    return { isEnabled, indexDocument, errorDocument404Path, defaultIndexDocumentPath };
  }),
  protocolSettings: fc.record({
    smbMultichannel: maybeFlag,
    smbEncryptionRequired: maybeFlag,
    nfsEncryptionRequired: maybeFlag,
  }),
});

test("what a service prints reads back as it was", () => {
  fc.assert(
    fc.property(fc.constantFrom(...OWNERS), values, (owner, all) => {
      // A clone has plain prototypes; what is generated may have none, and deepEqual would see a difference.
      const own = structuredClone(Object.fromEntries(PROPERTIES_OF[owner].map((name) => [name, all[name]])));
      assert.deepEqual(parseServiceProperties(owner, Buffer.from(printServiceProperties(owner, own))), own);
    }),
  );
});

test("trees of known names in wrong places give a value or a refusal", () => {
  const tag = fc.constantFrom(
    "Logging",
    "Cors",
    "CorsRule",
    "HourMetrics",
    "Enabled",
    "Days",
    "SMB",
    "ProtocolSettings",
    "StaticWebsite",
    "RetentionPolicy",
    "Version",
  );
  const leaf = tag.chain((name) =>
    fc.constantFrom("true", "", "7", "x").map((text) => `<${name}>${text}</${name}>`),
  );
  const wrap = (inner: fc.Arbitrary<string>): fc.Arbitrary<string> =>
    fc
      .tuple(tag, fc.array(inner, { maxLength: 5 }))
      .map(([name, parts]) => `<${name}>${parts.join("")}</${name}>`);
  fc.assert(
    fc.property(
      fc.constantFrom(...OWNERS),
      fc.array(fc.oneof(leaf, wrap(leaf), wrap(wrap(leaf)))),
      (owner, parts) => {
        try {
          parse(owner, parts.join(""));
        } catch (error) {
          assert(error instanceof Refusal, String(error));
        }
      },
    ),
  );
});
