import { type Reply, type Request, success } from "../transport/request.ts";
import { emptyBody } from "../wire/session-setup.ts";

export function echo({ pdu }: Request): Reply {
  emptyBody.decode(pdu);
  return success(emptyBody.encode({}));
}
