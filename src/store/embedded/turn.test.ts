import assert from "node:assert/strict";
import { test } from "node:test";
import { inTurn, isTurnMessage, TurnArbiter, TurnClient, type TurnMessage } from "./turn.ts";

/** An arbiter and what it has sent, as `process:do`. */
function arbiter(): {
  arbiter: TurnArbiter;
  sent: string[];
  tell: (process: number, what: TurnMessage["do"]) => void;
} {
  const sent: string[] = [];
  const it = new TurnArbiter((process, message) => sent.push(`${process}:${message.do}`));
  return { arbiter: it, sent, tell: (process, what) => it.receive(process, { turn: "records", do: what }) };
}

test("the first to ask gets the turn at once; the next one makes it wanted", () => {
  const { sent, tell } = arbiter();
  tell(1, "want");
  tell(2, "want");
  tell(3, "want");
  assert.deepEqual(sent.splice(0), ["1:grant", "1:yield", "1:yield"]);
  tell(1, "done");
  assert.deepEqual(sent.splice(0), ["2:grant", "2:yield"], "3 still waits");
  tell(1, "want");
  tell(2, "done");
  assert.deepEqual(sent.splice(0), ["2:yield", "3:grant", "3:yield"], "first come, first served");
  tell(3, "done");
  tell(1, "done");
  assert.deepEqual(sent.splice(0), ["1:grant"]);
  tell(2, "want");
  assert.deepEqual(sent, ["2:grant"]);
});

test("who does not hold the turn cannot give it back", () => {
  const { sent, tell } = arbiter();
  tell(1, "want");
  tell(2, "want");
  tell(2, "done");
  assert.deepEqual(sent, ["1:grant", "1:yield"]);
});

test("turns of different names know nothing of each other", () => {
  const { arbiter: it, sent } = arbiter();
  it.receive(1, { turn: "records", do: "want" });
  it.receive(2, { turn: "ephemeral", do: "want" });
  assert.deepEqual(sent, ["1:grant", "2:grant"]);
});

test("a process that dies with the turn passes it on; one that dies waiting is not waited for", () => {
  const { arbiter: it, sent, tell } = arbiter();
  for (const process of [1, 2, 3]) tell(process, "want");
  sent.length = 0;
  it.forget(2);
  it.forget(1);
  assert.deepEqual(sent, ["3:grant"]);
});

test("what a dead process had still sent is not heard: it would hold the turn for ever", () => {
  const { arbiter: it, sent, tell } = arbiter();
  tell(1, "want");
  it.forget(1);
  tell(1, "want");
  tell(2, "want");
  assert.deepEqual(sent, ["1:grant", "2:grant"]);
});

test("a client waits for its grant, and tells its writer when it is wanted", async () => {
  const sent: TurnMessage[] = [];
  const client = new TurnClient("records", (message) => sent.push(message));
  let wakes = 0;
  client.onWanted(() => wakes++);
  let hasTurn = false;
  const acquiring = client.acquire().then(() => {
    hasTurn = true;
  });
  client.receive({ turn: "ephemeral", do: "grant" });
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(hasTurn, false, "a grant of another turn is not ours");
  client.receive({ turn: "records", do: "grant" });
  await acquiring;
  assert.equal(client.isHeld(), true);
  assert.equal(client.isWanted(), false);
  client.receive({ turn: "records", do: "yield" });
  assert.equal(client.isWanted(), true);
  assert.equal(wakes, 1);
  client.release();
  assert.equal(client.isHeld(), false);
  assert.equal(client.isWanted(), false);
  assert.deepEqual(sent, [
    { turn: "records", do: "want" },
    { turn: "records", do: "done" },
  ]);
});

test("messages of others are told from ours", () => {
  assert.ok(isTurnMessage({ turn: "records", do: "want" }));
  for (const other of [undefined, null, "turn", 7, {}, { turn: "records" }, { do: "want" }]) {
    assert.equal(isTurnMessage(other), false);
  }
});

test("who opens a shared store holds all its turns meanwhile, and gives them back whatever happens", async () => {
  const log: string[] = [];
  const arbiter = new TurnArbiter((process, message) => {
    log.push(`${process} ${message.turn} ${message.do}`);
    for (const turn of process === 1 ? turns : []) turn.receive(message);
  });
  const client = (name: string): TurnClient => new TurnClient(name, (message) => arbiter.receive(1, message));
  const turns = [client("records"), client("ephemeral")];
  arbiter.receive(2, { turn: "ephemeral", do: "want" });
  const opening = inTurn(turns, () => {
    assert.ok(turns.every((turn) => turn.isHeld()));
    throw new Error("cannot be opened");
  });
  await new Promise((resolve) => setImmediate(resolve));
  arbiter.receive(2, { turn: "ephemeral", do: "done" });
  await assert.rejects(opening, /cannot be opened/);
  assert.ok(turns.every((turn) => !turn.isHeld()));
  arbiter.receive(3, { turn: "records", do: "want" });
  arbiter.receive(3, { turn: "ephemeral", do: "want" });
  assert.deepEqual(log.slice(-2), ["3 records grant", "3 ephemeral grant"]);
});
