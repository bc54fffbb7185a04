import { createHash } from "node:crypto";
import { LIMITS } from "../../src/base/limits.ts";
import { seededRandom } from "../../src/base/random.ts";
import type { Key, Reader } from "../../src/store/kv.ts";

/**
 * What the writers of a crash run do, as a function of a seed: whoever knows the seed, the writer and the
 * number of its step knows the transaction. So the child need not tell what it is about to do, and its parent
 * can still judge whether the one that was in flight when it died is there as a whole, or not at all.
 *
 * Each writer owns a few groups. A step replaces one group (several keys and a head with their checksum) or
 * deletes it, and counts itself in the writer's own key.
 */
export const WRITERS = 16;
const GROUPS = 6;

export interface Step {
  readonly group: number;
  readonly isDelete: boolean;
  readonly keys: readonly Key[];
  /** How many bytes each value has. */
  readonly sizes: readonly number[];
}

export interface RunId {
  readonly seed: number;
  readonly writer: number;
}

export const writerKey = (writer: number): Key => `writer ${writer}`;
export const groupPrefix = (writer: number, group: number): Key => `group ${writer}.${group} `;
const headKey = (writer: number, group: number): Key => `${groupPrefix(writer, group)}head`;

export function stepOf({ seed, writer }: RunId, number: number): Step {
  const random = seededRandom(seed * 31 + writer * 1_000_003 + number * 7_919);
  for (let warm = 0; warm < 4; warm++) random.fraction();
  const pick = (count: number): number => Math.floor(random.fraction() * count);
  const group = pick(GROUPS);
  if (pick(4) === 0) return { group, isDelete: true, keys: [], sizes: [] };
  // Now and then a transaction of hundreds of keys, which starts reaching the disk before it is whole.
  const count = pick(60) === 0 ? 400 : 2 + pick(6);
  const keys: Key[] = [];
  const sizes: number[] = [];
  for (let index = 0; index < count; index++) {
    const name = `${groupPrefix(writer, group)}part ${index}`;
    keys.push(pick(8) === 0 ? name.padEnd(LIMITS.engineKeyBytesMax + 100, "x") : name);
    sizes.push(pick(20) === 0 ? 5_000 + pick(20_000) : pick(200));
  }
  return { group, isDelete: false, keys, sizes };
}

export function contentOf({ writer }: RunId, number: number, index: number, size: number): Buffer {
  return Buffer.alloc(size + 8, `${writer}.${number}.${index};`);
}

function checksum(parts: readonly { readonly key: Key; readonly value: Buffer }[]): string {
  const hash = createHash("sha256");
  for (const { key, value } of parts) hash.update(key, "latin1").update(value);
  return hash.digest("hex");
}

/** The group as one transaction writes it: its parts, and a head that tells the step and their checksum. */
export function groupOf(run: RunId, number: number): { key: Key; value: Buffer }[] {
  const { group, keys, sizes } = stepOf(run, number);
  const parts = keys.map((key, index) => ({ key, value: contentOf(run, number, index, sizes[index]!) }));
  parts.sort((a, b) => (a.key < b.key ? -1 : 1));
  const head = { step: number, parts: parts.length, checksum: checksum(parts) };
  return [...parts, { key: headKey(run.writer, group), value: Buffer.from(JSON.stringify(head)) }];
}

/** The step that wrote what is stored of a group, undefined when it is empty, "torn" when it is neither. */
export async function storedStep(
  read: Reader,
  writer: number,
  group: number,
): Promise<number | undefined | "torn"> {
  const prefix = groupPrefix(writer, group);
  const parts: { key: Key; value: Buffer }[] = [];
  let head: { step: number; parts: number; checksum: string } | undefined;
  for await (const entry of read.range({ from: prefix, to: `${prefix}\xff` })) {
    if (entry.key === headKey(writer, group)) head = JSON.parse(entry.value.toString());
    else parts.push(entry);
  }
  if (head === undefined) return parts.length === 0 ? undefined : "torn";
  return head.parts === parts.length && head.checksum === checksum(parts) ? head.step : "torn";
}

export function groupsOf(): number[] {
  return Array.from({ length: GROUPS }, (_, group) => group);
}
