import type { FileOpen } from "../open.ts";
import type { Request } from "../request.ts";
import type { InfoAnswer } from "./query-info.ts";
export declare function fileInformation(request: Request, open: FileOpen, informationClass: number): Promise<InfoAnswer>;
/** Some clients ask a pipe for its standard information before they use it. */
export declare function pipeInformation(informationClass: number): InfoAnswer;
