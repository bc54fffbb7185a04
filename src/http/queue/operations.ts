import { Refusal } from "../../base/refusals.ts";
import { QUEUE_LIMITS } from "../../services/queue/limits.ts";
import {
  ACL_BY_TOKEN,
  CREATED,
  getAndHead,
  LISTING,
  NO_CONTENT,
  onContainer,
  onContainerBySas,
  onObject,
  onService,
  row,
  xml,
} from "../common/rows.ts";
import { commonOperations } from "../common/service-operations.ts";
import { GET_USER_DELEGATION_KEY } from "../common/user-delegation-key.ts";
import type { Operation, OperationTable, ResourceKind } from "../operation.ts";
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

const METADATA = "queue?comp=metadata";
const ACL = "queue?comp=acl";
const MESSAGE_BODY = xml(QUEUE_LIMITS.messageBodyBytesMax);

/** None has conditions, ETags or leases. */
const ROWS: readonly Operation<QueueServices>[] = [
  row("ListQueues", "GET service?comp=list", onService("l"), handleListQueues, LISTING),
  row("CreateQueue", "PUT queue", onContainer("c", "w"), handleCreateQueue, { ok: [201, 204] }),
  row("DeleteQueue", "DELETE queue", onContainer("d"), handleDeleteQueue, NO_CONTENT),
  ...getAndHead("GetQueueMetadata", METADATA, onContainerBySas("r"), handleGetQueueMetadata, {
    headName: "HeadQueueMetadata",
  }),
  row("SetQueueMetadata", `PUT ${METADATA}`, onContainer("w"), handleSetQueueMetadata, NO_CONTENT),
  ...getAndHead("GetQueueACL", ACL, ACL_BY_TOKEN, handleGetQueueAcl, { headName: "HeadQueueACL" }),
  row("SetQueueACL", `PUT ${ACL}`, ACL_BY_TOKEN, handleSetQueueAcl, {
    ...xml(QUEUE_LIMITS.aclBytesMax),
    ...NO_CONTENT,
  }),
  row("PutMessage", "POST messages", onObject("a"), handlePutMessage, { ...MESSAGE_BODY, ...CREATED }),
  row("GetMessages", "GET messages", onObject("p"), handleGetMessages),
  row("PeekMessages", "GET messages?peekonly=true", onObject("r"), handlePeekMessages),
  row("ClearMessages", "DELETE messages", { ...onObject("d"), service: [] }, handleClearMessages, NO_CONTENT),
  row("UpdateMessage", "PUT message", onObject("u"), handleUpdateMessage, { ...MESSAGE_BODY, ...NO_CONTENT }),
  row("DeleteMessage", "DELETE message", onObject("p"), handleDeleteMessage, NO_CONTENT),
];

/** The Queue service, operation by operation. */
export const QUEUE_OPERATIONS: OperationTable<QueueServices> = {
  service: "queue",
  operations: [...commonOperations("queue"), GET_USER_DELEGATION_KEY, ...ROWS],
  resourceOf,
  // The service replies so to a plain GET of a queue.
  unknownOperation: "ResourceNotFound",
};

/**
 * `""`, `{queue}`, `{queue}/messages` or `{queue}/messages/{messageid}`, with or without a slash at the end.
 */
function resourceOf(path: string): ResourceKind {
  if (path === "") return "service";
  const queueEnd = path.indexOf("/");
  // Splitting the path would cost more than finding the message.
  const rest = queueEnd < 0 ? "" : path.slice(queueEnd);
  if (rest === "" || rest === "/") return "queue";
  if (rest === "/messages" || rest === "/messages/") return "messages";
  if (rest.startsWith("/messages/")) {
    const idEnd = rest.indexOf("/", "/messages/".length);
    if (idEnd < 0 || idEnd === rest.length - 1) return "message";
  }
  throw new Refusal("ResourceNotFound");
}
