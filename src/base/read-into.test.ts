import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { test } from "node:test";
import { readInto } from "./read-into.ts";

test("bytes go to the place that waits for them, the rest is lent; the listener sees the socket go", {
  skip: process.platform === "win32" && "on Windows every piece is lent",
}, async () => {
  const place = Buffer.alloc(200_000);
  let filled = 0;
  let lentBytes = 0;
  let placedBytes = 0;
  const listener = createServer((accepted: Socket) => {
    const socket = readInto(accepted, {
      // The first byte tells; then the place is filled; what comes after it is lent again.
      place: () => (lentBytes === 0 || filled === place.length ? undefined : place.subarray(filled)),
      placed: (count) => {
        filled += count;
        placedBytes += count;
      },
      lent: (piece) => {
        lentBytes += piece.length;
        if (lentBytes + placedBytes === 1 + place.length + 3) socket.end("done");
        else if (lentBytes === 1) socket.write("more");
      },
    });
  });
  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");
  const client = connect((listener.address() as AddressInfo).port, "127.0.0.1");
  client.write("1");
  assert.equal(String((await once(client, "data"))[0]), "more");
  client.write(Buffer.concat([Buffer.alloc(place.length, 7), Buffer.from("end")]));
  assert.equal(String((await once(client, "data"))[0]), "done");
  client.end();
  assert.equal(placedBytes, place.length);
  assert.ok(place.every((byte) => byte === 7));
  listener.close();
  await once(listener, "close");
});
