import assert from "node:assert/strict";
import { test } from "node:test";
import { LIMITS } from "../base/limits.ts";
import {
  connectionsFor,
  parseDescriptorsMax,
  readDescriptorsMax,
  reportedDescriptorsMax,
} from "./descriptors.ts";

test("the limit of this process is the same wherever it is read", {
  skip: process.platform === "win32",
}, () => {
  assert.equal(readDescriptorsMax(), reportedDescriptorsMax());
  assert.equal(readDescriptorsMax("darwin"), reportedDescriptorsMax());
  assert.equal(readDescriptorsMax("win32"), Number.POSITIVE_INFINITY);
});

test("the soft limit counts, which may be none at all", () => {
  const lines = (soft: string): string =>
    `Limit                     Soft Limit           Hard Limit           Units     
Max processes             unlimited            unlimited            processes 
Max open files            ${soft.padEnd(20)} 1048576              files     
`;
  assert.equal(parseDescriptorsMax(lines("1024")), 1_024);
  assert.equal(parseDescriptorsMax(lines("unlimited")), Number.POSITIVE_INFINITY);
  assert.equal(parseDescriptorsMax(""), undefined);
});

test("connections leave descriptors for files and the admin listener", () => {
  assert.equal(connectionsFor(256), 128);
  assert.equal(connectionsFor(1_024), 512);
  assert.equal(connectionsFor(20_000), 15_000);
  assert.equal(connectionsFor(Number.POSITIVE_INFINITY), Number.POSITIVE_INFINITY);
  const { extentFilesIdleMax, adminConnectionsMax, copiesFromElsewhereMax, descriptorsReserved } = LIMITS;
  assert.ok(extentFilesIdleMax + adminConnectionsMax + copiesFromElsewhereMax + 64 <= descriptorsReserved);
});
