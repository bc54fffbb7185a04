import { type GuardedContainer } from "../../services/blob/container-properties.ts";
import type { ContainerRecord } from "../../services/blob/records.ts";
import type { Headers, HttpRequest } from "../exchange.ts";
import type { ConditionHeader } from "../operation.ts";
import { type BlobRow } from "./rows.ts";
/** Containers: create, read, metadata, delete, restore. */
export declare function readPublicAccess(headers: Headers): ContainerRecord["publicAccess"];
/** What a change of a container is guarded by. */
export declare function readGuards(request: HttpRequest, taken: readonly ConditionHeader[]): GuardedContainer;
export declare const CONTAINER_ROWS: readonly BlobRow[];
