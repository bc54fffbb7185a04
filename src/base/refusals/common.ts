/**
 * What any service may answer. One row: the protocol's code, its HTTP status, the NTSTATUS where SMB knows
 * it.
 */
export const COMMON_REFUSALS = {
  AccountIsDisabled: { http: 403, text: "The specified account is disabled." },
  AccountRequiresHttps: {
    http: 400,
    text: "A plain HTTP request was sent to an HTTPS port. Use https:// in the address of the endpoint.",
  },
  AuthenticationFailed: {
    http: 403,
    smb: 0xc000_006d,
    text: "Server failed to authenticate the request. Make sure the value of Authorization header is formed correctly including the signature.",
  },
  AuthorizationFailure: { http: 403, text: "This request is not authorized to perform this operation." },
  AuthorizationPermissionMismatch: {
    http: 403,
    smb: 0xc000_0022,
    text: "This request is not authorized to perform this operation using this permission.",
  },
  AuthorizationProtocolMismatch: {
    http: 403,
    text: "This request is not authorized to perform this operation using this protocol.",
  },
  AuthorizationResourceTypeMismatch: {
    http: 403,
    text: "This request is not authorized to perform this operation using this resource type.",
  },
  AuthorizationServiceMismatch: {
    http: 403,
    text: "This request is not authorized to perform this operation using this service.",
  },
  AuthorizationSourceIPMismatch: {
    http: 403,
    text: "This request is not authorized to perform this operation using this source IP.",
  },
  BothCrc64AndMd5HeaderPresent: {
    http: 400,
    text: "Both x-ms-content-crc64 header and Content-MD5 header are present.",
  },
  ConditionHeadersNotSupported: { http: 400, text: "Condition headers are not supported." },
  ConditionNotMet: {
    http: 412,
    text: "The condition specified using HTTP conditional header(s) is not met.",
  },
  CorsPreflightFailure: {
    http: 403,
    text: "CORS not enabled or no matching rule found for this request.",
  },
  Crc64Mismatch: {
    http: 400,
    text: "The CRC64 value specified in the request did not match with the CRC64 value calculated by the server.",
  },
  EmptyMetadataKey: { http: 400, text: "The key for one of the metadata key-value pairs is empty." },
  FeatureVersionMismatch: {
    http: 409,
    text: "The operation cannot be performed because of a version mismatch of a feature.",
  },
  InsufficientAccountPermissions: {
    http: 403,
    text: "The account being accessed does not have sufficient permissions to execute this operation.",
  },
  InternalError: {
    http: 500,
    smb: 0xc000_00e5,
    text: "Server encountered an internal error. Please try again after some time.",
  },
  InvalidAuthenticationInfo: {
    http: 400,
    text: "Authentication information is not given in the correct format. Check the value of Authorization header.",
  },
  /** The same code for a bearer token, where the protocol answers 401 with a challenge. */
  InvalidBearerToken: {
    http: 401,
    code: "InvalidAuthenticationInfo",
    text: "Server failed to authenticate the request. Please refer to the information in the www-authenticate header.",
  },
  InvalidHeaderValue: {
    http: 400,
    text: "The value for one of the HTTP headers is not in the correct format.",
  },
  InvalidInput: { http: 400, text: "One of the request inputs is not valid." },
  InvalidMd5: {
    http: 400,
    text: "The MD5 value specified in the request is invalid. MD5 value must be 128 bits and base64 encoded.",
  },
  InvalidMetadata: {
    http: 400,
    text: "The metadata specified is invalid. It has characters that are not permitted.",
  },
  InvalidQueryParameterValue: {
    http: 400,
    text: "Value for one of the query parameters specified in the request URI is invalid.",
  },
  InvalidRange: {
    http: 416,
    text: "The range specified is invalid for the current size of the resource.",
  },
  InvalidResourceName: {
    http: 400,
    smb: 0xc000_0033,
    // Spelled as the service spells it: there are programs that compare.
    text: "The specifed resource name contains invalid characters.",
  },
  InvalidUri: { http: 400, text: "The requested URI does not represent any resource on the server." },
  InvalidXmlDocument: { http: 400, text: "XML specified is not syntactically valid." },
  InvalidXmlNodeValue: {
    http: 400,
    text: "The value for one of the XML nodes is not in the correct format.",
  },
  Md5Mismatch: {
    http: 400,
    text: "The MD5 value specified in the request did not match with the MD5 value calculated by the server.",
  },
  /** Azurite's, for `--extentMemoryLimit`; Azure has no such limit. */
  MemoryExtentStoreAtSizeLimit: {
    http: 409,
    text: "The limit on what is kept in memory is reached.",
  },
  MetadataTooLarge: {
    http: 400,
    text: "The size of the specified metadata exceeds the maximum size permitted.",
  },
  MissingContentLengthHeader: { http: 411, text: "Content-Length HTTP header is missing." },
  MissingRequiredHeader: {
    http: 400,
    text: "An HTTP header that's mandatory for this request is not specified.",
  },
  MissingRequiredQueryParameter: {
    http: 400,
    text: "A query parameter that's mandatory for this request is not specified.",
  },
  MissingRequiredXmlNode: { http: 400, text: "A required XML node was not specified in the request body." },
  MultipleConditionHeadersNotSupported: { http: 400, text: "Multiple condition headers are not supported." },
  NoAuthenticationInformation: {
    http: 401,
    text: "Server failed to authenticate the request. Please refer to the information in the www-authenticate header.",
  },
  OperationTimedOut: { http: 500, text: "The operation could not be completed within the permitted time." },
  OutOfRangeInput: { http: 400, text: "One of the request inputs is out of range." },
  OutOfRangeQueryParameterValue: {
    http: 400,
    text: "One of the query parameters specified in the request URI is outside the permissible range.",
  },
  PublicAccessNotPermitted: { http: 409, text: "Public access is not permitted on this storage account." },
  QueryParameterSddInvalid: {
    http: 403,
    text: "The signed directory depth (sdd) is missing or does not fit the path of the request.",
  },
  RequestBodyTooLarge: {
    http: 413,
    text: "The request body is too large and exceeds the maximum permissible limit.",
  },
  RequestUrlFailedToParse: { http: 400, text: "The url in the request could not be parsed." },
  ResourceAlreadyExists: { http: 409, smb: 0xc000_0035, text: "The specified resource already exists." },
  ResourceNotFound: { http: 404, smb: 0xc000_0034, text: "The specified resource does not exist." },
  ResourceTypeMismatch: {
    http: 409,
    smb: 0xc000_00ba,
    text: "The specified resource type does not match the type of the existing resource.",
  },
  ServerBusy: {
    http: 503,
    smb: 0xc000_0205,
    text: "The server is currently unable to receive requests. Please retry your request.",
  },
  UnsupportedHeader: {
    http: 400,
    text: "One of the HTTP headers specified in the request is not supported.",
  },
  UnsupportedHttpVerb: { http: 405, text: "The resource doesn't support specified Http Verb." },
  UnsupportedQueryParameter: {
    http: 400,
    text: "One of the query parameters specified in the request URI is not supported.",
  },
  UnsupportedXmlNode: {
    http: 400,
    text: "One of the XML nodes specified in the request body is not supported.",
  },
} as const;
