/** Modes of the files that Holdfast creates: other users of the machine cannot read stored data or logs. */
export const OWNER_FILE_MODE = 0o600;
export const OWNER_DIRECTORY_MODE = 0o700;
/** Mode bits of group and others. */
export const OTHERS_BITS = 0o077;
