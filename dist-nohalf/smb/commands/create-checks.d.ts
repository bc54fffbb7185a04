import type { NodeKind } from "../file-system.ts";
import { type CreateRequest } from "../wire/create.ts";
/** What is wrong with a CREATE whatever lies at its path. */
export declare function checkCreate(body: CreateRequest): void;
export declare function kindWanted(createOptions: number): NodeKind | undefined;
