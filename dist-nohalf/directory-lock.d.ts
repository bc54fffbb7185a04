import { type Clock } from "./base/clock.ts";
/**
 * One Holdfast for each data directory. Node has no flock, so the lock is a Unix socket in the directory: while
 * a process lives (or a child that inherited the socket), connecting to it works; once it is gone, however it
 * went, connecting is refused. Nothing has to be cleaned up by hand after kill -9. It also holds between
 * containers that share a volume, as long as they run on one machine.
 *
 * A name in `lock/` is `<started>-<pid>-<random>.sock` and is used once, ever. To take the lock:
 *
 *   1. listen under a draft name, then rename to the real one: a name that can be seen can be connected to.
 *   2. list the others. Refused: dead, remove it (safe, because nobody ever uses that name again).
 *   3. another lives and its name sorts before ours: give way. Only later ones live: they are about to give
 *      way, so look again. None lives: the lock is ours.
 *
 * Two cannot both win: each lists only after its own name is there, and a name stays as it is until its owner
 * gives up. Of two contenders, whoever appeared second lists after the first appeared, sees it alive, and does
 * not win while it lives. Nor do all lose: the one whose name sorts first gives way to nobody but an owner.
 * The clock in the name only makes the common refusal quick; a wrong clock costs a wait, never the exclusion.
 */
export interface DirectoryLock {
    readonly descriptor: number;
    release(): Promise<void>;
}
export declare function takeDirectoryLock(directory: string, folder: string, clock: Clock): Promise<DirectoryLock>;
