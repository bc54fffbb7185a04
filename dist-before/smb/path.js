import { SMB_LIMITS } from "../base/limits-smb.js";
import { refuse, STATUS } from "./status.js";
import { parseGmtToken } from "./wire/filetime.js";
const FORBIDDEN = /["<>|?*\x00-\x1f]/;
export function parsePath(text) {
    if (text.startsWith("\\"))
        throw refuse(STATUS.INVALID_PARAMETER);
    if (text.length > SMB_LIMITS.pathCharsMax)
        throw refuse(STATUS.OBJECT_NAME_INVALID);
    const names = [];
    let snapshot;
    for (const part of text.split(/[\\/]/)) {
        if (part === "")
            continue;
        const time = parseGmtToken(part);
        if (time !== undefined && snapshot === undefined) {
            snapshot = time;
        }
        else if (part === "..") {
            if (names.pop() === undefined)
                throw refuse(STATUS.OBJECT_PATH_SYNTAX_BAD);
        }
        else {
            names.push(checkedName(part));
        }
    }
    return { names, snapshot };
}
/** There are no streams, so a colon has no place in a name, not even before `:$DATA`. */
function checkedName(name) {
    const isBad = name === "." || name.length > SMB_LIMITS.nameCharsMax || FORBIDDEN.test(name) || name.includes(":");
    if (isBad)
        throw refuse(STATUS.OBJECT_NAME_INVALID);
    return name;
}
