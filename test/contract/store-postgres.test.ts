import { openPostgres } from "./store/engines.ts";
import { storeContract } from "./store.contract.ts";

storeContract("postgres", openPostgres);
