import type { KeySpace, Reader } from "../../store/kv.ts";
import { type PropertiesOwner, type ServiceProperties } from "./service-properties.ts";
/** Get and Set Service Properties, for all four services. The last writer wins, property by property. */
export declare class PropertiesService {
    #private;
    constructor(store: KeySpace);
    get(account: string, owner: PropertiesOwner): Promise<ServiceProperties>;
    /** Elements the client leaves out keep their present values. */
    set(account: string, owner: PropertiesOwner, changes: ServiceProperties): Promise<void>;
}
/**
 * Inside a transaction that obeys them, so that a rule that was just set is obeyed at once. Undefined when nothing
 * was ever set.
 */
export declare function findServiceProperties(read: Reader, account: string, owner: PropertiesOwner): Promise<ServiceProperties | undefined>;
