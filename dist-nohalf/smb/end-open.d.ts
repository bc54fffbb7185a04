import type { Open } from "./open.ts";
import type { SmbServer } from "./server.ts";
/** Ends an open that no session names any more: its locks, its share mode, its cache, what waits on it. */
export declare function closeOpen(server: SmbServer, open: Open): Promise<void>;
