import { packKey } from "../../store/keys/pack.js";
/** Roles that one process at a time plays: ("role", name) in the ephemeral space, owned by its player. */
const roleKey = (name) => packKey(["role", name]);
/**
 * Whether this process plays the role; the first to ask gets it and keeps it until it dies, when the record
 * vanishes with its owner and the next to ask takes over.
 */
export async function playsRole(ephemeral, name) {
    const key = roleKey(name);
    const player = await ephemeral.read((read) => read.get(key));
    if (player !== undefined)
        return player.toString() === ephemeral.owner;
    return ephemeral.write(async (write) => {
        const winner = await write.get(key);
        if (winner === undefined)
            write.put(key, Buffer.from(ephemeral.owner));
        return winner === undefined || winner.toString() === ephemeral.owner;
    });
}
/** At an orderly end: another process may take over at once. */
export async function leaveRole(ephemeral, name) {
    const key = roleKey(name);
    await ephemeral.write(async (write) => {
        if ((await write.get(key))?.toString() === ephemeral.owner)
            write.delete(key);
    });
}
