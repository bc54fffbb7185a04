const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING = 0x7b;
const CLOSING = 0x7d;

/**
 * The objects inside the outer one, `{"value":[{...},{...}]}`, unparsed: JSON.parse would make the Double 2.0
 * the Int32 2.
 */
export function splitObjects(body: Buffer): Buffer[] {
  const found: Buffer[] = [];
  let depth = 0;
  let from = 0;
  let isInString = false;
  for (let i = 0; i < body.length; i++) {
    const byte = body[i];
    if (isInString) {
      if (byte === BACKSLASH) i++;
      else if (byte === QUOTE) isInString = false;
    } else if (byte === QUOTE) isInString = true;
    else if (byte === OPENING && ++depth === 2) from = i;
    else if (byte === CLOSING && depth-- === 2) found.push(body.subarray(from, i + 1));
  }
  return found;
}
