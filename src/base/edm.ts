/**
 * Values of the Entity Data Model. Each type represents every value of its range without loss: Int64 as
 * bigint, DateTime as ticks of 100 ns since the year 1 (as revisions are), Guid as lower-case text.
 */
export type EdmValue =
  | { readonly type: "String"; readonly value: string }
  | { readonly type: "Int32"; readonly value: number }
  | { readonly type: "Int64"; readonly value: bigint }
  | { readonly type: "Double"; readonly value: number }
  | { readonly type: "Boolean"; readonly value: boolean }
  | { readonly type: "DateTime"; readonly value: bigint }
  | { readonly type: "Guid"; readonly value: string }
  | { readonly type: "Binary"; readonly value: Buffer };

export type EdmType = EdmValue["type"];

export type Property = EdmValue & { readonly name: string };

export interface EntityKeys {
  readonly partitionKey: string;
  readonly rowKey: string;
}

/** What an entity holds besides its keys and its revision. */
export interface EntityContents {
  readonly properties: readonly Property[];
  /**
   * All names and String values are ASCII that JSON does not escape: no quotes, no backslashes, no control
   * characters. The JSON reader sees this anyway; finding it out later means checking each character.
   */
  readonly isPlain?: boolean | undefined;
}
