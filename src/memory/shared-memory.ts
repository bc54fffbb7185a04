// @types/node leaves WebAssembly to the browser's types, which we do not load.
declare namespace WebAssembly {
  class Memory {
    readonly buffer: SharedArrayBuffer;
    constructor(size: { readonly initial: number; readonly maximum: number; readonly shared: true });
    grow(pages: number): number;
  }
}

export const WASM_PAGE_BYTES = 65_536;

/** Memory of a fixed size that WebAssembly modules and threads share. */
export class SharedMemory {
  readonly pages: number;
  readonly memory: WebAssembly.Memory;

  constructor(pages: number) {
    this.pages = pages;
    this.memory = new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true });
  }

  get buffer(): SharedArrayBuffer {
    return this.memory.buffer;
  }

  /** An own buffer object over the same bytes: growing, even by zero pages, makes the memory use another. */
  newBuffer(): SharedArrayBuffer {
    const { buffer } = this.memory;
    this.memory.grow(0);
    return buffer;
  }
}
