import { CannotStart, errorCode } from "../base/faults.ts";
import { bracketed } from "./endpoints.ts";
import type { Address, ListenerName } from "./options.ts";

/**
 * Listens at the address, or at any free port of its host if the port is in use and `givesWay`. Throws
 * `CannotStart` when the system refuses.
 */
export async function listenOrMove<Listening>(
  name: ListenerName,
  address: Address,
  listen: (at: { readonly host: string; readonly port: number }) => Promise<Listening>,
): Promise<Listening> {
  const { host, port, givesWay = false } = address;
  try {
    return await listen({ host, port });
  } catch (error) {
    if (!givesWay || errorCode(error) !== "EADDRINUSE") throw refusedAt(name, address, error);
  }
  try {
    return await listen({ host, port: 0 });
  } catch (error) {
    throw refusedAt(name, address, error);
  }
}

/** The error of the system as a sentence for the operator. Any other error is a bug and stays as it is. */
function refusedAt(name: ListenerName, { host, port }: Address, cause: unknown): unknown {
  const code = errorCode(cause);
  const syscall = (cause as { readonly syscall?: unknown } | undefined)?.syscall;
  if (code === undefined || (syscall !== "listen" && syscall !== "bind" && syscall !== "getaddrinfo"))
    return cause;
  const at = `${bracketed(host)}:${port}`;
  const message = (text: string): CannotStart => new CannotStart(text, { cause });
  switch (code) {
    case "EADDRINUSE":
      return message(`${at} is in use; set another --${name}Port or stop the program that listens there`);
    case "EACCES":
    case "EPERM":
      return message(
        `no permission to listen at ${at} (ports below 1024 need a privilege): set another --${name}Port`,
      );
    case "EADDRNOTAVAIL":
      return message(
        `cannot listen at ${at}: no network interface has this address; set --${name}Host or --host`,
      );
    case "EAFNOSUPPORT":
      return message(
        `cannot listen at ${at}: the system does not support this address family; set --${name}Host or --host`,
      );
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return message(`cannot listen at ${at}: the host name has no address; set --${name}Host or --host`);
    default:
      return message(`cannot listen at ${at} (${code}); set --${name}Host and --${name}Port`);
  }
}
