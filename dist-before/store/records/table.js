import { recordType } from "./record.js";
export const tableRecord = recordType("table", 1);
export const tableAclRecord = recordType("tableAcl", 1);
