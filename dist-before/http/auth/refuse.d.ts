import { Refusal, type RefusalCode } from "../../base/refusals.ts";
export declare function authenticationFailed(detail: string): Refusal;
export declare function sharedKeyMismatch(stringToSign: string): Refusal;
export declare function sasMismatch(stringToSign: string): Refusal;
/** A SAS field that is missing or not well formed. */
export declare function sasFieldInvalid(name: string): Refusal;
/** 401 with the challenge that tells a client where tokens come from. */
export declare function challenge(code: RefusalCode, detail?: string): Refusal;
