import type { EdmValue } from "../../../base/edm.ts";
import type { Filter } from "./filter.ts";
/** The value of a property, undefined where the entity has none of that name. */
export type Lookup = (property: string) => EdmValue | undefined;
/**
 * Whether an entity meets a filter. A comparison with a property that is absent, or of a type that does not compare
 * with the literal's, is false whatever the operator; `not` turns that around. Numbers compare by value whatever
 * their types, as OData promotes them. Texts compare by code point, which is the order of the keys.
 */
export declare function meets(filter: Filter, lookup: Lookup): boolean;
