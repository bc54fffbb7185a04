/** The 64 bytes before every SMB2 body. */
export declare const COMMAND: {
    readonly NEGOTIATE: 0;
    readonly SESSION_SETUP: 1;
    readonly LOGOFF: 2;
    readonly TREE_CONNECT: 3;
    readonly TREE_DISCONNECT: 4;
    readonly CREATE: 5;
    readonly CLOSE: 6;
    readonly FLUSH: 7;
    readonly READ: 8;
    readonly WRITE: 9;
    readonly LOCK: 10;
    readonly IOCTL: 11;
    readonly CANCEL: 12;
    readonly ECHO: 13;
    readonly QUERY_DIRECTORY: 14;
    readonly CHANGE_NOTIFY: 15;
    readonly QUERY_INFO: 16;
    readonly SET_INFO: 17;
    readonly OPLOCK_BREAK: 18;
};
export declare const FLAG: {
    readonly RESPONSE: 1;
    readonly ASYNC: 2;
    readonly RELATED: 4;
    readonly SIGNED: 8;
    readonly PRIORITY: 112;
    readonly DFS: 268435456;
    readonly REPLAY: 536870912;
};
export declare const PROTOCOL: {
    readonly SMB2: 1112364030;
    readonly SMB1: 1112364031;
    readonly TRANSFORM: 1112364029;
    readonly COMPRESSION: 1112364028;
};
export declare const SIGNATURE_AT = 48;
export declare const SIGNATURE_BYTES = 16;
/** The id of messages that nobody asked for: breaks of oplocks and leases. */
export declare const NO_MESSAGE_ID = 18446744073709551615n;
export interface Header {
    readonly creditCharge: number;
    /** In replies. In requests of dialects 3.x the low half is the ChannelSequence. */
    readonly status: number;
    readonly command: number;
    readonly credits: number;
    readonly flags: number;
    readonly nextCommand: number;
    readonly messageId: bigint;
    /** Only when the ASYNC flag is set; `processId` and `treeId` are zero then. */
    readonly asyncId: bigint;
    readonly processId: number;
    readonly treeId: number;
    readonly sessionId: bigint;
}
export declare function protocolOf(payload: Buffer): number;
/** A header that is not one has no answer: the connection is out of step. */
export declare function decodeHeader(pdu: Buffer): Header;
/** Writes a header over the first 64 bytes of `to`; the signature stays zero. */
export declare function writeHeader(to: Buffer, header: Header): void;
export declare function encodeHeader(header: Header): Buffer;
/** The PDUs of a compound, each up to the next one, padding included. */
export declare function splitCompound(payload: Buffer, pdusMax: number): Buffer[];
/** ERROR response: used for every failure that has no body of its own. */
export declare function encodeError(data?: Buffer): Buffer;
export declare function decodeError(pdu: Buffer): Buffer;
