import { badHeader, Refusal } from "../../base/refusals.ts";
import type { HttpRequest } from "../exchange.ts";
import type { Operation, Permission, ResourceKind } from "../operation.ts";
import type { AccountSasCaller, Caller, ServiceSasCaller } from "./caller.ts";
import type { AuthContext } from "./context.ts";
import { SERVICE_LETTERS } from "./delegation-key.ts";
import { challenge, isChallenged } from "./refuse.ts";

/** What authorisation looks at. */
export type Authorizable = Pick<HttpRequest, "target" | "query" | "headers" | "version">;
export type AuthorizedOperation = Pick<Operation<never>, "resource" | "permission">;

const REFUSED_IS_NOT_FOUND_BEFORE = "2015-04-05";
const FILE_INTENT = "x-ms-file-request-intent";

/**
 * Throws the refusal when the caller may not do what the row of the operation table describes. Only for an
 * anonymous caller does it read the container, so only then does it return a promise.
 *
 * The operation that parses a batch authorizes its parts one by one: a table SAS may send a batch to any
 * table here, and parts that name another table are refused there.
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

const RESOURCE_TYPES = { s: ["s"], c: ["c"], o: ["o"], co: ["c", "o"], sco: ["s", "c", "o"] } as const;

/** A dequeue changes the queue although it is a GET; a query over a blob's content changes nothing. */
const WRITES_BY_GET = "GetMessages";
const READS_BY_POST = "QueryBlobContents";
const READING = new Set(["GET", "HEAD", "OPTIONS"]);

/** The secondary is read-only. */
export function refuseWriteToSecondary({ name, method }: Pick<Operation<never>, "name" | "method">): void {
  if (READING.has(method) ? name !== WRITES_BY_GET : name === READS_BY_POST) return;
  throw new Refusal("InsufficientAccountPermissions", {
    text: "Write operations to the secondary location are not allowed.",
  });
}

/** The server has no roles: an accepted token may do all that tokens can do. */
function authorizeBearer(
  { bearerSince, isIntentFree }: Permission,
  { target, headers, version }: Authorizable,
): void {
  // Not a 403: an operation that tokens cannot do does not exist for them.
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
  if (!grantsOne(caller.resourceTypes, RESOURCE_TYPES[permission.type])) {
    throw new Refusal("AuthorizationResourceTypeMismatch");
  }
  if (!grantsOne(caller.permissions, permission.account))
    throw new Refusal("AuthorizationPermissionMismatch");
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
  if (isGrantable && grantsOne(caller.permissions, permission.service)) return;
  if (caller.version < REFUSED_IS_NOT_FOUND_BEFORE) throw new Refusal("ResourceNotFound");
  throw new Refusal(isGrantable ? "AuthorizationPermissionMismatch" : "AuthorizationFailure");
}

async function authorizeAnonymous(
  { resource, permission }: AuthorizedOperation,
  request: Authorizable,
  { publicAccess }: Pick<AuthContext, "publicAccess">,
): Promise<void> {
  const { target } = request;
  if (permission.isHidden === true) throw new Refusal("ResourceNotFound");
  if (target.service !== "blob" || permission.anonymous === undefined) throw noCredentials(request);
  const slash = target.path.indexOf("/");
  const first = slash === -1 ? target.path : target.path.slice(0, slash);
  const container = slash === -1 && resource === "blob" ? "$root" : first;
  const access = await publicAccess(target.account, container);
  if (access === "container" || (access === "blob" && permission.anonymous === "blob")) return;
  throw noCredentials(request);
}

function noCredentials(request: Authorizable): Refusal {
  if (isChallenged(request)) return challenge("NoAuthenticationInformation");
  // A browser that opens the address of a file gets this.
  if (request.target.service === "file" && request.version === "") return badHeader("x-ms-version", "");
  return new Refusal("ResourceNotFound");
}

/** One alternative in full: "au" requires both letters. */
function grantsOne(granted: string, alternatives: readonly string[]): boolean {
  for (const letters of alternatives) {
    let isGranted = letters !== "";
    for (const letter of letters) isGranted &&= granted.includes(letter);
    if (isGranted) return true;
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
    case "bv": {
      // The snapshot or version alone, not the base blob.
      const [own, other] = caller.resource === "bs" ? ["snapshot", "versionid"] : ["versionid", "snapshot"];
      const isSame = path === caller.path && query.get(own) === caller.snapshot;
      return isBlob(resource) && isSame && !query.has(other);
    }
    case "d":
      return isBlob(resource) && isInside(path, caller.path);
    case "f":
      return (resource === "file" || resource === "path") && path === caller.path;
    case "s":
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
 * With the name of the root container where the address leaves it out. A slash at the end means nothing,
 * unless it belongs to the name of a blob.
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
