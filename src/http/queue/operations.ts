import { LIMITS } from "../../base/limits.ts";
import { Refusal } from "../../base/refusals.ts";
import { QUEUE_LIMITS } from "../../services/queue/limits.ts";
import { getAndHead, onContainer, onObject, onService, row } from "../common/rows.ts";
import { commonOperations } from "../common/service-operations.ts";
import { GET_USER_DELEGATION_KEY } from "../common/user-delegation-key.ts";
import type { Operation, OperationTable, Permission, ResourceKind } from "../operation.ts";
import { handleClearMessages } from "./clear-messages.ts";
import { handleCreateQueue } from "./create-queue.ts";
import { handleDeleteMessage } from "./delete-message.ts";
import { handleDeleteQueue } from "./delete-queue.ts";
import { handleGetMessages } from "./get-messages.ts";
import { handleGetQueueAcl } from "./get-queue-acl.ts";
import { handleGetQueueMetadata } from "./get-queue-metadata.ts";
import { handleListQueues } from "./list-queues.ts";
import { handlePeekMessages } from "./peek-messages.ts";
import { handlePutMessage } from "./put-message.ts";
import type { QueueServices } from "./services.ts";
import { handleSetQueueAcl } from "./set-queue-acl.ts";
import { handleSetQueueMetadata } from "./set-queue-metadata.ts";
import { handleUpdateMessage } from "./update-message.ts";

/** No SAS reaches the access policies of a queue; bearer tokens do since this version. */
const ACL: Permission = { ...onContainer([]), bearerSince: "2025-07-05" };

const messageBody = { body: "xml", bodyBytesMax: QUEUE_LIMITS.messageBodyBytesMax } as const;

/** The Queue service, operation by operation. None has conditions, ETags or leases. */
const ROWS: readonly Operation<QueueServices>[] = [
  row({
    name: "ListQueues",
    method: "GET",
    resource: "service",
    query: { comp: "list" },
    permission: onService(["l"]),
    replyBytesMax: LIMITS.listPageBytesMax,
    handle: handleListQueues,
  }),
  row({
    name: "CreateQueue",
    method: "PUT",
    resource: "queue",
    permission: onContainer(["c", "w"]),
    ok: [201, 204],
    handle: handleCreateQueue,
  }),
  row({
    name: "DeleteQueue",
    method: "DELETE",
    resource: "queue",
    permission: onContainer(["d"]),
    ok: [204],
    handle: handleDeleteQueue,
  }),
  ...getAndHead(
    {
      name: "GetQueueMetadata",
      resource: "queue",
      query: { comp: "metadata" },
      permission: onContainer(["r"], ["r"]),
      handle: handleGetQueueMetadata,
    },
    "HeadQueueMetadata",
  ),
  row({
    name: "SetQueueMetadata",
    method: "PUT",
    resource: "queue",
    query: { comp: "metadata" },
    permission: onContainer(["w"]),
    ok: [204],
    handle: handleSetQueueMetadata,
  }),
  ...getAndHead(
    {
      name: "GetQueueACL",
      resource: "queue",
      query: { comp: "acl" },
      permission: ACL,
      handle: handleGetQueueAcl,
    },
    "HeadQueueACL",
  ),
  row({
    name: "SetQueueACL",
    method: "PUT",
    resource: "queue",
    query: { comp: "acl" },
    permission: ACL,
    body: "xml",
    bodyBytesMax: QUEUE_LIMITS.aclBytesMax,
    ok: [204],
    handle: handleSetQueueAcl,
  }),
  row({
    ...messageBody,
    name: "PutMessage",
    method: "POST",
    resource: "messages",
    permission: onObject(["a"]),
    ok: [201],
    handle: handlePutMessage,
  }),
  row({
    name: "GetMessages",
    method: "GET",
    resource: "messages",
    permission: onObject(["p"]),
    handle: handleGetMessages,
  }),
  row({
    name: "PeekMessages",
    method: "GET",
    resource: "messages",
    query: { peekonly: "true" },
    permission: onObject(["r"]),
    handle: handlePeekMessages,
  }),
  row({
    name: "ClearMessages",
    method: "DELETE",
    resource: "messages",
    permission: { type: "o", account: ["d"], service: [] },
    ok: [204],
    handle: handleClearMessages,
  }),
  row({
    ...messageBody,
    name: "UpdateMessage",
    method: "PUT",
    resource: "message",
    permission: onObject(["u"]),
    ok: [204],
    handle: handleUpdateMessage,
  }),
  row({
    name: "DeleteMessage",
    method: "DELETE",
    resource: "message",
    permission: onObject(["p"]),
    ok: [204],
    handle: handleDeleteMessage,
  }),
];

export const QUEUE_OPERATIONS: OperationTable<QueueServices> = {
  service: "queue",
  operations: [...commonOperations("queue"), GET_USER_DELEGATION_KEY, ...ROWS],
  resourceOf,
  // The answer of the service to a plain GET of a queue.
  unknownOperation: "ResourceNotFound",
};

/** `""`, `{queue}`, `{queue}/messages` or `{queue}/messages/{messageid}`, with or without a slash at the end. */
function resourceOf(path: string): ResourceKind {
  if (path === "") return "service";
  const queueEnd = path.indexOf("/");
  // Splitting the path would cost more for each message than finding the message.
  const rest = queueEnd < 0 ? "" : path.slice(queueEnd);
  if (rest === "" || rest === "/") return "queue";
  if (rest === "/messages" || rest === "/messages/") return "messages";
  if (rest.startsWith("/messages/")) {
    const idEnd = rest.indexOf("/", "/messages/".length);
    if (idEnd < 0 || idEnd === rest.length - 1) return "message";
  }
  throw new Refusal("ResourceNotFound");
}
