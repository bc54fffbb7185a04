import { suite } from "node:test";
import { closingContract } from "./store/closing.ts";
import { ephemeralContract } from "./store/ephemeral.ts";
import { isolationContract } from "./store/isolation.ts";
import type { OpenStore } from "./store/kit.ts";
import { longNameContract } from "./store/names.ts";
import { readingContract } from "./store/reading.ts";
import { revisionContract } from "./store/revisions.ts";
import { writingContract } from "./store/writing.ts";

/** Every sentence of src/store/kv.ts, for any engine. */
export function storeContract(name: string, openStore: OpenStore): void {
  suite(`${name} keeps the store's promises`, () => {
    suite("reading", () => readingContract(openStore));
    suite("writing", () => writingContract(openStore));
    suite("isolation", () => isolationContract(openStore));
    suite("revisions", () => revisionContract(openStore));
    suite("long names", () => longNameContract(openStore));
    suite("the ephemeral space", () => ephemeralContract(openStore));
    suite("closing", () => closingContract(openStore));
  });
}
