import type { Writer } from "../../store/kv.ts";
import { createWebsiteContainer } from "../blob/create-container.ts";
import {
  type PropertiesContext,
  propertiesKey,
  propertiesRecord,
  unpackProperties,
} from "./get-service-properties.ts";
import {
  mergeServiceProperties,
  type PropertiesOwner,
  type ServiceProperties,
} from "./service-properties.ts";

/**
 * Set Service Properties: properties that are left out keep their values. The last writer wins, property by
 * property.
 */
export async function setServiceProperties(
  { store }: PropertiesContext,
  account: string,
  owner: PropertiesOwner,
  changes: ServiceProperties,
): Promise<void> {
  await store.write((write) => putServiceProperties(write, account, owner, changes));
}

export async function putServiceProperties(
  write: Writer,
  account: string,
  owner: PropertiesOwner,
  changes: ServiceProperties,
): Promise<void> {
  const key = propertiesKey(account, owner);
  const present = unpackProperties(await write.get(key), owner);
  const merged = mergeServiceProperties(present, changes);
  if (owner === "blob" && merged.staticWebsite?.isEnabled === true) {
    await createWebsiteContainer(write, account);
  }
  write.put(key, propertiesRecord.pack(merged));
}
