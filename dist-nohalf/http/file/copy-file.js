import { collect } from "../../base/bytes.js";
import { pause } from "../../base/clock.js";
import { FILE_LIMITS } from "../../base/limits-file.js";
import { badHeader, badQuery, Refusal } from "../../base/refusals.js";
import { abortCopy as abort, beginCopyFromUrl, copyFile as copy, } from "../../services/file/copy-file.js";
import { getFile, getFileProperties } from "../../services/file/get-file.js";
import { putRange } from "../../services/file/put-range.js";
import { runCopy } from "../../services/file/run-copy.js";
import { takeIn } from "../../services/payload/content.js";
import { checkBytes } from "../wire/digest.js";
import { readMetadata } from "../wire/metadata.js";
import { parseRange, resolveRange } from "../wire/range.js";
import { readCopySource, sourceRefusal } from "./copy-source.js";
import { fetchSource } from "./fetch-source.js";
import { rangeReply, readPutRange } from "./range.js";
import { missingHeader, readFlag, readLeaseId, readPathRef, readWishes } from "./read-request.js";
import { stamp } from "./replies.js";
import { onNode, row } from "./rows.js";
/** Copy File, Abort Copy File, and Put Range From URL. */
const TAKEN = {
    attributes: "x-ms-file-attributes",
    createdAt: "x-ms-file-creation-time",
    writtenAt: "x-ms-file-last-write-time",
    changedAt: "x-ms-file-change-time",
};
function readTaken(headers) {
    const takes = new Set();
    const rest = { ...headers };
    for (const [field, name] of Object.entries(TAKEN)) {
        if (headers[name]?.toLowerCase() !== "source")
            continue;
        takes.add(field);
        delete rest[name];
    }
    const mode = headers["x-ms-file-permission-copy-mode"]?.toLowerCase();
    if (mode === "source")
        takes.add("permission");
    else if (mode !== undefined && mode !== "override")
        throw badHeader("x-ms-file-permission-copy-mode", mode);
    return { takes, rest };
}
async function copyFile(request, services) {
    const { headers } = request;
    const { files } = services;
    const { takes, rest } = readTaken(headers);
    const source = await readCopySource(request, services);
    const wanted = {
        ref: readPathRef(request),
        leaseId: readLeaseId(headers),
        copyId: files.parts.random.uuid(),
        shown: source.shown,
        metadata: readMetadata(request.rawHeaders),
        wishes: readWishes(rest),
        takes,
        ignoresReadOnly: readFlag(headers, "x-ms-file-copy-ignore-readonly") ?? false,
        setsArchive: readFlag(headers, "x-ms-file-copy-set-archive") ?? false,
    };
    const { node, work } = await startCopy(request, services, wanted, source);
    const copyStatus = work === undefined ? "success" : node.record.copy.status;
    return {
        status: 202,
        headers: {
            ...stamp(node.record.revision),
            "x-ms-copy-id": wanted.copyId,
            "x-ms-copy-status": copyStatus,
        },
    };
}
async function startCopy(request, { files }, wanted, source) {
    if (source.kind === "here") {
        await verifySource(files, source);
        const started = await copy(files, wanted, source.ref);
        return started.work === undefined ? started : finishSoon(files, started, runCopy(files, started.work));
    }
    const fetched = await fetchSource(request, source.url);
    const started = await beginCopyFromUrl(files, wanted, fetched);
    return finishSoon(files, started, runCopy(files, started.work, fetched.bytes));
}
/** A short copy is told as done at once; a long one goes on after the answer. */
async function finishSoon(files, started, running) {
    const isDone = await Promise.race([
        running.then(() => true),
        pause(FILE_LIMITS.copyAnswerMillis).then(() => false),
    ]);
    if (!isDone)
        return started;
    const { node } = await getFileProperties(files, { ref: started.work.request.ref });
    return { node, work: started.work };
}
/** A source that is not there is told in the words of a copy, with the source's own status. */
async function verifySource(files, { ref }) {
    try {
        await getFileProperties(files, { ref });
    }
    catch (error) {
        if (error instanceof Refusal && error.row.http === 404)
            throw sourceRefusal(404);
        throw error;
    }
}
async function abortCopy(request, { files }) {
    const action = request.headers["x-ms-copy-action"];
    if (action === undefined)
        throw missingHeader("x-ms-copy-action");
    if (action.toLowerCase() !== "abort")
        throw badHeader("x-ms-copy-action", action);
    const copyId = request.query.get("copyid");
    if (copyId === undefined || copyId === "")
        throw badQuery("copyid", "", "The id of a copy is expected.");
    await abort(files, { ref: readPathRef(request), copyId, leaseId: readLeaseId(request.headers) });
    return { status: 204 };
}
/** Bytes of a source, at most what one range may hold. */
async function readSource(request, services, length) {
    const text = request.headers["x-ms-source-range"];
    const range = text === undefined ? { from: 0, to: length - 1 } : parseRange({ "x-ms-range": text });
    if (range?.to === undefined)
        throw badHeader("x-ms-source-range", text ?? "");
    if (range.to - range.from + 1 !== length)
        throw badHeader("x-ms-source-range", text ?? "");
    const source = await readCopySource(request, services);
    if (source.kind === "elsewhere") {
        const fetched = await fetchSource(request, source.url, `bytes=${range.from}-${range.to}`);
        return collect(fetched.bytes);
    }
    await verifySource(services.files, source);
    const { content } = await getFile(services.files, {
        ref: source.ref,
        part: (size) => {
            const { from, to } = resolveRange(range, size);
            return { from, to: to + 1 };
        },
    });
    try {
        return content.whole ?? (await collect(content.stream()));
    }
    finally {
        content.close();
    }
}
async function putRangeFromUrl(request, services) {
    const { headers } = request;
    const action = headers["x-ms-write"];
    if (action === undefined)
        throw missingHeader("x-ms-write");
    if (action.toLowerCase() !== "update")
        throw badHeader("x-ms-write", action);
    const range = readPutRange(request);
    const length = range.to - range.from;
    if (length > FILE_LIMITS.rangeBytesMax)
        throw new Refusal("RequestBodyTooLarge");
    const bytes = await readSource(request, services, length);
    if (bytes.length !== length)
        throw badHeader("x-ms-source-range", headers["x-ms-source-range"] ?? "");
    const declared = headers["x-ms-source-content-crc64"];
    const { crc64 } = checkBytes(bytes, {
        declared: declared === undefined ? {} : { crc64: declared },
        wantsCrc64: true,
    });
    checkSourceConditions(headers, crc64);
    const taken = await takeIn(services.files.parts.payloads, bytes);
    return rangeReply(await putRange(services.files, { ...range, bytes: taken }), {
        "x-ms-content-crc64": crc64,
    });
}
/** The one kind of condition this service has: on the checksum of what is copied. */
function checkSourceConditions(headers, crc64) {
    const match = headers["x-ms-source-if-match-crc64"];
    const noneMatch = headers["x-ms-source-if-none-match-crc64"];
    if ((match !== undefined && match !== crc64) || noneMatch === crc64)
        throw new Refusal("ConditionNotMet");
}
const resource = "file";
export const COPY_ROWS = [
    row({
        name: "CopyFile",
        method: "PUT",
        resource,
        header: { "x-ms-copy-source": true },
        permission: onNode(["c", "w"]),
        returnsEtag: true,
        lease: "checked",
        ok: [202],
        handle: copyFile,
    }),
    row({
        name: "AbortCopyFile",
        method: "PUT",
        resource,
        query: { comp: "copy" },
        permission: onNode(["w"]),
        lease: "checked",
        ok: [204],
        handle: abortCopy,
    }),
    row({
        name: "PutRangeFromURL",
        method: "PUT",
        resource,
        query: { comp: "range" },
        header: { "x-ms-copy-source": true },
        permission: onNode(["w"]),
        returnsEtag: true,
        lease: "checked",
        ok: [201],
        handle: putRangeFromUrl,
    }),
];
