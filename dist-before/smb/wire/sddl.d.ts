import { type SecurityDescriptor, type Sid } from "./security-descriptor.ts";
export declare function printSid({ authority, subAuthorities }: Sid): string;
export declare function parseSid(text: string): Sid;
export declare function printSddl(value: SecurityDescriptor): string;
export declare function parseSddl(text: string): SecurityDescriptor;
