import { type MaybePromise, then } from "../../base/maybe-promise.ts";
import { packKey } from "../../store/keys/pack.ts";
import type { KeySpace, Reader } from "../../store/kv.ts";
import { recordType } from "../../store/records/record.ts";
import { makeWebsiteContainer } from "../blob/create-container.ts";
import {
  defaultServiceProperties,
  mergeServiceProperties,
  type PropertiesOwner,
  type ServiceProperties,
} from "./service-properties.ts";

/** Service properties of one service of one account: ("sp", account, service). Absent until they are first set. */
const propertiesKey = (account: string, owner: PropertiesOwner): string => packKey(["sp", account, owner]);

const propertiesRecord = recordType<ServiceProperties>("service-properties", 1);

/** Get and Set Service Properties, for all four services. The last writer wins, property by property. */
export class PropertiesService {
  readonly #store: KeySpace;

  constructor(store: KeySpace) {
    this.#store = store;
  }

  get(account: string, owner: PropertiesOwner): Promise<ServiceProperties> {
    const key = propertiesKey(account, owner);
    return this.#store.read(async (read) => unpack(await read.get(key), owner));
  }

  /** Elements the client leaves out keep their present values. */
  async set(account: string, owner: PropertiesOwner, changes: ServiceProperties): Promise<void> {
    const key = propertiesKey(account, owner);
    await this.#store.write(async (write) => {
      const present = unpack(await write.get(key), owner);
      const merged = mergeServiceProperties(present, changes);
      if (owner === "blob" && merged.staticWebsite?.isEnabled === true) {
        await makeWebsiteContainer(write, account);
      }
      write.put(key, propertiesRecord.pack(merged));
    });
  }
}

/**
 * Inside a transaction that obeys them, so that a rule that was just set is obeyed at once. Undefined when nothing
 * was ever set.
 */
export function findServiceProperties(
  read: Reader,
  account: string,
  owner: PropertiesOwner,
): MaybePromise<ServiceProperties | undefined> {
  return then(read.get(propertiesKey(account, owner)), (stored) =>
    stored === undefined ? undefined : propertiesRecord.unpack(stored),
  );
}

function unpack(bytes: Buffer | undefined, owner: PropertiesOwner): ServiceProperties {
  return bytes === undefined ? defaultServiceProperties(owner) : propertiesRecord.unpack(bytes);
}
