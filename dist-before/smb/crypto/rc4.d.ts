/** RC4, with which NTLM carries the session key and seals its signatures. OpenSSL 3 no longer offers it. */
export declare function rc4(key: Buffer, data: Buffer): Buffer;
