import { packKey } from "../../store/keys/pack.js";
import { recordType } from "../../store/records/record.js";
import { defaultServiceProperties, mergeServiceProperties, } from "./service-properties.js";
/** Service properties of one service of one account: ("sp", account, service). Absent until they are first set. */
const propertiesKey = (account, owner) => packKey(["sp", account, owner]);
const propertiesRecord = recordType("service-properties", 1);
/** Get and Set Service Properties, for all four services. The last writer wins, property by property. */
export class PropertiesService {
    #store;
    constructor(store) {
        this.#store = store;
    }
    get(account, owner) {
        const key = propertiesKey(account, owner);
        return this.#store.read(async (read) => unpack(await read.get(key), owner));
    }
    /** Elements the client leaves out keep their present values. */
    async set(account, owner, changes) {
        const key = propertiesKey(account, owner);
        await this.#store.write(async (write) => {
            const present = unpack(await write.get(key), owner);
            write.put(key, propertiesRecord.pack(mergeServiceProperties(present, changes)));
        });
    }
}
/**
 * Inside a transaction that obeys them, so that a rule that was just set is obeyed at once. Undefined when nothing
 * was ever set.
 */
export async function findServiceProperties(read, account, owner) {
    const stored = await read.get(propertiesKey(account, owner));
    return stored === undefined ? undefined : propertiesRecord.unpack(stored);
}
function unpack(bytes, owner) {
    return bytes === undefined ? defaultServiceProperties(owner) : propertiesRecord.unpack(bytes);
}
