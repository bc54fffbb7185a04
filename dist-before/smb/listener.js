import { createServer } from "node:net";
import { SMB_LIMITS } from "../base/limits-smb.js";
export async function listenSmb({ host, port, server, isHandedOver = false, }) {
    const listener = createServer({ noDelay: true }, (socket) => server.accept(socket));
    listener.maxConnections = SMB_LIMITS.connectionsMax;
    if (!isHandedOver)
        await startListening(listener, host, port);
    return {
        host,
        port: isHandedOver ? port : listener.address().port,
        accept: (socket) => {
            server.accept(socket);
            socket.resume();
        },
        connections: () => server.connectionCount,
        close: async () => {
            const closed = isHandedOver
                ? Promise.resolve()
                : new Promise((resolve) => listener.close(() => resolve()));
            await server.close();
            await closed;
        },
    };
}
function startListening(listener, host, port) {
    return new Promise((resolve, reject) => {
        listener.once("error", reject);
        listener.listen({ host, port }, () => {
            listener.removeListener("error", reject);
            resolve();
        });
    });
}
