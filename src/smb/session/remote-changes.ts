import { monotonic, type Timer, type Timers } from "../../base/clock.ts";
import { MESSAGE_BYTES_MAX, type Messages } from "../../base/messages.ts";
import type { Random } from "../../base/random.ts";
import { SMB_LIMITS } from "../limits.ts";
import type { ChangeEvent, ChangeHub } from "./change-notification.ts";

/**
 * Change notification between processes. A process whose clients watch a share announces that again and
 * again; as long as it does, the others send it the changes of their clients there. Changes that do not fit
 * into a message are sent as an overflow. A message may be lost, and with it a notification: clients that
 * must not miss one list the directory.
 */
const WATCHED = "smb-watched";
const CHANGED = "smb-changed";
const ID_BYTES = 8;
const SHARE_BYTES = 8;

interface ChangeMessage {
  readonly events?: readonly (readonly [path: string, action: number, filter: number, unless: number])[];
  /** A removed directory. */
  readonly removed?: string;
}

export class RemoteChanges {
  readonly #messages: Messages;
  readonly #hub: ChangeHub;
  readonly #id: Buffer;
  readonly #timer: Timer;
  readonly #stops: readonly (() => void)[];
  /** Until when other processes count as watching a share. */
  readonly #watchedUntil = new Map<bigint, number>();

  constructor(input: {
    readonly messages: Messages;
    readonly hub: ChangeHub;
    readonly timers: Timers;
    readonly random: Random;
  }) {
    this.#messages = input.messages;
    this.#hub = input.hub;
    this.#id = input.random.bytes(ID_BYTES);
    this.#stops = [
      this.#messages.listen(WATCHED, (bytes) => this.#receiveWatch(bytes)),
      this.#messages.listen(CHANGED, (bytes) => this.#receiveChange(bytes)),
    ];
    this.#timer = input.timers.every(SMB_LIMITS.watchRepeatMillis, () => {
      for (const share of this.#hub.watchedShares()) this.#announceWatch(share);
    });
    this.#hub.remote = {
      watched: (share) => this.#announceWatch(share),
      notify: (share, events) =>
        this.#send(share, {
          events: events.map(({ path, action, filter, unless = 0 }) => [
            path.join("\\"),
            action,
            filter,
            unless,
          ]),
        }),
      removed: (share, path) => this.#send(share, { removed: path.join("\\") }),
    };
  }

  close(): void {
    this.#hub.remote = undefined;
    this.#timer.cancel();
    for (const stop of this.#stops) stop();
  }

  #head(share: bigint): Buffer {
    const head = Buffer.alloc(ID_BYTES + SHARE_BYTES);
    head.set(this.#id);
    head.writeBigUInt64BE(share, ID_BYTES);
    return head;
  }

  #announceWatch(share: bigint): void {
    this.#messages.announce(WATCHED, this.#head(share));
  }

  #send(share: bigint, message: ChangeMessage): void {
    const until = this.#watchedUntil.get(share);
    if (until === undefined) return;
    if (until < monotonic()) {
      this.#watchedUntil.delete(share);
      return;
    }
    const bytes = Buffer.concat([this.#head(share), Buffer.from(JSON.stringify(message))]);
    this.#messages.announce(CHANGED, bytes.length > MESSAGE_BYTES_MAX ? this.#head(share) : bytes);
  }

  /** The share of a message; undefined for a message of this process, which receives its own, too. */
  #shareOf(bytes: Buffer): bigint | undefined {
    if (bytes.length < ID_BYTES + SHARE_BYTES || bytes.subarray(0, ID_BYTES).equals(this.#id))
      return undefined;
    return bytes.readBigUInt64BE(ID_BYTES);
  }

  #receiveWatch(bytes: Buffer): void {
    const share = this.#shareOf(bytes);
    if (share !== undefined) this.#watchedUntil.set(share, monotonic() + SMB_LIMITS.watchValidMillis);
  }

  #receiveChange(bytes: Buffer): void {
    const share = this.#shareOf(bytes);
    if (share === undefined) return;
    const text = bytes.toString("utf8", ID_BYTES + SHARE_BYTES);
    if (text === "") {
      this.#hub.overflow(share);
      return;
    }
    const { events = [], removed } = JSON.parse(text) as ChangeMessage;
    if (removed !== undefined) this.#hub.removedLocal(share, namesOf(removed));
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
