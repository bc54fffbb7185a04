import assert from "node:assert/strict";
import { test } from "node:test";
import { ACCESS } from "../wire/create.ts";
import { STATUS, StatusError } from "../wire/status.ts";
import { requestedRights } from "./rights.ts";

const refusedWith = (status: number) => (error: unknown) =>
  error instanceof StatusError && error.status === status;

test("generic rights become specific, and the maximum what may be had", () => {
  assert.deepEqual(requestedRights(ACCESS.GENERIC_READ), { access: 0x12_0089, optionalAccess: 0 });
  assert.deepEqual(requestedRights(ACCESS.MAXIMUM_ALLOWED), { access: 0, optionalAccess: ACCESS.FILE_ALL });
  assert.deepEqual(requestedRights(ACCESS.MAXIMUM_ALLOWED | ACCESS.WRITE_DATA), {
    access: ACCESS.WRITE_DATA,
    optionalAccess: ACCESS.FILE_ALL,
  });
});

test("beside the maximum, GENERIC_EXECUTE does not insist on the right to execute", () => {
  const { MAXIMUM_ALLOWED, GENERIC_EXECUTE, GENERIC_ALL, EXECUTE, FILE_ALL } = ACCESS;
  assert.equal(requestedRights(GENERIC_EXECUTE).access, 0x12_00a0);
  assert.equal(requestedRights(MAXIMUM_ALLOWED | GENERIC_EXECUTE).access, 0x12_0080);
  assert.equal(requestedRights(MAXIMUM_ALLOWED | GENERIC_EXECUTE | EXECUTE).access, 0x12_00a0);
  assert.equal(requestedRights(MAXIMUM_ALLOWED | GENERIC_EXECUTE | GENERIC_ALL).access, FILE_ALL);
});

test("an open that requests no right, an undefined right or the audit list is refused", () => {
  assert.throws(() => requestedRights(0), refusedWith(STATUS.ACCESS_DENIED));
  assert.throws(() => requestedRights(0x200), refusedWith(STATUS.ACCESS_DENIED));
  assert.throws(() => requestedRights(ACCESS.SYSTEM_SECURITY), refusedWith(STATUS.PRIVILEGE_NOT_HELD));
});
