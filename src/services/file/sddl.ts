/**
 * The text form of security descriptors, as far as its grammar goes: an owner, a group, a discretionary and a
 * system list of access control entries. Which accounts the names stand for is not looked at: a server of shared
 * keys has no directory to ask.
 */
const SID = "(?:S-1-[0-9a-fA-Fx]+(?:-\\d{1,10}){1,15}|[A-Z]{2})";
// The longest field: all rights by their two letters; the id of an object has 36.
const ACE = "\\((?:[^();]{0,64};){5}[^();]{0,256}(?:;[^;]{0,4096})?\\)";
// A list that is there and is none is written NO_ACCESS_CONTROL: Azure's own permissions end in it.
const LIST = `(?:NO_ACCESS_CONTROL|[A-Z]{0,16}(?:${ACE}){0,1024})`;
const SDDL = new RegExp(`^(?:O:${SID})?(?:G:${SID})?(?:D:${LIST})?(?:S:${LIST})?$`);

const ACE_TYPES = new Set([
  "A",
  "D",
  "OA",
  "OD",
  "AU",
  "AL",
  "OU",
  "OL",
  "ML",
  "XA",
  "XD",
  "ZA",
  "XU",
  "RA",
  "SP",
  "TL",
  "FL",
]);

export function isSddl(text: string): boolean {
  if (text === "" || !SDDL.test(text)) return false;
  for (const [, type] of text.matchAll(/\(([^;]*);/g)) if (!ACE_TYPES.has(type!)) return false;
  return true;
}
