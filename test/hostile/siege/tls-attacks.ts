import { Duplex } from "node:stream";
import { connect } from "node:tls";
import { signed } from "../../../bench/sign.ts";
import { pause } from "../../../src/base/clock.ts";
import type { Attack } from "./attacks.ts";
import { dial, dialPlainly, hold, portAt, type Siege } from "./crowd.ts";

/** What can be done to a server before and around TLS. The other attacks run over TLS as well. */

/** The first message of a handshake. The server answers it as often as it is sent: it cannot tell a copy. */
function clientHello(): Promise<Buffer> {
  return new Promise((resolve) => {
    const wire = new Duplex({
      read: () => {},
      write: (bytes: Buffer, _encoding, done) => {
        resolve(bytes);
        done();
      },
    });
    connect({ socket: wire, rejectUnauthorized: false }).on("error", () => {});
  });
}

const UNBEGUN: Attack = {
  name: "connections without a handshake",
  run: (siege) => hold(siege, (crowd, index) => crowd.add(dialPlainly(portAt(siege, index)))),
};

/**
 * Half of them stop inside their first message, the others behind it: by then the server has signed its
 * answer.
 */
const HALF_HANDSHAKES: Attack = {
  name: "half handshakes",
  run: async (siege) => {
    const hello = await clientHello();
    const part = hello.subarray(0, hello.length / 2);
    await hold(siege, (crowd, index) =>
      crowd.add(dialPlainly(portAt(siege, index)), index % 2 === 0 ? part : hello),
    );
  },
};

/** Downloads whose client is gone after a few hundred kilobytes, of a blob that "slow readers" has left. */
const ABORTED: Attack = {
  name: "aborted downloads",
  run: async (siege) => {
    const { blob } = siege.ports;
    const get = signed({ method: "GET", path: "/honest/large" }, blob);
    while (!siege.isOver()) {
      await Promise.all(Array.from({ length: 4 }, () => abort(siege, blob, get)));
      await pause(200);
    }
  },
};

function abort(siege: Siege, port: number, get: Buffer): Promise<void> {
  return new Promise((resolve) => {
    const socket = dial(siege, port);
    let receivedBytes = 0;
    socket.on("data", (chunk) => {
      receivedBytes += chunk.length;
      // Without a word of TLS, and with a reset of TCP.
      if (receivedBytes > 300_000) socket.destroy();
    });
    socket.on("error", () => {});
    socket.on("close", () => resolve());
    socket.write(get);
  });
}

export const TLS_ATTACKS: readonly Attack[] = [UNBEGUN, HALF_HANDSHAKES, ABORTED];
