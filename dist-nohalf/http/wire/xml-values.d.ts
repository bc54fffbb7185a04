import { Refusal } from "../../base/refusals.ts";
import type { XmlElement } from "./xml.ts";
/** Reading typed values out of a tree, with the refusals the protocol has for each way to be wrong. */
/** Refuses what the client cannot have meant for us: an element we do not know, or the same one twice. */
export declare function onlyChildren(node: XmlElement, names: readonly string[]): void;
export declare function requiredChild(node: XmlElement, name: string): XmlElement;
export declare function requiredText(node: XmlElement): string;
export declare function booleanOf(node: XmlElement): boolean;
/** A whole number from 0 on. */
export declare function countOf(node: XmlElement): number;
export declare function invalidValue(node: XmlElement): Refusal;
