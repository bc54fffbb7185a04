/** What only the Table service answers. */
export declare const TABLE_REFUSALS: {
    readonly AtomFormatNotSupported: {
        readonly http: 415;
        readonly text: "Atom format is not supported.";
    };
    readonly CommandsInBatchActOnDifferentPartitions: {
        readonly http: 400;
        readonly text: "All commands in a batch must operate on same entity group.";
    };
    readonly DuplicatePropertiesSpecified: {
        readonly http: 400;
        readonly text: "A property is specified more than one time.";
    };
    readonly EntityAlreadyExists: {
        readonly http: 409;
        readonly text: "The specified entity already exists.";
    };
    readonly EntityTooLarge: {
        readonly http: 400;
        readonly text: "The entity is larger than the maximum allowed size (1MB).";
    };
    readonly HostInformationNotPresent: {
        readonly http: 400;
        readonly text: "The required host information is not present in the request. You must send a non-empty Host header or include the absolute URI in the request line.";
    };
    readonly InvalidDuplicateRow: {
        readonly http: 400;
        readonly text: "The batch request contains multiple changes with same row key. An entity can appear only once in a batch request.";
    };
    readonly InvalidValueType: {
        readonly http: 400;
        readonly text: "The value specified is of an invalid type.";
    };
    readonly JsonFormatNotSupported: {
        readonly http: 415;
        readonly text: "JSON format is not supported.";
    };
    readonly JsonVerboseFormatNotSupported: {
        readonly http: 415;
        readonly text: "JSON Verbose format is not supported.";
    };
    readonly KeyValueTooLarge: {
        readonly http: 400;
        readonly text: "The key value is larger than the maximum allowed size (1KB).";
    };
    readonly MediaTypeNotSupported: {
        readonly http: 415;
        readonly text: "None of the provided media types are supported.";
    };
    readonly MethodNotAllowed: {
        readonly http: 405;
        readonly text: "The requested method is not allowed on the specified resource.";
    };
    readonly NotImplemented: {
        readonly http: 501;
        readonly text: "The requested operation is not implemented on the specified resource.";
    };
    readonly PropertiesNeedValue: {
        readonly http: 400;
        readonly text: "The values are not specified for all properties in the entity.";
    };
    readonly PropertyNameInvalid: {
        readonly http: 400;
        readonly text: "The property name is invalid.";
    };
    readonly PropertyNameTooLong: {
        readonly http: 400;
        readonly text: "The property name exceeds the maximum allowed length (255).";
    };
    readonly PropertyValueTooLarge: {
        readonly http: 400;
        readonly text: "The property value exceeds the maximum allowed size (64KB). If the property value is a string, it is UTF-16 encoded and the maximum number of characters should be 32K or less.";
    };
    readonly TableAlreadyExists: {
        readonly http: 409;
        readonly text: "The table specified already exists.";
    };
    readonly TableNotFound: {
        readonly http: 404;
        readonly text: "The table specified does not exist.";
    };
    readonly TooManyProperties: {
        readonly http: 400;
        readonly text: "The entity contains more properties than allowed. Each entity can include up to 252 properties to store data. Each entity also has 3 system properties.";
    };
    readonly UpdateConditionNotSatisfied: {
        readonly http: 412;
        readonly text: "The update condition specified in the request was not satisfied.";
    };
    readonly XMethodIncorrectCount: {
        readonly http: 400;
        readonly text: "Only one X-HTTP-Method header may be specified.";
    };
    readonly XMethodIncorrectValue: {
        readonly http: 400;
        readonly text: "The X-HTTP-Method header may be PUT, MERGE, PATCH or DELETE only.";
    };
    readonly XMethodNotUsingPost: {
        readonly http: 400;
        readonly text: "X-HTTP-Method may be used with POST only.";
    };
};
