import { monotonic, type Timer, type Timers } from "../../base/clock.ts";
import { MESSAGE_BYTES_MAX, type Messages } from "../../base/messages.ts";
import type { Random } from "../../base/random.ts";
import { SMB_LIMITS } from "../limits.ts";
import type { ChangeEvent, ChangeHub } from "../session/change-notification.ts";

/**
 * Change notification between nodes. A node whose clients watch a share says so, again and again; as long as it does,
 * the others tell it what their clients do there. What does not fit into a message is told as "look for yourself". A
 * message may be lost, and with it a notification: clients that must not miss anything list the directory.
 */
const WATCHED = "smb-watched";
const CHANGED = "smb-changed";
const ID_BYTES = 8;
const SHARE_BYTES = 8;

interface ChangeMessage {
  readonly events?: readonly (readonly [path: string, action: number, filter: number, unless: number])[];
  /** A directory that is gone. */
  readonly removed?: string;
}

export class ChangesElsewhere {
  readonly #messages: Messages;
  readonly #hub: ChangeHub;
  readonly #id: Buffer;
  readonly #timer: Timer;
  readonly #stops: readonly (() => void)[];
  /** Until when others are believed to watch a share. */
  readonly #watchedUntil = new Map<bigint, number>();

  constructor(around: {
    readonly messages: Messages;
    readonly hub: ChangeHub;
    readonly timers: Timers;
    readonly random: Random;
  }) {
    this.#messages = around.messages;
    this.#hub = around.hub;
    this.#id = around.random.bytes(ID_BYTES);
    this.#stops = [
      this.#messages.listen(WATCHED, (bytes) => this.#heardWatch(bytes)),
      this.#messages.listen(CHANGED, (bytes) => this.#heardChange(bytes)),
    ];
    this.#timer = around.timers.every(SMB_LIMITS.watchRepeatMillis, () => {
      for (const share of this.#hub.watchedShares()) this.#sayWatched(share);
    });
    this.#hub.elsewhere = {
      watched: (share) => this.#sayWatched(share),
      notify: (share, events) =>
        this.#say(share, {
          events: events.map(({ path, action, filter, unless = 0 }) => [
            path.join("\\"),
            action,
            filter,
            unless,
          ]),
        }),
      removed: (share, path) => this.#say(share, { removed: path.join("\\") }),
    };
  }

  close(): void {
    this.#hub.elsewhere = undefined;
    this.#timer.cancel();
    for (const stop of this.#stops) stop();
  }

  #head(share: bigint): Buffer {
    const head = Buffer.alloc(ID_BYTES + SHARE_BYTES);
    head.set(this.#id);
    head.writeBigUInt64BE(share, ID_BYTES);
    return head;
  }

  #sayWatched(share: bigint): void {
    this.#messages.announce(WATCHED, this.#head(share));
  }

  #say(share: bigint, told: ChangeMessage): void {
    const until = this.#watchedUntil.get(share);
    if (until === undefined) return;
    if (until < monotonic()) {
      this.#watchedUntil.delete(share);
      return;
    }
    const whole = Buffer.concat([this.#head(share), Buffer.from(JSON.stringify(told))]);
    this.#messages.announce(CHANGED, whole.length > MESSAGE_BYTES_MAX ? this.#head(share) : whole);
  }

  /** The share a message is about; undefined for our own, which comes back to us. */
  #shareOf(bytes: Buffer): bigint | undefined {
    if (bytes.length < ID_BYTES + SHARE_BYTES || bytes.subarray(0, ID_BYTES).equals(this.#id))
      return undefined;
    return bytes.readBigUInt64BE(ID_BYTES);
  }

  #heardWatch(bytes: Buffer): void {
    const share = this.#shareOf(bytes);
    if (share !== undefined) this.#watchedUntil.set(share, monotonic() + SMB_LIMITS.watchBelievedMillis);
  }

  #heardChange(bytes: Buffer): void {
    const share = this.#shareOf(bytes);
    if (share === undefined) return;
    const text = bytes.toString("utf8", ID_BYTES + SHARE_BYTES);
    if (text === "") {
      this.#hub.overflow(share);
      return;
    }
    const { events = [], removed } = JSON.parse(text) as ChangeMessage;
    if (removed !== undefined) this.#hub.removedHere(share, namesOf(removed));
    this.#hub.notifyLocal(
      share,
      events.map(([path, action, filter, unless]): ChangeEvent => {
        return { path: namesOf(path), action, filter, unless };
      }),
    );
  }
}

function namesOf(path: string): readonly string[] {
  return path === "" ? [] : path.split("\\");
}
