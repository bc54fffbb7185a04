/**
 * The JavaScript SDK, given a path-style endpoint, leaves the account out of the address it renames to: it asks for
 * `/share/new` where it should ask for `/account/share/new`. The address it renames from, in a header, has the
 * account, so the one can be mended by the other. The signature covers the path as it was sent, and still does.
 */
export function mendRenameTarget(target, query, headers) {
    const source = headers["x-ms-file-rename-source"];
    if (source === undefined || !target.isPathStyle || query.get("comp")?.toLowerCase() !== "rename")
        return target;
    if (!URL.canParse(source))
        return target;
    const [, account, share] = new URL(source).pathname.split("/");
    // The first name of the address is the share of the source, and not its account.
    if (account === undefined || account === target.account || share !== target.account)
        return target;
    return { ...target, account, path: `${target.account}/${target.path}` };
}
