import { monotonic, systemTimers, type Timers } from "../../base/clock.ts";
import { LIMITS } from "../../base/limits.ts";
import { answerOf, badHeader, Refusal, type SourceAnswer, sourceRefusal } from "../../base/refusals.ts";
import type { Log } from "../../observability/log.ts";
import type { Headers, HttpReply, HttpRequest } from "../exchange.ts";
import { type CopySources, isAllowedSource } from "./copy-sources.ts";
import { FetchSlots } from "./fetch-slots.ts";
import type { FetchedSource } from "./fetched-source.ts";
import { type IpAddress, parseIp } from "./ip-networks.ts";
import type { OwnListeners } from "./own-listeners.ts";
import { SourceLink } from "./source-link.ts";
import { type ResolveName, resolveBySystem, SourceNames } from "./source-names.ts";

/** Where a source is: at a service of this server, or elsewhere at addresses that `--copySources` allows. */
export type SourcePlace =
  | { readonly kind: "own"; readonly service: SourceService }
  | { readonly kind: "remote"; readonly addresses: readonly string[] };

export interface RemoteSource {
  readonly url: URL;
  readonly place: SourcePlace;
}

export type SourceService = "blob" | "file";

/** A read that a copy makes inside this server on behalf of its client. */
export interface InnerRead {
  /** Path and query. */
  readonly url: string;
  readonly host: string;
  readonly headers: Headers;
  /** The request of the copy: the read has the IP address and protocol of its caller. */
  readonly outer: HttpRequest;
}

export type InnerReader = (read: InnerRead) => Promise<HttpReply>;

export interface FetchOptions {
  readonly range?: string | undefined;
  /** Headers for the source, beside the range and the credentials. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Turns the refusal of the source into ours. */
  readonly refuse?: (answer: SourceAnswer) => Refusal;
  /** The fetch continues after the client has left, and uses the slots for such fetches. */
  readonly isBackground?: boolean;
}

export interface CopySourceFetcherOptions {
  readonly allowed: CopySources;
  readonly listeners: OwnListeners;
  readonly isHostStyleAllowed: boolean;
  readonly log: Log;
  readonly resolve?: ResolveName | undefined;
  readonly timers?: Timers;
}

/**
 * Fetches the sources of copies and of writes from URLs that are not on this server by their host name alone.
 *
 * The server sends a request to an address of the client's choice, so a client could read what only the
 * server can reach. The fetcher resolves each name once, compares the addresses with our own listeners and
 * with `--copySources`, and connects to one of the addresses it has checked. It reads a source on this server
 * inside the process with the permissions of the client: a request over the network would have those of the
 * server.
 */
export class CopySourceFetcher {
  readonly isHostStyleAllowed: boolean;
  readonly #allowed: CopySources;
  readonly #listeners: OwnListeners;
  readonly #log: Log;
  readonly #timers: Timers;
  readonly #names: SourceNames;
  readonly #foreground: FetchSlots;
  readonly #background: FetchSlots;
  readonly #readers = new Map<SourceService, InnerReader>();
  #warnedAt = Number.NEGATIVE_INFINITY;
  #refusedSince = 0;

  constructor(options: CopySourceFetcherOptions) {
    const { resolve = resolveBySystem, timers = systemTimers } = options;
    this.isHostStyleAllowed = options.isHostStyleAllowed;
    this.#allowed = options.allowed;
    this.#listeners = options.listeners;
    this.#log = options.log;
    this.#timers = timers;
    this.#names = new SourceNames(resolve, timers);
    this.#foreground = new FetchSlots(
      { total: LIMITS.sourceFetchesMax, perAccount: LIMITS.sourceFetchesPerAccountMax },
      timers,
    );
    this.#background = new FetchSlots(
      { total: LIMITS.copiesFromElsewhereMax, perAccount: LIMITS.copiesFromElsewherePerAccountMax },
      timers,
    );
  }

  /** Sets the reader of sources on this server. */
  readInside(service: SourceService, reader: InnerReader): void {
    this.#readers.set(service, reader);
  }

  /**
   * Resolves the address of a source and refuses one that `--copySources` does not allow. Connects to
   * nothing.
   */
  async locate(url: URL): Promise<SourcePlace> {
    const port = Number(url.port || (url.protocol === "https:" ? 443 : 80));
    const found: { readonly text: string; readonly address: IpAddress }[] = [];
    for (const text of await this.#names.resolve(url.hostname)) {
      const address = parseIp(text);
      if (address !== undefined) found.push({ text, address });
    }
    const own = found.map(({ address }) => this.#listeners.find(address, port));
    const listener = own.find((found) => found !== undefined && !isService(found)) ?? own.find(isService);
    if (isService(listener)) return { kind: "own", service: listener };
    const isClosed = listener !== undefined;
    const allowed = found.filter(({ address }) => !isClosed && isAllowedSource(this.#allowed, address));
    if (found.length === 0) throw new Refusal("CannotVerifyCopySource");
    if (allowed.length === 0)
      throw this.#refuse(
        url,
        found.map(({ text }) => text),
      );
    return { kind: "remote", addresses: allowed.map(({ text }) => text) };
  }

  #refuse(url: URL, addresses: readonly string[]): Refusal {
    const text = "a copy source was refused: --copySources does not allow its address";
    const fields = { host: url.host, addresses };
    this.#refusedSince++;
    if (monotonic() - this.#warnedAt < LIMITS.refusedSourceLogMillis) this.#log.debug(fields, text);
    else {
      this.#log.warn({ ...fields, refused: this.#refusedSince }, text);
      this.#warnedAt = monotonic();
      this.#refusedSince = 0;
    }
    return new Refusal("CopySourceNotAllowed");
  }

  /** Fetches the head of the source; the caller reads the body and closes it. */
  fetch(request: HttpRequest, { url, place }: RemoteSource, options: FetchOptions): Promise<FetchedSource> {
    if (place.kind === "own") return this.#readOwn(request, url, place.service, options);
    return this.#fetchRemote(request, url, place.addresses, options);
  }

  async #readOwn(
    request: HttpRequest,
    url: URL,
    service: SourceService,
    { range, headers = {}, refuse = sourceRefusal }: FetchOptions,
  ): Promise<FetchedSource> {
    const read = this.#readers.get(service);
    if (read === undefined) throw new Refusal("CannotVerifyCopySource");
    const authorization = request.headers["x-ms-copy-source-authorization"];
    const sent = { ...headersFor(request, range), ...headers, authorization };
    const inner = { url: `${url.pathname}${url.search}`, host: url.host, headers: sent, outer: request };
    try {
      return fetchedFrom(await read(inner));
    } catch (error) {
      throw error instanceof Refusal ? refuse(answerOf(error)) : error;
    }
  }

  async #fetchRemote(
    request: HttpRequest,
    url: URL,
    addresses: readonly string[],
    { range, headers = {}, refuse = sourceRefusal, isBackground = false }: FetchOptions,
  ): Promise<FetchedSource> {
    const sent = { ...headersFor(request, range), ...headers, ...tokenFor(request) };
    const slots = isBackground ? this.#background : this.#foreground;
    const release = await slots.acquire(request.target.account, request.client);
    const client = isBackground ? undefined : request.client;
    const timers = this.#timers;
    const link = new SourceLink({ url, addresses, headers: sent, client, timers, release });
    try {
      const response = await link.open();
      const status = response.statusCode ?? 0;
      if (status !== 200 && status !== 206) {
        const code = response.headers["x-ms-error-code"];
        const shown = typeof code === "string" ? code.slice(0, LIMITS.sourceErrorCodeCharsMax) : undefined;
        throw refuse({ status, code: shown });
      }
      // A server without support for ranges sends the whole source.
      if (range !== undefined && status !== 206) throw new Refusal("CannotVerifyCopySource");
      const length = response.headers["content-length"];
      return {
        headers: response.headers as Headers,
        length: length === undefined ? undefined : Number(length),
        body: link.read(response),
        close: () => link.close(),
      };
    } catch (error) {
      link.close();
      throw error;
    }
  }
}

function isService(listener: string | undefined): listener is SourceService {
  return listener === "blob" || listener === "file";
}

const VERSION = "2025-01-05";

function headersFor({ headers, version }: HttpRequest, range: string | undefined): Record<string, string> {
  const out: Record<string, string> = { "x-ms-version": version === "" ? VERSION : version };
  // The File service requires an intent of a caller with a token.
  const intent = headers["x-ms-file-request-intent"];
  if (intent !== undefined) out["x-ms-file-request-intent"] = intent;
  if (range !== undefined) {
    out["x-ms-range"] = range;
    out.range = range;
  }
  return out;
}

/** Only bearer tokens: anything else would be a password for some other kind of server. */
function tokenFor({ headers }: HttpRequest): Record<string, string> {
  const token = headers["x-ms-copy-source-authorization"];
  if (token === undefined) return {};
  if (!/^Bearer [\x21-\x7e]+$/i.test(token)) throw badHeader("x-ms-copy-source-authorization", "");
  return { authorization: token };
}

function fetchedFrom({ headers = {}, body = "", length, release }: HttpReply): FetchedSource {
  const lower: Record<string, string | undefined> = {};
  for (const name in headers) lower[name.toLowerCase()] = headers[name];
  const isStream = typeof body !== "string" && !(body instanceof Uint8Array);
  const whole = isStream ? undefined : typeof body === "string" ? Buffer.from(body) : asBuffer(body);
  let isClosed = false;
  return {
    headers: lower,
    length: whole?.length ?? length,
    body: isStream ? buffersOf(body) : once(whole!),
    close: () => {
      if (!isClosed) release?.();
      isClosed = true;
    },
  };
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}

async function* buffersOf(stream: AsyncIterable<Uint8Array> | readonly Uint8Array[]): AsyncGenerator<Buffer> {
  for await (const chunk of stream) yield asBuffer(chunk);
}

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  if (bytes.length > 0) yield bytes;
}
