import { runProgram } from "./run-program.ts";
import { SMB_ACCOUNT, SMB_OTHER_ACCOUNT, SMB_PASSWORD } from "./smb-server.ts";

/** What became of each test of a suite of Samba's smbtorture, by its name without the suite's. */
export interface TortureResult {
  readonly passed: readonly string[];
  readonly failed: readonly string[];
  readonly skipped: readonly string[];
  /** Begun and not ended: it hung, or took the client down. */
  readonly unfinished: readonly string[];
  readonly output: string;
}

/** The name of a suite that is one test by itself. */
export const WHOLE = "(the suite)";

export async function smbtorture(input: {
  readonly port: number;
  readonly suite: string;
  readonly share?: string;
  readonly timeoutMillis?: number;
}): Promise<TortureResult> {
  const { port, suite, share = "work", timeoutMillis = 150_000 } = input;
  const args = [
    `//127.0.0.1/${share}`,
    "-p",
    String(port),
    "-U",
    `${SMB_ACCOUNT}%${SMB_PASSWORD}`,
    "--option=torture:progress=no",
    `--option=torture:user2name=${SMB_OTHER_ACCOUNT}`,
    `--option=torture:user2password=${SMB_PASSWORD}`,
    "--fullname",
    suite,
  ];
  const { output } = await runProgram("smbtorture", args, { timeoutMillis });
  return readTorture(output, suite);
}

/** Lines are `test: NAME`, then `success: NAME` or `failure: NAME [`; names may have spaces in them. */
export function readTorture(output: string, suite: string): TortureResult {
  const named = (word: string): string[] =>
    [...output.matchAll(new RegExp(`^${word}: (.+?)(?: \\[)?$`, "gm"))].map(([, name]) =>
      name === suite ? WHOLE : name!.replace(`${suite}.`, ""),
    );
  const passed = named("success");
  const failed = [...named("failure"), ...named("error")];
  const skipped = named("skip");
  const ended = new Set([...passed, ...failed, ...skipped]);
  const unfinished = named("test").filter((name) => !ended.has(name));
  return { passed, failed, skipped, unfinished, output };
}
