import type { Reply, Request } from "../transport/request.ts";
import { COMMAND } from "../wire/header.ts";
import { changeNotify } from "./change-notify.ts";
import { close } from "./close.ts";
import { create } from "./create.ts";
import { echo } from "./echo.ts";
import { flush } from "./flush.ts";
import { ioctl } from "./ioctl.ts";
import { lock } from "./lock.ts";
import { negotiate } from "./negotiate.ts";
import { oplockBreakAcknowledgement } from "./oplock-break.ts";
import { queryDirectory } from "./query-directory.ts";
import { queryInfo } from "./query-info.ts";
import { read } from "./read.ts";
import { logoff, sessionSetup } from "./session-setup.ts";
import { setInfo } from "./set-info.ts";
import { treeConnect, treeDisconnect } from "./tree-connect.ts";
import { write } from "./write.ts";

/** A row for each command: what it needs, and what runs. CANCEL has no answer and no row. */
export interface CommandRow {
  readonly name: string;
  readonly needs: "nothing" | "session" | "tree";
  run(request: Request): Reply | Promise<Reply>;
}

export const COMMANDS: Readonly<Record<number, CommandRow>> = {
  [COMMAND.NEGOTIATE]: { name: "NEGOTIATE", needs: "nothing", run: negotiate },
  [COMMAND.SESSION_SETUP]: { name: "SESSION_SETUP", needs: "nothing", run: sessionSetup },
  [COMMAND.LOGOFF]: { name: "LOGOFF", needs: "session", run: logoff },
  [COMMAND.TREE_CONNECT]: { name: "TREE_CONNECT", needs: "session", run: treeConnect },
  [COMMAND.TREE_DISCONNECT]: { name: "TREE_DISCONNECT", needs: "tree", run: treeDisconnect },
  [COMMAND.CREATE]: { name: "CREATE", needs: "tree", run: create },
  [COMMAND.CLOSE]: { name: "CLOSE", needs: "tree", run: close },
  [COMMAND.FLUSH]: { name: "FLUSH", needs: "tree", run: flush },
  [COMMAND.READ]: { name: "READ", needs: "tree", run: read },
  [COMMAND.WRITE]: { name: "WRITE", needs: "tree", run: write },
  [COMMAND.LOCK]: { name: "LOCK", needs: "tree", run: lock },
  [COMMAND.IOCTL]: { name: "IOCTL", needs: "tree", run: ioctl },
  [COMMAND.ECHO]: { name: "ECHO", needs: "session", run: echo },
  [COMMAND.QUERY_DIRECTORY]: { name: "QUERY_DIRECTORY", needs: "tree", run: queryDirectory },
  [COMMAND.CHANGE_NOTIFY]: { name: "CHANGE_NOTIFY", needs: "tree", run: changeNotify },
  [COMMAND.QUERY_INFO]: { name: "QUERY_INFO", needs: "tree", run: queryInfo },
  [COMMAND.SET_INFO]: { name: "SET_INFO", needs: "tree", run: setInfo },
  [COMMAND.OPLOCK_BREAK]: { name: "OPLOCK_BREAK", needs: "session", run: oplockBreakAcknowledgement },
};
