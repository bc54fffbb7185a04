import { badHeader, Refusal } from "../../base/refusals.ts";
import type { HttpRequest } from "../exchange.ts";
import type { Operation, Permission, ResourceKind } from "../operation.ts";
import { authorizeAnonymous } from "./anonymous.ts";
import type { AccountSasCaller, Caller, ServiceSasCaller } from "./caller.ts";
import type { AuthContext } from "./context.ts";
import { SERVICE_LETTERS } from "./delegation-key.ts";

/** What authorisation looks at. */
export type Authorizable = Pick<HttpRequest, "target" | "query" | "headers" | "version">;
export type AuthorizedOperation = Pick<Operation<never>, "resource" | "permission">;

const REFUSED_IS_NOT_FOUND_BEFORE = "2015-04-05";
const FILE_INTENT = "x-ms-file-request-intent";

/**
 * Whether the caller may do what the row of the operation table describes; throws the refusal otherwise. Only an
 * anonymous caller needs a look at the container, so only then is there a promise to wait for.
 *
 * The parts of a batch are authorised one by one, by the operation that takes the batch apart: a table SAS may
 * send a batch to any table here, and its parts are refused when they name another table.
 */
export function authorize(
  caller: Caller,
  operation: AuthorizedOperation,
  request: Authorizable,
  context: Pick<AuthContext, "publicAccess">,
): Promise<void> | undefined {
  if (operation.permission.isOpen === true) return undefined;
  switch (caller.kind) {
    case "owner":
      return undefined;
    case "bearer":
      authorizeBearer(operation.permission, request);
      return undefined;
    case "accountSas":
      authorizeAccountSas(caller, operation.permission, request);
      return undefined;
    case "serviceSas":
      authorizeServiceSas(caller, operation, request);
      return undefined;
    case "anonymous":
      return authorizeAnonymous(operation, request, context);
  }
}

/** A dequeue changes the queue although it is a GET; a query over a blob's content changes nothing. */
const WRITES_BY_GET = "GetMessages";
const READS_BY_POST = "QueryBlobContents";
const READING = new Set(["GET", "HEAD", "OPTIONS"]);

/** The secondary is there to be read. */
export function refuseWriteToSecondary({ name, method }: Pick<Operation<never>, "name" | "method">): void {
  if (READING.has(method) ? name !== WRITES_BY_GET : name === READS_BY_POST) return;
  throw new Refusal("InsufficientAccountPermissions", {
    text: "Write operations to the secondary location are not allowed.",
  });
}

/** Roles are not kept: a token that was accepted may do what tokens can do at all. */
function authorizeBearer(
  { bearerSince, isIntentFree }: Permission,
  { target, headers, version }: Authorizable,
): void {
  // Not a 403: what a token cannot do is not there for it.
  if (bearerSince !== undefined && version < bearerSince) throw new Refusal("ResourceNotFound");
  if (target.service !== "file" || isIntentFree === true) return;
  const intent = headers[FILE_INTENT];
  if (intent === undefined) throw badHeader(FILE_INTENT, "", "MissingRequiredHeader");
  if (intent.toLowerCase() !== "backup") throw badHeader(FILE_INTENT, intent);
}

function authorizeAccountSas(
  caller: AccountSasCaller,
  permission: Permission,
  { target }: Authorizable,
): void {
  if (caller.account !== target.account || permission.account.length === 0) {
    throw new Refusal("AuthorizationFailure");
  }
  if (!caller.services.includes(SERVICE_LETTERS[target.service])) {
    throw new Refusal("AuthorizationServiceMismatch");
  }
  if (!holdsOneOf(caller.resourceTypes, permission.type)) {
    throw new Refusal("AuthorizationResourceTypeMismatch");
  }
  if (!holdsOne(caller.permissions, permission.account)) throw new Refusal("AuthorizationPermissionMismatch");
}

function authorizeServiceSas(
  caller: ServiceSasCaller,
  { resource, permission }: AuthorizedOperation,
  request: Authorizable,
): void {
  const { target } = request;
  const isCovered =
    caller.account === target.account &&
    caller.service === target.service &&
    covers(caller, resource, request);
  const isGrantable = isCovered && permission.service.length > 0;
  if (isGrantable && holdsOne(caller.permissions, permission.service)) return;
  if (caller.version < REFUSED_IS_NOT_FOUND_BEFORE) throw new Refusal("ResourceNotFound");
  throw new Refusal(isGrantable ? "AuthorizationPermissionMismatch" : "AuthorizationFailure");
}

function holdsOneOf(held: string, letters: string): boolean {
  for (const letter of letters) if (held.includes(letter)) return true;
  return false;
}

/** One alternative in full: "au" asks for both letters. */
export function holdsOne(held: string, alternatives: readonly string[]): boolean {
  for (const letters of alternatives) {
    let isHeld = letters !== "";
    for (const letter of letters) isHeld &&= held.includes(letter);
    if (isHeld) return true;
  }
  return false;
}

/** Whether the SAS reaches the resource the request names. */
function covers(caller: ServiceSasCaller, resource: ResourceKind, { target, query }: Authorizable): boolean {
  const path = fullPath(target.path, resource);
  switch (caller.resource) {
    case "c":
      return (resource === "container" || isBlob(resource)) && isInside(path, caller.path);
    case "b":
      return isBlob(resource) && path === caller.path;
    case "bs":
      // The snapshot alone, not the blob it was taken of nor its versions.
      return (
        isBlob(resource) &&
        path === caller.path &&
        query.get("snapshot") === caller.snapshot &&
        !query.has("versionid")
      );
    case "bv":
      return (
        isBlob(resource) &&
        path === caller.path &&
        query.get("versionid") === caller.snapshot &&
        !query.has("snapshot")
      );
    case "d":
      return isBlob(resource) && isInside(path, caller.path);
    case "s":
      return resource !== "service" && isInside(path, caller.path);
    case "f":
      return (resource === "file" || resource === "path") && path === caller.path;
    case "q":
      return resource !== "service" && isInside(path, caller.path);
    case "t":
      return resource === "batch" || tableOf(path) === caller.path;
  }
}

function isBlob(resource: ResourceKind): boolean {
  return resource === "blob" || resource === "path";
}

function isInside(path: string, parent: string): boolean {
  return path === parent || (path.startsWith(parent) && path[parent.length] === "/");
}

/**
 * With the name of the root container where the address leaves it out. A slash at the end means nothing, unless it
 * belongs to the name of a blob.
 */
function fullPath(path: string, resource: ResourceKind): string {
  const plain = path.endsWith("/") ? path.slice(0, -1) : path;
  if (resource !== "blob") return plain;
  return plain.includes("/") ? path : `$root/${plain}`;
}

/** `mytable`, `mytable()` and `mytable(PartitionKey='p',RowKey='r')` all name mytable. */
function tableOf(path: string): string {
  const parenthesis = path.indexOf("(");
  return (parenthesis === -1 ? path : path.slice(0, parenthesis)).toLowerCase();
}
