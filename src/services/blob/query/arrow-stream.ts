import type * as Arrow from "apache-arrow";

/** The types that clients may declare, and maps of texts, which listings have. */
export type ArrowType = "int64" | "bool" | "timestamp[ms]" | "string" | "double" | "decimal" | "map";

export interface ArrowField {
  readonly name: string;
  readonly type: ArrowType;
  /** Of a decimal. */
  readonly precision?: number;
  readonly scale?: number;
}

/** An integer of 128 bits for a decimal, milliseconds for a time. */
export type ArrowValue =
  | string
  | number
  | bigint
  | boolean
  | ReadonlyMap<string, string>
  | Uint32Array
  | null;

/**
 * An Arrow stream that grows: the schema, then batches of rows. The package is loaded when the first stream
 * is opened.
 */
export interface ArrowStream {
  append(values: readonly ArrowValue[]): void;
  /** The encoded schema, in front of the first batch, and a batch of the rows since the last call. */
  flush(): Buffer;
}

export async function openArrowStream(
  fields: readonly ArrowField[],
  metadata: Readonly<Record<string, string>> = {},
): Promise<ArrowStream> {
  const arrow = await import("apache-arrow");
  const columns = fields.map((field) => new arrow.Field(field.name, typeOf(arrow, field), true));
  const schema = new arrow.Schema(columns, new Map(Object.entries(metadata)));
  const struct = new arrow.Struct(columns);
  const builders = columns.map(({ type }) => arrow.makeBuilder({ type, nullValues: [null] }));
  const chunks: Buffer[] = [];
  /** The package's own sink cannot be emptied between two batches. */
  class Writer extends arrow.RecordBatchStreamWriter {
    protected override _write(chunk: ArrayBufferView): this {
      if (chunk.byteLength === 0) return this;
      chunks.push(Buffer.from(chunk.buffer as ArrayBuffer, chunk.byteOffset, chunk.byteLength));
      this._position += chunk.byteLength;
      return this;
    }
  }
  const writer = new Writer({ autoDestroy: false });
  writer.reset(undefined, schema);
  let length = 0;
  return {
    append: (values) => {
      builders.forEach((builder, i) => {
        builder.append(values[i]);
      });
      length++;
    },
    flush: () => {
      const children = builders.map((builder) => builder.flush());
      writer.write(
        new arrow.RecordBatch(schema, arrow.makeData({ type: struct, length, nullCount: 0, children })),
      );
      length = 0;
      return Buffer.concat(chunks.splice(0));
    },
  };
}

function typeOf(arrow: typeof Arrow, { type, precision = 0, scale = 0 }: ArrowField): Arrow.DataType {
  switch (type) {
    case "int64":
      return new arrow.Int64();
    case "bool":
      return new arrow.Bool();
    case "timestamp[ms]":
      return new arrow.TimestampMillisecond();
    case "string":
      return new arrow.Utf8();
    case "double":
      return new arrow.Float64();
    case "decimal":
      return new arrow.Decimal(scale, precision);
    case "map": {
      const pair: Arrow.Field[] = [
        new arrow.Field("key", new arrow.Utf8()),
        new arrow.Field("value", new arrow.Utf8()),
      ];
      return new arrow.Map_(new arrow.Field("entries", new arrow.Struct(pair)) as never);
    }
  }
}
