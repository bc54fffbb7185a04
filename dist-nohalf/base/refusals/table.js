/** What only the Table service answers. */
export const TABLE_REFUSALS = {
    AtomFormatNotSupported: { http: 415, text: "Atom format is not supported." },
    CommandsInBatchActOnDifferentPartitions: {
        http: 400,
        text: "All commands in a batch must operate on same entity group.",
    },
    DuplicatePropertiesSpecified: {
        http: 400,
        text: "A property is specified more than one time.",
    },
    EntityAlreadyExists: { http: 409, text: "The specified entity already exists." },
    EntityTooLarge: { http: 400, text: "The entity is larger than the maximum allowed size (1MB)." },
    HostInformationNotPresent: {
        http: 400,
        text: "The required host information is not present in the request. You must send a non-empty Host header or include the absolute URI in the request line.",
    },
    InvalidDuplicateRow: {
        http: 400,
        text: "The batch request contains multiple changes with same row key. An entity can appear only once in a batch request.",
    },
    InvalidValueType: { http: 400, text: "The value specified is of an invalid type." },
    JsonFormatNotSupported: { http: 415, text: "JSON format is not supported." },
    JsonVerboseFormatNotSupported: { http: 415, text: "JSON Verbose format is not supported." },
    KeyValueTooLarge: { http: 400, text: "The key value is larger than the maximum allowed size (1KB)." },
    MediaTypeNotSupported: { http: 415, text: "None of the provided media types are supported." },
    MethodNotAllowed: {
        http: 405,
        text: "The requested method is not allowed on the specified resource.",
    },
    NotImplemented: {
        http: 501,
        text: "The requested operation is not implemented on the specified resource.",
    },
    PropertiesNeedValue: {
        http: 400,
        text: "The values are not specified for all properties in the entity.",
    },
    PropertyNameInvalid: { http: 400, text: "The property name is invalid." },
    PropertyNameTooLong: {
        http: 400,
        text: "The property name exceeds the maximum allowed length (255).",
    },
    PropertyValueTooLarge: {
        http: 400,
        text: "The property value exceeds the maximum allowed size (64KB). If the property value is a string, it is UTF-16 encoded and the maximum number of characters should be 32K or less.",
    },
    TableAlreadyExists: { http: 409, text: "The table specified already exists." },
    TableNotFound: { http: 404, text: "The table specified does not exist." },
    TooManyProperties: {
        http: 400,
        text: "The entity contains more properties than allowed. Each entity can include up to 252 properties to store data. Each entity also has 3 system properties.",
    },
    UpdateConditionNotSatisfied: {
        http: 412,
        text: "The update condition specified in the request was not satisfied.",
    },
    XMethodIncorrectCount: { http: 400, text: "Only one X-HTTP-Method header may be specified." },
    XMethodIncorrectValue: {
        http: 400,
        text: "The X-HTTP-Method header may be PUT, MERGE, PATCH or DELETE only.",
    },
    XMethodNotUsingPost: { http: 400, text: "X-HTTP-Method may be used with POST only." },
};
