import type { CorsRule } from "../../services/account/service-properties.ts";
import type { XmlElement } from "./xml.ts";
/** The rules in the order given: the first that matches a request decides. */
export declare function parseCors(node: XmlElement): readonly CorsRule[];
export declare function printCors(tag: string, rules: readonly CorsRule[]): string;
