/** Security descriptors in their self-relative form ([MS-DTYP] 2.4.6): the binary side of SDDL. */
export declare const CONTROL: {
    readonly DACL_PRESENT: 4;
    readonly SACL_PRESENT: 16;
    readonly DACL_AUTO_INHERIT_REQUIRED: 256;
    readonly SACL_AUTO_INHERIT_REQUIRED: 512;
    readonly DACL_AUTO_INHERITED: 1024;
    readonly SACL_AUTO_INHERITED: 2048;
    readonly DACL_PROTECTED: 4096;
    readonly SACL_PROTECTED: 8192;
    readonly SELF_RELATIVE: 32768;
};
export interface Sid {
    readonly authority: number;
    readonly subAuthorities: readonly number[];
}
export interface Ace {
    readonly type: number;
    readonly flags: number;
    readonly mask: number;
    readonly sid: Sid;
}
export interface Acl {
    readonly aces: readonly Ace[];
}
export interface SecurityDescriptor {
    readonly control: number;
    readonly owner: Sid | undefined;
    readonly group: Sid | undefined;
    readonly sacl: Acl | undefined;
    readonly dacl: Acl | undefined;
}
export declare function decodeSecurityDescriptor(data: Buffer): SecurityDescriptor;
export declare function decodeSid(data: Buffer, at: number): Sid;
export declare function encodeSid({ authority, subAuthorities }: Sid): Buffer;
export declare function encodeSecurityDescriptor(value: SecurityDescriptor): Buffer;
/** Parts of a descriptor as AdditionalInformation of QUERY_INFO and SET_INFO names them. */
export declare const SECURITY_PART: {
    readonly OWNER: 1;
    readonly GROUP: 2;
    readonly DACL: 4;
    readonly SACL: 8;
};
/** `base` with the named parts taken from `other`. */
export declare function mergeSecurityParts(base: SecurityDescriptor, other: SecurityDescriptor, parts: number): SecurityDescriptor;
export declare const NO_SECURITY: SecurityDescriptor;
