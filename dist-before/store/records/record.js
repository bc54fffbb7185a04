import { Packr, Unpackr } from "msgpackr";
import { DamagedData } from "../../base/faults.js";
const packr = new Packr({ useRecords: false, int64AsType: "bigint", variableMapSize: true });
const unpackr = new Unpackr({ useRecords: false, int64AsType: "bigint" });
export function recordType(family, version, upgrades = {}) {
    return {
        family,
        pack(value) {
            const body = packr.pack(value);
            const bytes = Buffer.allocUnsafe(body.length + 1);
            bytes[0] = version;
            bytes.set(body, 1);
            return bytes;
        },
        unpack(bytes) {
            let found = bytes[0] ?? 0;
            if (found < 1 || found > version) {
                throw new DamagedData(`record of family ${family} has version ${found}, this build knows ${version}`);
            }
            let value;
            try {
                value = unpackr.unpack(bytes.subarray(1));
            }
            catch (error) {
                throw new DamagedData(`record of family ${family} cannot be read`, { cause: error });
            }
            for (; found < version; found++) {
                const upgrade = upgrades[found];
                if (upgrade === undefined)
                    throw new DamagedData(`no upgrade of ${family} from version ${found}`);
                value = upgrade(value);
            }
            return value;
        },
    };
}
