import { packKey, prefixRange } from "../../store/keys/pack.ts";
import type { KeySpace, MaybePromise, Range, Reader } from "../../store/kv.ts";
import { recordType } from "../../store/records/record.ts";
import {
  defaultServiceProperties,
  type PropertiesOwner,
  type ServiceProperties,
} from "./service-properties.ts";

/**
 * Service properties of one service of one account: ("sp", account, service). Absent until they are first
 * set.
 */
export function propertiesKey(account: string, owner: PropertiesOwner): string {
  return packKey(["sp", account, owner]);
}

export const ALL_PROPERTIES: Range = prefixRange(packKey(["sp"]));

export const propertiesRecord = recordType<ServiceProperties>("service-properties", 1);

/** What the operations on service properties work on. */
export interface PropertiesContext {
  readonly store: KeySpace;
}

export function getServiceProperties(
  { store }: PropertiesContext,
  account: string,
  owner: PropertiesOwner,
): Promise<ServiceProperties> {
  const key = propertiesKey(account, owner);
  return store.read(async (read) => unpackProperties(await read.get(key), owner));
}

/**
 * For a transaction that applies the properties, so that a new setting applies at once. Undefined until a
 * client sets them.
 */
export function findServiceProperties(
  read: Reader,
  account: string,
  owner: PropertiesOwner,
): MaybePromise<ServiceProperties | undefined> {
  return read.view((records) => {
    const stored = records.get(propertiesKey(account, owner));
    return stored === undefined ? undefined : propertiesRecord.unpack(stored);
  });
}

export function unpackProperties(bytes: Buffer | undefined, owner: PropertiesOwner): ServiceProperties {
  return bytes === undefined ? defaultServiceProperties(owner) : propertiesRecord.unpack(bytes);
}
