import { LIMITS } from "../../base/limits.ts";
import { type ListedShare, listShares } from "../../services/file/list-shares.ts";
import { ItemPage } from "../../services/page.ts";
import type { SmbContext } from "../context.ts";
import { SMB_LIMITS } from "../limits.ts";
import { Pipe } from "../rpc/pipe.ts";
import { type ShareEntry, SrvSvc } from "../rpc/srvsvc.ts";
import type { PipeOpen } from "../session/open.ts";
import { type Reply, type Request, success } from "../transport/request.ts";
import { ATTRIBUTE, CREATE_ACTION, createResponse } from "../wire/create.ts";
import { refuse, STATUS } from "../wire/status.ts";

const PIPE_ALLOCATION = 4_096n;

/** CREATE on IPC$: one pipe is served, the one that lists shares. */
export function openPipe(request: Request, name: string): Reply {
  const { context, user: session } = request;
  if (name.toLowerCase().replace(/^\\?(?:pipe\\)?/, "") !== "srvsvc")
    throw refuse(STATUS.OBJECT_NAME_NOT_FOUND);
  const pipes = [...session.opens.values()].filter(({ pipe }) => pipe !== undefined).length;
  if (pipes >= SMB_LIMITS.pipesPerConnectionMax) throw refuse(STATUS.TOO_MANY_OPENED_FILES);
  const id = context.nextOpenId();
  const service = new SrvSvc({
    serverName: context.serverName,
    shares: () => sharesOf(context, session.account),
  });
  const open: PipeOpen = {
    fileId: { persistent: id, volatile: id },
    tree: request.tree!,
    session,
    pipe: new Pipe(service),
    file: undefined,
  };
  session.addOpen(open);
  request.chain.fileId = open.fileId;
  return success(
    createResponse.encode({
      oplockLevel: 0,
      flags: 0,
      createAction: CREATE_ACTION.opened,
      creationTime: 0n,
      lastAccessTime: 0n,
      lastWriteTime: 0n,
      changeTime: 0n,
      allocationSize: PIPE_ALLOCATION,
      endOfFile: 0n,
      fileAttributes: ATTRIBUTE.NORMAL,
      fileId: open.fileId,
      contexts: Buffer.alloc(0),
    }),
  );
}

async function sharesOf({ files }: SmbContext, account: string): Promise<readonly ShareEntry[]> {
  const { page } = await listShares(files, {
    account,
    prefix: "",
    newPage: () => new ItemPage<ListedShare>(LIMITS.listResultsMax),
    includesDeleted: false,
    includesSnapshots: false,
  });
  return page.items
    .filter(({ info }) => info.settings.protocols === "SMB")
    .map(({ name }) => ({ name, comment: "" }));
}
