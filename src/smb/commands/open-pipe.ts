import { SMB_LIMITS } from "../limits.ts";
import { Pipe } from "../rpc/pipe.ts";
import { SrvSvc } from "../rpc/srvsvc.ts";
import type { PipeOpen } from "../session/open.ts";
import { type Reply, type Request, success } from "../transport/request.ts";
import { ATTRIBUTE, CREATE_ACTION, createResponse } from "../wire/create.ts";
import { refuse, STATUS } from "../wire/status.ts";

const PIPE_ALLOCATION = 4_096n;

/** CREATE on IPC$: one pipe is served, the one that lists shares. */
export function openPipe(request: Request, name: string): Reply {
  const session = request.user;
  const { server } = request.connection;
  if (name.toLowerCase().replace(/^\\?(?:pipe\\)?/, "") !== "srvsvc")
    throw refuse(STATUS.OBJECT_NAME_NOT_FOUND);
  const pipes = [...session.opens.values()].filter(({ pipe }) => pipe !== undefined).length;
  if (pipes >= SMB_LIMITS.pipesPerConnectionMax) throw refuse(STATUS.TOO_MANY_OPENED_FILES);
  const id = server.nextOpenId();
  const service = new SrvSvc({
    serverName: server.serverName,
    shares: () => server.fileSystem.shares(session.account),
  });
  const open: PipeOpen = {
    fileId: { persistent: id, volatile: id },
    tree: request.tree!,
    session,
    pipe: new Pipe(service),
    file: undefined,
  };
  session.opens.set(id, open);
  session.connection.openCount++;
  request.chain.fileId = open.fileId;
  return success(
    createResponse.encode({
      oplockLevel: 0,
      flags: 0,
      createAction: CREATE_ACTION.OPENED,
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
