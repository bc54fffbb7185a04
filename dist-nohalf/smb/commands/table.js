import { COMMAND } from "../wire/header.js";
import { changeNotify } from "./change-notify.js";
import { close } from "./close.js";
import { create } from "./create.js";
import { echo } from "./echo.js";
import { flush } from "./flush.js";
import { ioctl } from "./ioctl.js";
import { lock } from "./lock.js";
import { negotiate } from "./negotiate.js";
import { oplockBreakAcknowledgement } from "./oplock-break.js";
import { queryDirectory } from "./query-directory.js";
import { queryInfo } from "./query-info.js";
import { read } from "./read.js";
import { logoff, sessionSetup } from "./session-setup.js";
import { setInfo } from "./set-info.js";
import { treeConnect, treeDisconnect } from "./tree-connect.js";
import { write } from "./write.js";
export const COMMANDS = {
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
