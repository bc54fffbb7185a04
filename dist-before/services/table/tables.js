import { TABLE_LIMITS } from "../../base/limits-table.js";
import { Refusal } from "../../base/refusals.js";
import { deletedTableKey, tableAclKey, tableKey, tablesOfAccount } from "../../store/keys/table.js";
import { tableAclRecord, tableRecord } from "../../store/records/table.js";
import { checkTableName } from "./entity-rules.js";
import { meets } from "./filter/evaluate.js";
/** The record of a table; the refusal that fits when there is none. */
export async function readTable(read, { account, table }, missing = "TableNotFound") {
    const bytes = await read.get(tableKey(account, table));
    if (bytes !== undefined)
        return tableRecord.unpack(bytes);
    // A name no table can have is told apart from one that no table has.
    checkTableName(table);
    throw new Refusal(missing);
}
export async function createTable(store, { account, table }) {
    checkTableName(table);
    const key = tableKey(account, table);
    await store.write(async (write) => {
        if ((await write.get(key)) !== undefined)
            throw new Refusal("TableAlreadyExists");
        write.put(key, tableRecord.pack({ name: table, id: write.revision() }));
    });
}
/** One write, however much the table holds: its entities are reclaimed in the background. */
export async function deleteTable(store, ref) {
    await store.write(async (write) => {
        const { id } = await readTable(write, ref, "ResourceNotFound");
        write.delete(tableKey(ref.account, ref.table));
        write.delete(tableAclKey(id));
        write.put(deletedTableKey(id), Buffer.of(1));
    });
}
/** The name as it was spelled when the table was created. */
export async function getTable(store, ref) {
    const { name } = await store.read((read) => readTable(read, ref, "ResourceNotFound"));
    return name;
}
/** In the order of the names in lower case, which is how a filter compares them too. */
export function queryTables(store, query) {
    const { account, filter, from } = query;
    const top = query.top ?? TABLE_LIMITS.pageEntitiesMax;
    const all = tablesOfAccount(account);
    const range = from === undefined ? all : { from: tableKey(account, from), to: all.to };
    const wanted = filter === undefined ? undefined : lowered(filter);
    return store.read(async (read) => {
        const names = [];
        let scanned = 0;
        for await (const { value } of read.range(range)) {
            const { name } = tableRecord.unpack(value);
            if (names.length === top || scanned === TABLE_LIMITS.scannedEntitiesMax)
                return { names, next: name };
            scanned++;
            const lower = { type: "String", value: name.toLowerCase() };
            const isWanted = wanted === undefined || meets(wanted, (property) => (property === "TableName" ? lower : undefined));
            if (isWanted)
                names.push(name);
        }
        return { names };
    });
}
/** Table names are case-insensitive, so a filter on them is. */
function lowered(filter) {
    switch (filter.kind) {
        case "and":
        case "or":
            return { ...filter, operands: filter.operands.map(lowered) };
        case "not":
            return { ...filter, operand: lowered(filter.operand) };
        case "comparison": {
            const { literal } = filter;
            if (literal.type !== "String")
                return filter;
            return { ...filter, literal: { type: "String", value: literal.value.toLowerCase() } };
        }
        default:
            return filter;
    }
}
export function getTableAcl(store, ref) {
    return store.read(async (read) => {
        const { id } = await readTable(read, ref, "ResourceNotFound");
        const bytes = await read.get(tableAclKey(id));
        return bytes === undefined ? [] : tableAclRecord.unpack(bytes).policies;
    });
}
/** Replaces the whole list. */
export async function setTableAcl(store, ref, policies) {
    await store.write(async (write) => {
        const { id } = await readTable(write, ref, "ResourceNotFound");
        if (policies.length === 0)
            write.delete(tableAclKey(id));
        else
            write.put(tableAclKey(id), tableAclRecord.pack({ policies }));
    });
}
