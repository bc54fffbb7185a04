import { openEmbedded, openMemory } from "./store/engines.ts";
import { storeContract } from "./store.contract.ts";

storeContract("memory", openMemory);
storeContract("embedded", openEmbedded);
