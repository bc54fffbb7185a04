import { success } from "../request.js";
import { emptyBody } from "../wire/session-setup.js";
export function echo({ pdu }) {
    emptyBody.decode(pdu);
    return success(emptyBody.encode({}));
}
