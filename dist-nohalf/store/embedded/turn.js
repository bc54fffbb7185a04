export function isTurnMessage(message) {
    return typeof message === "object" && message !== null && "turn" in message && "do" in message;
}
/** The side of a process that wants to write. Feed it every message that names its turn. */
export class TurnClient {
    #name;
    #send;
    #granted;
    #isHeld = false;
    #isWanted = false;
    #wake = () => { };
    constructor(name, send) {
        this.#name = name;
        this.#send = send;
    }
    acquire() {
        return new Promise((resolve) => {
            this.#granted = resolve;
            this.#send({ turn: this.#name, do: "want" });
        });
    }
    isHeld() {
        return this.#isHeld;
    }
    isWanted() {
        return this.#isWanted;
    }
    release() {
        this.#isHeld = false;
        this.#isWanted = false;
        this.#send({ turn: this.#name, do: "done" });
    }
    onWanted(wake) {
        this.#wake = wake;
    }
    receive(message) {
        if (message.turn !== this.#name)
            return;
        if (message.do === "yield") {
            this.#isWanted = true;
            this.#wake();
        }
        else if (message.do === "grant") {
            this.#isHeld = true;
            const granted = this.#granted;
            this.#granted = undefined;
            granted?.();
        }
    }
}
/**
 * Opens a store that other processes have open. While LMDB opens, it tells every process which transaction is the
 * newest, as it has just read it (ITS#9496, in the copy that the `lmdb` package carries): a commit of another
 * process in that moment would be forgotten, though it was acknowledged, and then written over. So nobody may
 * commit meanwhile: whoever opens holds the turns.
 */
export async function inTurn(turns, open) {
    // In the same order everywhere, and a holder never waits for another turn: no two can wait for each other.
    for (const turn of turns)
        await turn.acquire();
    try {
        return open();
    }
    finally {
        for (const turn of turns)
            turn.release();
    }
}
/** The side of the supervisor: first come, first served. */
export class TurnArbiter {
    #send;
    #turns = new Map();
    #gone = new Set();
    constructor(send) {
        this.#send = send;
    }
    receive(process, message) {
        // Its last words may arrive after its death. A turn lent to the dead never comes back.
        if (this.#gone.has(process))
            return;
        const turn = this.#turns.get(message.turn) ?? { holder: undefined, waiting: [] };
        this.#turns.set(message.turn, turn);
        if (message.do === "want") {
            turn.waiting.push(process);
            if (turn.holder === undefined)
                this.#lendNext(message.turn);
            else
                this.#send(turn.holder, { turn: message.turn, do: "yield" });
        }
        else if (message.do === "done" && turn.holder === process) {
            turn.holder = undefined;
            this.#lendNext(message.turn);
        }
    }
    /** The process is gone for good; its number is not used for another one. */
    forget(process) {
        this.#gone.add(process);
        for (const [name, turn] of this.#turns) {
            turn.waiting = turn.waiting.filter((waiting) => waiting !== process);
            if (turn.holder !== process)
                continue;
            turn.holder = undefined;
            this.#lendNext(name);
        }
    }
    #lendNext(name) {
        const turn = this.#turns.get(name);
        turn.holder = turn.waiting.shift();
        if (turn.holder === undefined)
            return;
        this.#send(turn.holder, { turn: name, do: "grant" });
        if (turn.waiting.length > 0)
            this.#send(turn.holder, { turn: name, do: "yield" });
    }
}
