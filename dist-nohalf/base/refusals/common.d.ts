/** What any service may answer. One row: the protocol's code, its HTTP status, the NTSTATUS where SMB knows it. */
export declare const COMMON_REFUSALS: {
    readonly AccountIsDisabled: {
        readonly http: 403;
        readonly text: "The specified account is disabled.";
    };
    readonly AuthenticationFailed: {
        readonly http: 403;
        readonly smb: 3221225581;
        readonly text: "Server failed to authenticate the request. Make sure the value of Authorization header is formed correctly including the signature.";
    };
    readonly AuthorizationFailure: {
        readonly http: 403;
        readonly text: "This request is not authorized to perform this operation.";
    };
    readonly AuthorizationPermissionMismatch: {
        readonly http: 403;
        readonly smb: 3221225506;
        readonly text: "This request is not authorized to perform this operation using this permission.";
    };
    readonly AuthorizationProtocolMismatch: {
        readonly http: 403;
        readonly text: "This request is not authorized to perform this operation using this protocol.";
    };
    readonly AuthorizationResourceTypeMismatch: {
        readonly http: 403;
        readonly text: "This request is not authorized to perform this operation using this resource type.";
    };
    readonly AuthorizationServiceMismatch: {
        readonly http: 403;
        readonly text: "This request is not authorized to perform this operation using this service.";
    };
    readonly AuthorizationSourceIPMismatch: {
        readonly http: 403;
        readonly text: "This request is not authorized to perform this operation using this source IP.";
    };
    readonly BothCrc64AndMd5HeaderPresent: {
        readonly http: 400;
        readonly text: "Both x-ms-content-crc64 header and Content-MD5 header are present.";
    };
    readonly ConditionHeadersNotSupported: {
        readonly http: 400;
        readonly text: "Condition headers are not supported.";
    };
    readonly ConditionNotMet: {
        readonly http: 412;
        readonly text: "The condition specified using HTTP conditional header(s) is not met.";
    };
    readonly CorsPreflightFailure: {
        readonly http: 403;
        readonly text: "CORS not enabled or no matching rule found for this request.";
    };
    readonly Crc64Mismatch: {
        readonly http: 400;
        readonly text: "The CRC64 value specified in the request did not match with the CRC64 value calculated by the server.";
    };
    readonly EmptyMetadataKey: {
        readonly http: 400;
        readonly text: "The key for one of the metadata key-value pairs is empty.";
    };
    readonly FeatureVersionMismatch: {
        readonly http: 409;
        readonly text: "The operation cannot be performed because of a version mismatch of a feature.";
    };
    readonly InsufficientAccountPermissions: {
        readonly http: 403;
        readonly text: "The account being accessed does not have sufficient permissions to execute this operation.";
    };
    readonly InternalError: {
        readonly http: 500;
        readonly smb: 3221225701;
        readonly text: "Server encountered an internal error. Please try again after some time.";
    };
    readonly InvalidAuthenticationInfo: {
        readonly http: 400;
        readonly text: "Authentication information is not given in the correct format. Check the value of Authorization header.";
    };
    /** The same code for a bearer token, where the protocol answers 401 with a challenge. */
    readonly InvalidBearerToken: {
        readonly http: 401;
        readonly code: "InvalidAuthenticationInfo";
        readonly text: "Server failed to authenticate the request. Please refer to the information in the www-authenticate header.";
    };
    readonly InvalidHeaderValue: {
        readonly http: 400;
        readonly text: "The value for one of the HTTP headers is not in the correct format.";
    };
    readonly InvalidInput: {
        readonly http: 400;
        readonly text: "One of the request inputs is not valid.";
    };
    readonly InvalidMd5: {
        readonly http: 400;
        readonly text: "The MD5 value specified in the request is invalid. MD5 value must be 128 bits and base64 encoded.";
    };
    readonly InvalidMetadata: {
        readonly http: 400;
        readonly text: "The metadata specified is invalid. It has characters that are not permitted.";
    };
    readonly InvalidQueryParameterValue: {
        readonly http: 400;
        readonly text: "Value for one of the query parameters specified in the request URI is invalid.";
    };
    readonly InvalidRange: {
        readonly http: 416;
        readonly text: "The range specified is invalid for the current size of the resource.";
    };
    readonly InvalidResourceName: {
        readonly http: 400;
        readonly text: "The specified resource name contains invalid characters.";
    };
    readonly InvalidUri: {
        readonly http: 400;
        readonly text: "The requested URI does not represent any resource on the server.";
    };
    readonly InvalidXmlDocument: {
        readonly http: 400;
        readonly text: "XML specified is not syntactically valid.";
    };
    readonly InvalidXmlNodeValue: {
        readonly http: 400;
        readonly text: "The value for one of the XML nodes is not in the correct format.";
    };
    readonly Md5Mismatch: {
        readonly http: 400;
        readonly text: "The MD5 value specified in the request did not match with the MD5 value calculated by the server.";
    };
    readonly MetadataTooLarge: {
        readonly http: 400;
        readonly text: "The size of the specified metadata exceeds the maximum size permitted.";
    };
    readonly MissingContentLengthHeader: {
        readonly http: 411;
        readonly text: "The Content-Length header was not specified.";
    };
    readonly MissingRequiredHeader: {
        readonly http: 400;
        readonly text: "An HTTP header that's mandatory for this request is not specified.";
    };
    readonly MissingRequiredQueryParameter: {
        readonly http: 400;
        readonly text: "A query parameter that's mandatory for this request is not specified.";
    };
    readonly MissingRequiredXmlNode: {
        readonly http: 400;
        readonly text: "A required XML node was not specified in the request body.";
    };
    readonly MultipleConditionHeadersNotSupported: {
        readonly http: 400;
        readonly text: "Multiple condition headers are not supported.";
    };
    readonly NoAuthenticationInformation: {
        readonly http: 401;
        readonly text: "Server failed to authenticate the request. Please refer to the information in the www-authenticate header.";
    };
    readonly OperationTimedOut: {
        readonly http: 500;
        readonly text: "The operation could not be completed within the permitted time.";
    };
    readonly OutOfRangeInput: {
        readonly http: 400;
        readonly text: "One of the request inputs is out of range.";
    };
    readonly OutOfRangeQueryParameterValue: {
        readonly http: 400;
        readonly text: "One of the query parameters specified in the request URI is outside the permissible range.";
    };
    readonly PublicAccessNotPermitted: {
        readonly http: 409;
        readonly text: "Public access is not permitted on this storage account.";
    };
    readonly QueryParameterSddInvalid: {
        readonly http: 403;
        readonly text: "The signed directory depth (sdd) is missing or does not fit the path of the request.";
    };
    readonly RequestBodyTooLarge: {
        readonly http: 413;
        readonly text: "The request body is too large and exceeds the maximum permissible limit.";
    };
    readonly RequestUrlFailedToParse: {
        readonly http: 400;
        readonly text: "The url in the request could not be parsed.";
    };
    readonly ResourceAlreadyExists: {
        readonly http: 409;
        readonly smb: 3221225525;
        readonly text: "The specified resource already exists.";
    };
    readonly ResourceNotFound: {
        readonly http: 404;
        readonly smb: 3221225524;
        readonly text: "The specified resource does not exist.";
    };
    readonly ResourceTypeMismatch: {
        readonly http: 409;
        readonly smb: 3221225658;
        readonly text: "The specified resource type does not match the type of the existing resource.";
    };
    readonly ServerBusy: {
        readonly http: 503;
        readonly smb: 3221225989;
        readonly text: "The server is currently unable to receive requests. Please retry your request.";
    };
    readonly UnsupportedHeader: {
        readonly http: 400;
        readonly text: "One of the HTTP headers specified in the request is not supported.";
    };
    readonly UnsupportedHttpVerb: {
        readonly http: 405;
        readonly text: "The resource doesn't support specified Http Verb.";
    };
    readonly UnsupportedQueryParameter: {
        readonly http: 400;
        readonly text: "One of the query parameters specified in the request URI is not supported.";
    };
    readonly UnsupportedXmlNode: {
        readonly http: 400;
        readonly text: "One of the XML nodes specified in the request body is not supported.";
    };
};
