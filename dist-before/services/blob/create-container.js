import { Refusal } from "../../base/refusals.js";
import { findContainer, putContainer } from "./containers.js";
/** A name that was deleted a moment ago can be used again at once: the new container has an id of its own. */
export async function createContainer(blobs, request) {
    const { ref, metadata, publicAccess, encryptionScope } = request;
    return blobs.parts.store.write(async (write) => {
        if ((await findContainer(write, ref)) !== undefined)
            throw new Refusal("ContainerAlreadyExists");
        const revision = write.revision();
        putContainer(write, ref, {
            id: revision,
            revision,
            ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
            ...(publicAccess === undefined ? {} : { publicAccess }),
            ...(encryptionScope === undefined ? {} : { encryptionScope }),
        });
        return revision;
    });
}
