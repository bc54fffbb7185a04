import { withStatus } from "./row.ts";

/** What only the Table service answers. */
export const TABLE_REFUSALS = {
  ...withStatus(400, {
    CommandsInBatchActOnDifferentPartitions: "All commands in a batch must operate on same entity group.",
    DuplicatePropertiesSpecified: "A property is specified more than one time.",
    EntityTooLarge: "The entity is larger than the maximum allowed size (1MB).",
    HostInformationNotPresent:
      "The required host information is not present in the request. You must send a non-empty Host header or include the absolute URI in the request line.",
    InvalidDuplicateRow:
      "The batch request contains multiple changes with same row key. An entity can appear only once in a batch request.",
    InvalidValueType: "The value specified is of an invalid type.",
    KeyValueTooLarge: "The key value is larger than the maximum allowed size (1KB).",
    PropertiesNeedValue: "The values are not specified for all properties in the entity.",
    PropertyNameInvalid: "The property name is invalid.",
    PropertyNameTooLong: "The property name exceeds the maximum allowed length (255).",
    PropertyValueTooLarge:
      "The property value exceeds the maximum allowed size (64KB). If the property value is a string, it is UTF-16 encoded and the maximum number of characters should be 32K or less.",
    TooManyProperties:
      "The entity contains more properties than allowed. Each entity can include up to 252 properties to store data. Each entity also has 3 system properties.",
    XMethodIncorrectCount: "Only one X-HTTP-Method header may be specified.",
    XMethodIncorrectValue: "The X-HTTP-Method header may be PUT, MERGE, PATCH or DELETE only.",
    XMethodNotUsingPost: "X-HTTP-Method may be used with POST only.",
  }),
  TableNotFound: { http: 404, text: "The table specified does not exist." },
  MethodNotAllowed: { http: 405, text: "The requested method is not allowed on the specified resource." },
  ...withStatus(409, {
    EntityAlreadyExists: "The specified entity already exists.",
    TableAlreadyExists: "The table specified already exists.",
    TableBeingDeleted: "The specified table is being deleted. Try operation later.",
  }),
  UpdateConditionNotSatisfied: {
    http: 412,
    text: "The update condition specified in the request was not satisfied.",
  },
  ...withStatus(415, {
    AtomFormatNotSupported: "Atom format is not supported.",
    JsonFormatNotSupported: "JSON format is not supported.",
    JsonVerboseFormatNotSupported: "JSON Verbose format is not supported.",
    MediaTypeNotSupported: "None of the provided media types are supported.",
  }),
  NotImplemented: {
    http: 501,
    text: "The requested operation is not implemented on the specified resource.",
  },
} as const;
