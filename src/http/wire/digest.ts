import { createHash, type Hash } from "node:crypto";
import { LIMITS } from "../../base/limits.ts";
import { badHeader, Refusal } from "../../base/refusals.ts";
import { Crc64 } from "../../digest/crc64.ts";
import { LongMd5 } from "../../digest/md5-thread.ts";

/**
 * Digests of a body. The client may declare MD5 or CRC64; the server may need one for itself (Put Blob stores
 * the MD5, most replies have the CRC64). Each is computed once, while the bytes pass.
 */
export interface DeclaredDigest {
  /** Content-MD5 in Base64, well-formed. */
  readonly md5?: string;
  /** x-ms-content-crc64 in Base64, well-formed. */
  readonly crc64?: string;
}

type HeaderValues = Readonly<Record<string, string | undefined>>;

/** Any bytes in Base64. */
export const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const MD5_BASE64 = /^[A-Za-z0-9+/]{21}[AQgw]==$/;

export function isMd5Base64(text: string): boolean {
  return MD5_BASE64.test(text);
}

/** The digest that the client declared, checked for form. */
export function readDeclaredDigest(headers: HeaderValues): DeclaredDigest {
  const md5 = headers["content-md5"];
  const crc64 = headers["x-ms-content-crc64"];
  if (md5 !== undefined && crc64 !== undefined) throw new Refusal("BothCrc64AndMd5HeaderPresent");
  if (md5 !== undefined) {
    if (!isMd5Base64(md5)) throw badHeader("Content-MD5", md5, "InvalidMd5");
    return { md5 };
  }
  if (crc64 === undefined) return {};
  // One of another length is a mismatch like any other.
  if (!BASE64.test(crc64)) throw badHeader("x-ms-content-crc64", crc64);
  return { crc64 };
}

export interface DigestOptions {
  readonly declared: DeclaredDigest;
  /** Also computed when not declared. */
  readonly wantsMd5?: boolean;
  readonly wantsCrc64?: boolean;
  /** The declared length of the body; without it the body counts as short. */
  readonly length?: number | undefined;
}

/**
 * A body that checks itself: the bytes pass through unchanged, and behind the last one the declared digest is
 * compared. The stream throws a mismatch in place of its end, so a reader that saw the end saw the right
 * bytes. It must not commit anything before.
 */
export class CheckedBody implements AsyncIterable<Buffer> {
  readonly #source: AsyncIterable<Buffer>;
  readonly #digests: Digests;
  #result: Computed | undefined;
  bytesRead = 0;

  constructor(source: AsyncIterable<Buffer>, options: DigestOptions) {
    this.#source = source;
    this.#digests = new Digests(options);
  }

  [Symbol.asyncIterator](): AsyncIterator<Buffer, undefined> {
    const source = this.#source[Symbol.asyncIterator]();
    return {
      next: () => this.#next(source),
      return: async () => {
        this.#digests.drop();
        await source.return?.();
        return { done: true, value: undefined };
      },
    };
  }

  async #next(source: AsyncIterator<Buffer>): Promise<IteratorResult<Buffer, undefined>> {
    try {
      const step = await source.next();
      if (step.done === true) {
        this.#result ??= await this.#digests.finish();
        return { done: true, value: undefined };
      }
      const accepted = this.#digests.update(step.value);
      if (accepted !== undefined) await accepted;
      this.bytesRead += step.value.length;
      return step;
    } catch (error) {
      this.#digests.drop();
      throw error;
    }
  }

  /** Base64, once the body has been read to its end; undefined when it was not requested. */
  get md5(): string | undefined {
    return this.#result?.md5;
  }

  get crc64(): string | undefined {
    return this.#result?.crc64;
  }
}

export function checkedBody(source: AsyncIterable<Buffer>, options: DigestOptions): CheckedBody {
  return new CheckedBody(source, options);
}

/** The same for a body that is already in memory. */
export function checkBytes(bytes: Uint8Array, options: DigestOptions): Computed {
  const { declared, wantsMd5, wantsCrc64 } = options;
  const isMd5 = wantsMd5 === true || declared.md5 !== undefined;
  const isCrc64 = wantsCrc64 === true || declared.crc64 !== undefined;
  return checkDigests(declared, {
    md5: isMd5 ? createHash("md5").update(bytes).digest("base64") : undefined,
    crc64: isCrc64 ? new Crc64().update(bytes).base64() : undefined,
  });
}

interface Computed {
  readonly md5: string | undefined;
  readonly crc64: string | undefined;
}

class Digests {
  readonly #declared: DeclaredDigest;
  readonly #md5: Hash | LongMd5 | undefined;
  readonly #crc64: Crc64 | undefined;

  constructor({ declared, wantsMd5, wantsCrc64, length = 0 }: DigestOptions) {
    this.#declared = declared;
    if (wantsMd5 === true || declared.md5 !== undefined)
      this.#md5 = length >= LIMITS.longDigestBytes ? new LongMd5() : createHash("md5");
    if (wantsCrc64 === true || declared.crc64 !== undefined) this.#crc64 = new Crc64();
  }

  /** The caller awaits the promise, if any, before the next update. */
  update(bytes: Uint8Array): Promise<void> | undefined {
    this.#crc64?.update(bytes);
    const accepted = this.#md5?.update(bytes);
    return accepted instanceof Promise ? accepted : undefined;
  }

  async finish(): Promise<Computed> {
    const md5 = this.#md5 instanceof LongMd5 ? await this.#md5.digest() : this.#md5?.digest("base64");
    return checkDigests(this.#declared, { md5, crc64: this.#crc64?.base64() });
  }

  drop(): void {
    if (this.#md5 instanceof LongMd5) this.#md5.drop();
  }
}

function checkDigests(declared: DeclaredDigest, { md5, crc64 }: Computed): Computed {
  if (declared.md5 !== undefined && declared.md5 !== md5)
    throw new Refusal("Md5Mismatch", {
      elements: { UserSpecifiedMd5: declared.md5, ServerCalculatedMd5: md5! },
    });
  if (declared.crc64 !== undefined && declared.crc64 !== crc64)
    throw new Refusal("Crc64Mismatch", {
      elements: { UserSpecifiedCrc: declared.crc64, ServerCalculatedCrc: crc64! },
    });
  return { md5, crc64 };
}
