import type { EntityKeys } from "../../base/edm.ts";
import type { MaybePromise } from "../../base/maybe-promise.ts";
import { Refusal } from "../../base/refusals.ts";
import type { StoredPolicy } from "../account/stored-policy.ts";
import type { ServiceParts } from "../context.ts";
import type { Page } from "../page.ts";
import type { BackgroundJob } from "../reclaim/background-jobs.ts";
import { type Changed, changeEntity, type EntityChange } from "./change-entity.ts";
import type { EntityBounds } from "./entity-bounds.ts";
import { transact } from "./entity-group-transaction.ts";
import {
  type Entity,
  type EntityPage,
  type FoundEntity,
  getEntity,
  type QueryEntities,
  queryEntities,
} from "./query-entities.ts";
import { reclaimTables } from "./reclaim.ts";
import * as tables from "./tables.ts";

/**
 * The Table service: what its operations mean, each one transaction. `bounds` is the part of the table the caller
 * may touch: queries show nothing beyond it, changes beyond it are refused.
 */
export class TableService {
  readonly parts: ServiceParts;

  constructor(parts: ServiceParts) {
    this.parts = parts;
  }

  createTable(ref: tables.TableRef): Promise<void> {
    return tables.createTable(this.parts.store, ref);
  }

  getTable(ref: tables.TableRef): Promise<string> {
    return tables.getTable(this.parts.store, ref);
  }

  /** Throws TableNotFound when there is none of that name. */
  requireTable(ref: tables.TableRef): Promise<void> {
    return tables.requireTable(this.parts.store, ref);
  }

  queryTables<P extends Page<string>>(query: tables.QueryTables<P>): Promise<tables.TablePage<P>> {
    return tables.queryTables(this.parts.store, query);
  }

  deleteTable(ref: tables.TableRef): Promise<void> {
    return tables.deleteTable(this.parts.store, ref);
  }

  getTableAcl(ref: tables.TableRef): Promise<readonly StoredPolicy[]> {
    return tables.getTableAcl(this.parts.store, ref);
  }

  setTableAcl(ref: tables.TableRef, policies: readonly StoredPolicy[]): Promise<void> {
    return tables.setTableAcl(this.parts.store, ref, policies);
  }

  /** What can be told before anything is read is thrown at once. */
  changeEntity(ref: tables.TableRef, change: EntityChange, bounds?: EntityBounds): Promise<Changed> {
    return changeEntity(this.parts.store, ref, change, bounds);
  }

  /** As `changeEntity`. */
  transact(ref: tables.TableRef, changes: readonly EntityChange[], bounds?: EntityBounds): Promise<Changed> {
    return transact(this.parts.store, ref, changes, bounds);
  }

  getEntity(ref: tables.TableRef, keys: EntityKeys, bounds?: EntityBounds): MaybePromise<FoundEntity> {
    return getEntity(this.parts.store, ref, keys, bounds);
  }

  queryEntities<P extends Page<Entity>>(
    ref: tables.TableRef,
    query: QueryEntities<P>,
  ): Promise<EntityPage<P>> {
    return queryEntities(this.parts.store, ref, query);
  }

  /** Stored access policies of a table; undefined when there is no such table. */
  async policies(account: string, name: string): Promise<readonly StoredPolicy[] | undefined> {
    try {
      return await this.getTableAcl({ account, table: name });
    } catch (error) {
      if (error instanceof Refusal) return undefined;
      throw error;
    }
  }

  /** Its work in the background. */
  jobs(): readonly BackgroundJob[] {
    return [reclaimTables(this.parts.store)];
  }
}
