/** The address the client used, up to the account: listings repeat it. */
export function serviceEndpoint({ headers, target, isSecure }) {
    const root = `${isSecure ? "https" : "http"}://${headers.host ?? "localhost"}/`;
    return target.isPathStyle ? `${root}${target.account}/` : root;
}
