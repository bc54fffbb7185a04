import { LIMITS } from "../../base/limits.ts";
import { Refusal } from "../../base/refusals.ts";
import { QUEUE_LIMITS } from "../../services/queue/limits.ts";
import type { QueueService } from "../../services/queue/queue-service.ts";
import type { AuthContext } from "../auth/authenticate.ts";
import { type CommonServices, commonOperations } from "../common/service-operations.ts";
import { GET_USER_DELEGATION_KEY } from "../common/user-delegation-key.ts";
import type { Operation, OperationTable, Permission, ResourceKind } from "../operation.ts";
import { createQueue, deleteQueue } from "./create-queue.ts";
import { clearMessages, deleteMessage } from "./delete-message.ts";
import { getMessages, peekMessages } from "./get-messages.ts";
import { listQueues } from "./list-queues.ts";
import { putMessage } from "./put-message.ts";
import { getQueueAcl, getQueueMetadata, setQueueAcl, setQueueMetadata } from "./queue-metadata.ts";
import { updateMessage } from "./update-message.ts";

/** The Queue service, operation by operation. None has conditions, ETags or leases. */
export interface QueueServices extends CommonServices {
  readonly queues: QueueService;
  readonly auth: AuthContext;
}

type Row = Operation<QueueServices>;

const plain = { returnsEtag: false, conditions: [], lease: "none" } as const;
const noBody = { body: "none", bodyBytesMax: 0 } as const;
const messageBody = { body: "xml", bodyBytesMax: QUEUE_LIMITS.messageBodyBytesMax } as const;

/** No SAS reaches a queue's access policies, and tokens do since this version. */
const ACL: Permission = { type: "c", account: [], service: [], bearerSince: "2025-07-05" };
const READ_METADATA: Permission = { type: "c", account: ["r"], service: ["r"] };

const ROWS: readonly Row[] = [
  {
    ...plain,
    ...noBody,
    name: "ListQueues",
    method: "GET",
    resource: "service",
    query: { comp: "list" },
    permission: { type: "s", account: ["l"], service: [] },
    ok: [200],
    replyBytesMax: LIMITS.listPageBytesMax,
    handle: listQueues,
  },
  {
    ...plain,
    ...noBody,
    name: "CreateQueue",
    method: "PUT",
    resource: "queue",
    permission: { type: "c", account: ["c", "w"], service: [] },
    ok: [201, 204],
    handle: createQueue,
  },
  {
    ...plain,
    ...noBody,
    name: "DeleteQueue",
    method: "DELETE",
    resource: "queue",
    permission: { type: "c", account: ["d"], service: [] },
    ok: [204],
    handle: deleteQueue,
  },
  {
    ...plain,
    ...noBody,
    name: "GetQueueMetadata",
    method: "GET",
    resource: "queue",
    query: { comp: "metadata" },
    permission: READ_METADATA,
    ok: [200],
    handle: getQueueMetadata,
  },
  {
    ...plain,
    ...noBody,
    name: "HeadQueueMetadata",
    method: "HEAD",
    resource: "queue",
    query: { comp: "metadata" },
    permission: READ_METADATA,
    ok: [200],
    handle: getQueueMetadata,
  },
  {
    ...plain,
    ...noBody,
    name: "SetQueueMetadata",
    method: "PUT",
    resource: "queue",
    query: { comp: "metadata" },
    permission: { type: "c", account: ["w"], service: [] },
    ok: [204],
    handle: setQueueMetadata,
  },
  {
    ...plain,
    ...noBody,
    name: "GetQueueACL",
    method: "GET",
    resource: "queue",
    query: { comp: "acl" },
    permission: ACL,
    ok: [200],
    handle: getQueueAcl,
  },
  {
    ...plain,
    ...noBody,
    name: "HeadQueueACL",
    method: "HEAD",
    resource: "queue",
    query: { comp: "acl" },
    permission: ACL,
    ok: [200],
    handle: getQueueAcl,
  },
  {
    ...plain,
    name: "SetQueueACL",
    method: "PUT",
    resource: "queue",
    query: { comp: "acl" },
    permission: ACL,
    body: "xml",
    bodyBytesMax: QUEUE_LIMITS.aclBytesMax,
    ok: [204],
    handle: setQueueAcl,
  },
  {
    ...plain,
    ...messageBody,
    name: "PutMessage",
    method: "POST",
    resource: "messages",
    permission: { type: "o", account: ["a"], service: ["a"] },
    ok: [201],
    handle: putMessage,
  },
  {
    ...plain,
    ...noBody,
    name: "GetMessages",
    method: "GET",
    resource: "messages",
    permission: { type: "o", account: ["p"], service: ["p"] },
    ok: [200],
    handle: getMessages,
  },
  {
    ...plain,
    ...noBody,
    name: "PeekMessages",
    method: "GET",
    resource: "messages",
    query: { peekonly: "true" },
    permission: { type: "o", account: ["r"], service: ["r"] },
    ok: [200],
    handle: peekMessages,
  },
  {
    ...plain,
    ...noBody,
    name: "ClearMessages",
    method: "DELETE",
    resource: "messages",
    permission: { type: "o", account: ["d"], service: [] },
    ok: [204],
    handle: clearMessages,
  },
  {
    ...plain,
    ...messageBody,
    name: "UpdateMessage",
    method: "PUT",
    resource: "message",
    permission: { type: "o", account: ["u"], service: ["u"] },
    ok: [204],
    handle: updateMessage,
  },
  {
    ...plain,
    ...noBody,
    name: "DeleteMessage",
    method: "DELETE",
    resource: "message",
    permission: { type: "o", account: ["p"], service: ["p"] },
    ok: [204],
    handle: deleteMessage,
  },
];

export const QUEUE_OPERATIONS: OperationTable<QueueServices> = {
  service: "queue",
  operations: [...commonOperations("queue"), GET_USER_DELEGATION_KEY, ...ROWS],
  resourceOf,
  // As the service answers a plain GET of a queue.
  unknownOperation: "ResourceNotFound",
};

/** `""`, `{queue}`, `{queue}/messages` or `{queue}/messages/{messageid}`, with or without a slash at the end. */
function resourceOf(path: string): ResourceKind {
  if (path === "") return "service";
  const queueEnd = path.indexOf("/");
  // Not split into its parts: for each message that would cost more than finding the message.
  const rest = queueEnd < 0 ? "" : path.slice(queueEnd);
  if (rest === "" || rest === "/") return "queue";
  if (rest === "/messages" || rest === "/messages/") return "messages";
  if (rest.startsWith("/messages/")) {
    const idEnd = rest.indexOf("/", "/messages/".length);
    if (idEnd < 0 || idEnd === rest.length - 1) return "message";
  }
  throw new Refusal("ResourceNotFound");
}
