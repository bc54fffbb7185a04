import { errorCode } from "./base/faults.ts";
import type { Address } from "./options.ts";

/** Listens at the address; at any free port of its host where that port gives way and somebody has it already. */
export async function listenOrMove<Listening>(
  address: Address,
  listen: (at: { readonly host: string; readonly port: number }) => Promise<Listening>,
): Promise<Listening> {
  const { host, port, givesWay = false } = address;
  try {
    return await listen({ host, port });
  } catch (error) {
    if (!givesWay || errorCode(error) !== "EADDRINUSE") throw error;
    return await listen({ host, port: 0 });
  }
}
