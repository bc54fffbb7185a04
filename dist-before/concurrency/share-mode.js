export const NO_ACCESS = 0;
export const READ = 1;
export const WRITE = 2;
export const DELETE = 4;
export const ALL_ACCESS = READ | WRITE | DELETE;
const isWithin = (access, share) => (access & ~share) === 0;
/** Whether two opens may be there at the same time. */
export function areCompatible(one, other) {
    if (one.access === NO_ACCESS || other.access === NO_ACCESS)
        return true;
    return isWithin(one.access, other.share) && isWithin(other.access, one.share);
}
export function mayOpen(wanted, present) {
    return present.every((open) => areCompatible(wanted, open));
}
const REST_ACCESS = {
    look: NO_ACCESS,
    read: READ,
    write: WRITE,
    overwrite: WRITE | DELETE,
    rename: DELETE,
    delete: DELETE,
    // The rule asks for write and delete; the published matrix also refuses a lease to a handle that denies reading.
    lease: ALL_ACCESS,
};
/** How a REST call under way looks to an SMB open. */
export function restOpen(use) {
    return { access: REST_ACCESS[use], share: use === "lease" ? READ : ALL_ACCESS };
}
/** What the handles that are open say to a REST call. */
export function checkRestUse(use, handles) {
    if (use === "delete")
        return handles.length > 0 ? "SharingViolation" : undefined;
    return mayOpen(restOpen(use), handles) ? undefined : "SharingViolation";
}
/** What a REST lease in force says to an SMB open: reading and looking only. */
export function mayOpenLeased(access) {
    return isWithin(access, READ);
}
