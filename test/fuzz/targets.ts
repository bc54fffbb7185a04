import type { FuzzTarget } from "./target.ts";
import { HTTP_BLOB, HTTP_FILE, HTTP_QUEUE, HTTP_TABLE } from "./targets/http.ts";
import { HTTP_PARSER } from "./targets/http-parser.ts";
import { MUTANT_CRASH, MUTANT_HANG, MUTANT_LEAK, MUTANT_LOOP } from "./targets/planted.ts";
import * as smb from "./targets/smb.ts";
import * as wire from "./targets/wire.ts";

/** Every place where a stranger's bytes are read. */
export const REAL_TARGETS: readonly FuzzTarget[] = [
  HTTP_BLOB,
  HTTP_QUEUE,
  HTTP_TABLE,
  HTTP_FILE,
  HTTP_PARSER,
  ...Object.values(wire),
  ...Object.values(smb),
];

export const MUTANT_TARGETS: readonly FuzzTarget[] = [MUTANT_CRASH, MUTANT_HANG, MUTANT_LOOP, MUTANT_LEAK];

export const TARGETS: readonly FuzzTarget[] = [...REAL_TARGETS, ...MUTANT_TARGETS];
