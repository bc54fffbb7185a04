import { recordType } from "./record.js";
export const sliceRecord = recordType("slice", 1);
export const extentRecord = recordType("extent", 1);
export const lastExtentRecord = recordType("lastExtent", 1);
export const removalRequest = recordType("removalRequest", 1);
export const removalAnswer = recordType("removalAnswer", 1);
