import { withStatus } from "./row.ts";

/** What any service may answer. */
export const COMMON_REFUSALS = {
  ...withStatus(400, {
    AccountRequiresHttps:
      "A plain HTTP request was sent to an HTTPS port. Use https:// in the address of the endpoint.",
    BothCrc64AndMd5HeaderPresent: "Both x-ms-content-crc64 header and Content-MD5 header are present.",
    ConditionHeadersNotSupported: "Condition headers are not supported.",
    Crc64Mismatch:
      "The CRC64 value specified in the request did not match with the CRC64 value calculated by the server.",
    EmptyMetadataKey: "The key for one of the metadata key-value pairs is empty.",
    InvalidAuthenticationInfo:
      "Authentication information is not given in the correct format. Check the value of Authorization header.",
    InvalidHeaderValue: "The value for one of the HTTP headers is not in the correct format.",
    InvalidInput: "One of the request inputs is not valid.",
    InvalidMd5:
      "The MD5 value specified in the request is invalid. MD5 value must be 128 bits and base64 encoded.",
    InvalidMetadata: "The metadata specified is invalid. It has characters that are not permitted.",
    InvalidQueryParameterValue:
      "Value for one of the query parameters specified in the request URI is invalid.",
    InvalidUri: "The requested URI does not represent any resource on the server.",
    InvalidXmlDocument: "XML specified is not syntactically valid.",
    InvalidXmlNodeValue: "The value for one of the XML nodes is not in the correct format.",
    Md5Mismatch:
      "The MD5 value specified in the request did not match with the MD5 value calculated by the server.",
    MetadataTooLarge: "The size of the specified metadata exceeds the maximum size permitted.",
    MissingRequiredHeader: "An HTTP header that's mandatory for this request is not specified.",
    MissingRequiredQueryParameter: "A query parameter that's mandatory for this request is not specified.",
    MissingRequiredXmlNode: "A required XML node was not specified in the request body.",
    MultipleConditionHeadersNotSupported: "Multiple condition headers are not supported.",
    OutOfRangeInput: "One of the request inputs is out of range.",
    OutOfRangeQueryParameterValue:
      "One of the query parameters specified in the request URI is outside the permissible range.",
    UnsupportedQueryParameter: "One of the query parameters specified in the request URI is not supported.",
    UnsupportedXmlNode: "One of the XML nodes specified in the request body is not supported.",
  }),
  NoAuthenticationInformation: {
    http: 401,
    text: "Server failed to authenticate the request. Please refer to the information in the www-authenticate header.",
  },
  ...withStatus(403, {
    AuthorizationFailure: "This request is not authorized to perform this operation.",
    AuthorizationProtocolMismatch:
      "This request is not authorized to perform this operation using this protocol.",
    AuthorizationResourceTypeMismatch:
      "This request is not authorized to perform this operation using this resource type.",
    AuthorizationServiceMismatch:
      "This request is not authorized to perform this operation using this service.",
    AuthorizationSourceIPMismatch:
      "This request is not authorized to perform this operation using this source IP.",
    CorsPreflightFailure: "CORS not enabled or no matching rule found for this request.",
    InsufficientAccountPermissions:
      "The account being accessed does not have sufficient permissions to execute this operation.",
    QueryParameterSddInvalid:
      "The signed directory depth (sdd) is missing or does not fit the path of the request.",
  }),
  UnsupportedHttpVerb: { http: 405, text: "The resource doesn't support specified Http Verb." },
  ...withStatus(409, {
    /** Azurite's, for `--extentMemoryLimit`; Azure has no such limit. */
    MemoryExtentStoreAtSizeLimit: "The limit on what is kept in memory is reached.",
    PublicAccessNotPermitted: "Public access is not permitted on this storage account.",
  }),
  MissingContentLengthHeader: { http: 411, text: "Content-Length HTTP header is missing." },
  ConditionNotMet: {
    http: 412,
    text: "The condition specified using HTTP conditional header(s) is not met.",
  },
  RequestBodyTooLarge: {
    http: 413,
    text: "The request body is too large and exceeds the maximum permissible limit.",
  },
  InvalidRange: { http: 416, text: "The range specified is invalid for the current size of the resource." },
  OperationTimedOut: { http: 500, text: "The operation could not be completed within the permitted time." },
  AuthenticationFailed: {
    http: 403,
    smb: 0xc000_006d,
    text: "Server failed to authenticate the request. Make sure the value of Authorization header is formed correctly including the signature.",
  },
  AuthorizationPermissionMismatch: {
    http: 403,
    smb: 0xc000_0022,
    text: "This request is not authorized to perform this operation using this permission.",
  },
  InternalError: {
    http: 500,
    smb: 0xc000_00e5,
    text: "Server encountered an internal error. Please try again after some time.",
  },
  /** The same code for a bearer token, where the protocol answers 401 with a challenge. */
  InvalidBearerToken: {
    http: 401,
    code: "InvalidAuthenticationInfo",
    text: "Server failed to authenticate the request. Please refer to the information in the www-authenticate header.",
  },
  InvalidResourceName: {
    http: 400,
    smb: 0xc000_0033,
    // Spelled as the service spells it: there are programs that compare.
    text: "The specifed resource name contains invalid characters.",
  },
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
} as const;
