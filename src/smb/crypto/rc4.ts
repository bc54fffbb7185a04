/** RC4, which NTLM uses for session keys and signatures. OpenSSL 3 no longer offers it. */
export function rc4(key: Buffer, data: Buffer): Buffer {
  const box = Uint8Array.from({ length: 256 }, (_, index) => index);
  for (let i = 0, j = 0; i < 256; i++) {
    j = (j + box[i]! + key[i % key.length]!) & 0xff;
    [box[i], box[j]] = [box[j]!, box[i]!];
  }
  const out = Buffer.allocUnsafe(data.length);
  for (let at = 0, i = 0, j = 0; at < data.length; at++) {
    i = (i + 1) & 0xff;
    j = (j + box[i]!) & 0xff;
    [box[i], box[j]] = [box[j]!, box[i]!];
    out[at] = data[at]! ^ box[(box[i]! + box[j]!) & 0xff]!;
  }
  return out;
}
