/**
 * Texts in the order of their code points, which is the order of their UTF-8 bytes and so the order of keys
 * in the store. Plain `<` compares UTF-16 units and puts U+1F600 before U+FF01.
 */
export function compareText(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return x >= 0xd800 && y >= 0xd800 ? afterSurrogates(x) - afterSurrogates(y) : x - y;
  }
  return a.length - b.length;
}

/** Surrogates stand for code points above all others: move them behind E000-FFFF. */
function afterSurrogates(unit: number): number {
  return unit >= 0xe000 ? unit - 0x800 : unit + 0x2000;
}
