const PLAIN = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const WRAPPED = /^(?:\{(.{36})\}|\((.{36})\))$/;
const BARE = /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/i;

/** A Guid in the stored form, from any form that .NET, in which the service is written, reads and writes. */
export function parseGuid(text: string): string | undefined {
  if (PLAIN.test(text)) return text.toLowerCase();
  const wrapped = WRAPPED.exec(text);
  const inner = wrapped === null ? text.replace(BARE, "$1-$2-$3-$4-$5") : (wrapped[1] ?? wrapped[2]!);
  return PLAIN.test(inner) ? inner.toLowerCase() : undefined;
}
