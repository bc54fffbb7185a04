import type { Reply, Request } from "../request.ts";
/** A row for each command: what must be there before it runs, and what runs. CANCEL has no answer and no row. */
export interface CommandRow {
    readonly name: string;
    readonly needs: "nothing" | "session" | "tree";
    run(request: Request): Reply | Promise<Reply>;
}
export declare const COMMANDS: Readonly<Record<number, CommandRow>>;
