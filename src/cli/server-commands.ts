import { parseArgs } from "node:util";
import { ConfigError } from "../base/config-error.ts";
import { LIMITS } from "../base/limits.ts";

/**
 * Commands to a server that runs, through its admin listener:
 *
 *   holdfast health [--url http://127.0.0.1:10004]
 *   holdfast reset  [--url http://127.0.0.1:10004]
 */
export interface CommandContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly print: (line: string) => void;
}

/** Prints the state of each part; throws unless the server serves requests. */
export function healthCommand(argv: readonly string[], context: CommandContext): Promise<void> {
  return ask("health", argv, context, { path: "/readyz", method: "GET", timeout: LIMITS.healthMillisMax });
}

export function resetCommand(argv: readonly string[], context: CommandContext): Promise<void> {
  return ask("reset", argv, context, { path: "/reset", method: "POST", timeout: LIMITS.resetMillisMax });
}

async function ask(
  command: string,
  argv: readonly string[],
  { env, print }: CommandContext,
  { path, method, timeout }: { readonly path: string; readonly method: string; readonly timeout: number },
): Promise<void> {
  const base = readUrl(command, argv) ?? `http://127.0.0.1:${env.HOLDFAST_ADMIN_PORT ?? "10004"}`;
  let reply: Response;
  try {
    reply = await fetch(new URL(path, base), { method, signal: AbortSignal.timeout(timeout) });
  } catch (error) {
    const { message, cause } = error as Error;
    throw new Error(`${base} does not answer: ${(cause as Error | undefined)?.message || message}`);
  }
  const text = (await reply.text()).trim();
  if (!reply.ok) throw new Error(`${base}: ${text}`);
  print(text);
}

function readUrl(command: string, argv: readonly string[]): string | undefined {
  let url: string | undefined;
  try {
    ({ url } = parseArgs({ args: [...argv], options: { url: { type: "string" } } }).values);
  } catch (error) {
    throw new ConfigError(command, (error as Error).message);
  }
  if (url !== undefined && !/^https?:\/\//.test(url))
    throw new ConfigError("--url", `expected http://HOST:PORT of the admin listener, got "${url}"`);
  return url;
}
