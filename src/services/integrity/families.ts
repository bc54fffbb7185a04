import { DamagedData } from "../../base/faults.ts";
import { KeyReader } from "../../store/keys/pack.ts";
import { counterKey, messageKey, readMessageKey, readSweepKey, sweepKey } from "../../store/keys/queue.ts";
import { keysOfEntityKey } from "../../store/keys/table.ts";
import type { Key, Range } from "../../store/kv.ts";
import { pendingBlobCopy, pendingFileCopy } from "../../store/records/copies.ts";
import { deletedNameRecord } from "../../store/records/deleted-name.ts";
import { unpackEntity } from "../../store/records/entity.ts";
import { migrationRecord } from "../../store/records/migration.ts";
import { counterRecord, messageRecord, queueRecord } from "../../store/records/queue.ts";
import { tableAclRecord, tableRecord } from "../../store/records/table.ts";
import { propertiesRecord } from "../account/get-service-properties.ts";
import { BLOB_FAMILIES } from "./families-blob.ts";
import { FILE_FAMILIES } from "./families-file.ts";
import { PAYLOAD_FAMILIES } from "./families-payload.ts";
import { quarantineRecord } from "./quarantine.ts";
import type { Family } from "./relations.ts";

const idOf = (key: Key): bigint => new KeyReader(key).skipText().whole();
const onlyKey = (key: Key): Range => ({ from: key, to: `${key}\0` });
const EMPTY = Buffer.alloc(0);

const QUEUE_FAMILIES: Readonly<Record<string, Family>> = {
  q: {
    what: "queue",
    declaresFirst: true,
    describe: ({ value }, to) => to.declare(`queue/${queueRecord.unpack(value).contents}`),
  },
  qx: {
    what: "deleted queue",
    declaresFirst: true,
    describe: ({ key }, to) => to.declare(`queue/${idOf(key)}`),
  },
  qc: {
    what: "counter of a queue",
    describe({ key, value }, to) {
      const contents = idOf(key);
      const { count, sweepAt } = counterRecord.unpack(value);
      to.need(`queue/${contents}`);
      to.post("messages", String(contents), -count);
      if (sweepAt === 0) return;
      const sweep = sweepKey(sweepAt, contents);
      to.look(onlyKey(sweep), (found) => {
        if (found !== undefined) return undefined;
        const message = "the sweep for expired messages that the counter names is missing";
        return { kind: "queue-sweep", message, put: { key: sweep, value: EMPTY } };
      });
    },
  },
  qv: {
    what: "message",
    describe({ key, value }, to, previous) {
      const contents = idOf(key);
      messageRecord.unpack(value);
      const { visibleAt, sequence } = readMessageKey(key);
      to.need(`queue/${contents}`);
      to.post("messages", String(contents), 1);
      if (previous !== undefined && idOf(previous.key) === contents) return;
      to.look(onlyKey(counterKey(contents)), (found) => {
        if (found === undefined) return undefined; // The ledger of messages reports it.
        const counter = counterRecord.unpack(found.value);
        if (messageKey(contents, counter.headVisibleAt, counter.headSequence) <= key) return undefined;
        const head = { ...counter, headVisibleAt: visibleAt, headSequence: sequence };
        return {
          kind: "queue-head",
          message: "lies before the head of its queue, where Get Messages does not look",
          put: { key: found.key, value: counterRecord.pack(head) },
        };
      });
    },
  },
  qe: { what: "sweep of a queue", describe: ({ key }) => void readSweepKey(key) },
};

const TABLE_FAMILIES: Readonly<Record<string, Family>> = {
  tt: {
    what: "table",
    declaresFirst: true,
    describe({ key, value }, to) {
      const { name, id } = tableRecord.unpack(value);
      to.declare(`table/${id}`);
      const stored = new KeyReader(key).skipText().skipText().text();
      if (name.toLowerCase() !== stored)
        to.problem({ kind: "table-name", message: `the table ${stored} has the name ${name}` });
    },
  },
  td: {
    what: "deleted table",
    declaresFirst: true,
    describe: ({ key }, to) => to.declare(`table/${idOf(key)}`),
  },
  ta: {
    what: "access policies of a table",
    describe({ key, value }, to) {
      tableAclRecord.unpack(value);
      to.need(`table/${idOf(key)}`);
    },
  },
  te: {
    what: "entity",
    describe({ key, value }, to) {
      keysOfEntityKey(key);
      unpackEntity(value);
      to.need(`table/${idOf(key)}`);
    },
  },
};

/** Every family of the durable key space by the first part of its keys. */
export const FAMILIES: Readonly<Record<string, Family>> = {
  ...PAYLOAD_FAMILIES,
  ...BLOB_FAMILIES,
  ...FILE_FAMILIES,
  ...QUEUE_FAMILIES,
  ...TABLE_FAMILIES,
  sp: { what: "service properties", describe: ({ value }) => void propertiesRecord.unpack(value) },
  dn: { what: "deleted name", describe: ({ value }) => void deletedNameRecord.unpack(value) },
  cp: {
    what: "pending copy",
    describe({ key, value }) {
      const service = new KeyReader(key).skipText().text();
      if (service === "blob") pendingBlobCopy.unpack(value);
      else if (service === "file") pendingFileCopy.unpack(value);
      else throw new DamagedData(`a copy of the service ${service}`);
    },
  },
  zmigration: { what: "unfinished migration", describe: ({ value }) => void migrationRecord.unpack(value) },
  zq: { what: "record in quarantine", describe: ({ value }) => void quarantineRecord.unpack(value) },
};

export function familyOf(key: Key): { readonly name: string; readonly family: Family | undefined } {
  const end = key.indexOf("\0");
  const name = end < 0 ? key : key.slice(0, end);
  return { name, family: Object.hasOwn(FAMILIES, name) ? FAMILIES[name] : undefined };
}
