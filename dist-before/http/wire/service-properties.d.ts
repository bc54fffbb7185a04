import { type PropertiesOwner, type ServiceProperties } from "../../services/account/service-properties.ts";
/** What a Set names, and nothing else: `mergeServiceProperties` lays it over what is stored. */
export declare function parseServiceProperties(owner: PropertiesOwner, body: Uint8Array): ServiceProperties;
export declare function printServiceProperties(owner: PropertiesOwner, properties: ServiceProperties): string;
