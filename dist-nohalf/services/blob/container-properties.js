import { checkContainer, putContainer, readContainer } from "./containers.js";
/** Get Container Properties, Metadata and ACL: the record, and the time its lease is to be judged by. */
export async function getContainer(blobs, request) {
    return blobs.parts.store.read(async (read) => {
        const record = await readContainer(read, request.ref);
        checkContainer(read, record, request, "other");
        return { record, now: read.now() };
    });
}
/** Replaces all of it. */
export async function setContainerMetadata(blobs, request) {
    return changeContainer(blobs, request, ({ metadata: _, ...rest }) => Object.keys(request.metadata).length === 0 ? rest : { ...rest, metadata: request.metadata });
}
/** Public access and stored policies. The next request of anyone is judged by them. */
export async function setContainerAcl(blobs, request) {
    const { publicAccess, policies } = request;
    return changeContainer(blobs, request, ({ publicAccess: _, policies: __, ...rest }) => ({
        ...rest,
        ...(publicAccess === undefined ? {} : { publicAccess }),
        ...(policies.length === 0 ? {} : { policies }),
    }));
}
function changeContainer(blobs, request, change) {
    return blobs.parts.store.write(async (write) => {
        const record = await readContainer(write, request.ref);
        checkContainer(write, record, request, "other");
        const revision = write.revision(record.revision);
        putContainer(write, request.ref, { ...change(record), revision });
        return revision;
    });
}
