import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { RefusalRow } from "../../src/base/refusals/row.ts";
import { REFUSALS } from "../../src/base/refusals.ts";

/**
 * Every code the File service's reference lists, with its status and the file of tests that reaches it. The
 * test below reads those files: a code that is named here and checked nowhere does not pass.
 */
const HANDLES = "test/contract/file-handles.test.ts";
const ANSWERS = "test/contract/file-answers.test.ts";
const CONTENT = "test/contract/file-content.test.ts";
const COPIES = "test/contract/file-copy-rename.test.ts";
const SHARES = "test/contract/file-shares.test.ts";
const FILES = "test/contract/file.test.ts";
const FRONT_ENDS = "test/smb/rest-and-smb.test.ts";
const HOSTILE = "test/hostile/file.test.ts";

const REACHED: readonly (readonly [code: string, status: number, file: string])[] = [
  ["AuthenticationFailed", 403, SHARES],
  ["AuthorizationFailure", 403, SHARES],
  ["AuthorizationPermissionMismatch", 403, SHARES],
  ["CannotDeleteFileOrDirectory", 409, HANDLES],
  ["CannotVerifyCopySource", 500, COPIES],
  ["ClientCacheFlushDelay", 408, FRONT_ENDS],
  ["ConditionHeadersNotSupported", 400, CONTENT],
  ["ConditionNotMet", 412, COPIES],
  ["CopyIdMismatch", 409, COPIES],
  ["Crc64Mismatch", 400, COPIES],
  ["DeleteShareWhenSnapshotLeased", 409, SHARES],
  ["DirectoryNotEmpty", 409, FILES],
  ["EmptyMetadataKey", 400, SHARES],
  ["FileGenerationMismatch", 409, CONTENT],
  ["FileInvalidPermission", 400, SHARES],
  ["FileInvalidPermissionKey", 400, SHARES],
  ["FileLockConflict", 409, HANDLES],
  ["InvalidFileOrDirectoryPathName", 400, HOSTILE],
  ["InvalidHeaderValue", 400, CONTENT],
  ["InvalidMd5", 400, CONTENT],
  ["InvalidMetadata", 400, CONTENT],
  ["InvalidQueryParameterValue", 400, SHARES],
  ["InvalidRange", 416, CONTENT],
  ["InvalidResourceName", 400, HOSTILE],
  ["InvalidUri", 400, HOSTILE],
  ["LeaseAlreadyPresent", 409, CONTENT],
  ["LeaseIdMismatchWithContainerOperation", 412, SHARES],
  ["LeaseIdMismatchWithFileOperation", 412, CONTENT],
  ["LeaseIdMismatchWithLeaseOperation", 409, CONTENT],
  ["LeaseIdMissing", 412, CONTENT],
  ["LeaseIsBreakingAndCannotBeAcquired", 409, SHARES],
  ["LeaseIsBreakingAndCannotBeChanged", 409, SHARES],
  ["LeaseIsBrokenAndCannotBeRenewed", 409, SHARES],
  ["LeaseLost", 412, CONTENT],
  ["LeaseNotPresentWithContainerOperation", 412, SHARES],
  ["LeaseNotPresentWithFileOperation", 412, CONTENT],
  ["LeaseNotPresentWithLeaseOperation", 409, CONTENT],
  ["Md5Mismatch", 400, CONTENT],
  ["MetadataTooLarge", 400, CONTENT],
  ["MissingRequiredHeader", 400, CONTENT],
  ["NoPendingCopyOperation", 409, COPIES],
  ["OutOfRangeInput", 400, SHARES],
  ["OutOfRangeQueryParameterValue", 400, SHARES],
  ["ParentNotFound", 404, FILES],
  ["PendingCopyOperation", 409, COPIES],
  ["PreviousSnapshotNotFound", 409, ANSWERS],
  ["ReadOnlyAttribute", 409, CONTENT],
  ["RequestBodyTooLarge", 413, CONTENT],
  ["ResourceAlreadyExists", 409, FILES],
  ["ResourceNotFound", 404, FILES],
  ["ResourceTypeMismatch", 409, FILES],
  ["ShareAlreadyExists", 409, SHARES],
  ["ShareHasSnapshots", 409, SHARES],
  ["ShareNotFound", 404, FILES],
  ["ShareSnapshotNotFound", 404, SHARES],
  ["ShareSizeLimitReached", 413, SHARES],
  ["ShareSnapshotCountExceeded", 409, SHARES],
  ["ShareSnapshotOperationNotSupported", 400, SHARES],
  ["SharingViolation", 409, HANDLES],
  ["SMBDeletePending", 409, HANDLES],
  ["UnsupportedHttpVerb", 405, HOSTILE],
  ["UnsupportedQueryParameter", 400, HOSTILE],
];

/** Codes of the reference that nothing here answers with, and why. */
const NOT_GIVEN: Readonly<Record<string, string>> = {
  ContainerQuotaDowngradeNotAllowed: "provisioned shares only: a quota may be lowered at any time here",
  ShareBeingDeleted: "a share can be made again at once",
  ShareDisabled: "there is no administrator to disable one",
  ShareSnapshotInProgress: "taking a snapshot is one transaction: two at once follow each other",
};

test("every code of the File service is reached by a test, with its status", () => {
  const texts = new Map<string, string>();
  for (const [code, status, file] of REACHED) {
    const rows = Object.entries(REFUSALS as Readonly<Record<string, RefusalRow>>);
    const row = rows.find(([name, { code: printed }]) => name === code || printed === code);
    assert(row !== undefined, `${code} is not in the catalogue`);
    const ours = rows.filter(([name, { code: printed }]) => name === code || printed === code);
    assert(
      ours.some(([, { http }]) => http === status),
      `${code} is not ${status}`,
    );
    const text = texts.get(file) ?? readFileSync(file, "utf8");
    texts.set(file, text);
    assert(text.includes(`"${code}"`), `${file} does not reach ${code}`);
  }
});

test("what is not given has its reason, and is given nowhere", () => {
  const reached = new Set(REACHED.map(([code]) => code));
  for (const [code, reason] of Object.entries(NOT_GIVEN)) {
    assert.ok(reason.length > 0);
    assert.ok(!reached.has(code), code);
  }
});
