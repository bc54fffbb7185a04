import { ShareServiceClient } from "@azure/storage-file-share";
import { startHoldfast } from "./src/library.ts";
const h = await startHoldfast({ directory: process.argv[2], flags: ["--smbPort", process.argv[3], "--filePort", "20003", "--logLevel","info"] });
await ShareServiceClient.fromConnectionString(h.connectionString).getShareClient("work").createIfNotExists();
console.log("ready");
process.on("SIGTERM", () => h.close().then(() => process.exit(0)));
