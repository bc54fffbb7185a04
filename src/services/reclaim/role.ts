import { packKey } from "../../store/keys/pack.ts";
import type { EphemeralSpace } from "../../store/kv.ts";

/** Roles that one process at a time has: ("role", name) in the ephemeral space, owned by that process. */
const roleKey = (name: string): string => packKey(["role", name]);

/**
 * Whether this process has the role. The first to ask gets it and keeps it until it ends; then its record
 * disappears and the next to ask gets it.
 */
export async function hasRole(ephemeral: EphemeralSpace, name: string): Promise<boolean> {
  const key = roleKey(name);
  const owner = await ephemeral.read((read) => read.get(key));
  if (owner !== undefined) return owner.toString() === ephemeral.owner;
  return ephemeral.write(async (write) => {
    const current = await write.get(key);
    if (current === undefined) write.put(key, Buffer.from(ephemeral.owner));
    return current === undefined || current.toString() === ephemeral.owner;
  });
}

/** At an orderly shutdown, so that another process can take over at once. */
export async function leaveRole(ephemeral: EphemeralSpace, name: string): Promise<void> {
  const key = roleKey(name);
  await ephemeral.write(async (write) => {
    if ((await write.get(key))?.toString() === ephemeral.owner) write.delete(key);
  });
}
