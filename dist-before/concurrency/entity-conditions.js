/** `current` is the revision read in the same transaction, undefined when there is no such entity. */
export function checkEntityChange(kind, ifMatch, current) {
    switch (kind) {
        case "insert":
            return current === undefined ? "met" : "EntityAlreadyExists";
        case "insertOrReplace":
        case "insertOrMerge":
            return "met";
        case "replace":
        case "merge":
        case "delete":
            if (current === undefined)
                return "ResourceNotFound";
            return ifMatch === "*" || ifMatch === current ? "met" : "UpdateConditionNotSatisfied";
    }
}
