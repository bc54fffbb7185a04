/**
 * The one subset of XML the protocol speaks, read strictly and in one pass: UTF-8, an optional declaration,
 * elements, attributes, text, CDATA, comments, the five named entities and numeric references. A DOCTYPE, a
 * processing instruction or an unknown entity is refused, so nothing in a body can expand, include or call out.
 * Names keep their prefix as written (`m:error`); no body of the protocol needs namespaces resolved.
 *
 * Cost: each character is looked at a fixed number of times, whatever the input. Why we wrote it:
 * docs/decisions/0004-own-xml.md.
 */
export declare class XmlElement {
    readonly name: string;
    /** The text directly inside, entities resolved, pieces between children joined. */
    text: string;
    /** In document order: Put Block List depends on it. */
    children: readonly XmlElement[];
    readonly attributes: ReadonlyMap<string, string> | undefined;
    constructor(name: string, attributes: ReadonlyMap<string, string> | undefined);
    /** The first child of that name. */
    child(name: string): XmlElement | undefined;
    /** Text of the first child of that name: "" for an empty element, undefined when there is none. */
    textOf(name: string): string | undefined;
    all(name: string): XmlElement[];
}
/** Reads a whole document. The caller has already bounded its bytes. */
export declare function parseXml(input: Uint8Array): XmlElement;
