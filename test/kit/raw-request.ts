import { type RawRequest as PlainRaw, type RawReply as PlainReply, send } from "./send.ts";
import type { TestServer } from "./server.ts";

export type RawRequest = Omit<PlainRaw, "service" | "body"> & { readonly body?: string | Buffer };

/** A reply whose XML can be asked for the content of an element, references left as they are. */
export interface RawReply extends PlainReply {
  element(name: string): string | undefined;
}

/** One request as no SDK would send it, or whose reply no SDK would show as it is. */
export async function sendRaw(
  server: Pick<TestServer, "endpoints">,
  service: PlainRaw["service"],
  { body, ...rest }: RawRequest,
): Promise<RawReply> {
  const bytes = body === undefined ? {} : { body: Buffer.from(body) };
  const reply = await send(server, { ...rest, ...bytes, service });
  const element = (name: string): string | undefined =>
    new RegExp(`<${name}>(.*?)</${name}>`, "s").exec(reply.body)?.[1];
  return { ...reply, element };
}
