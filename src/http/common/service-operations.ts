import { LIMITS } from "../../base/limits.ts";
import { badQuery } from "../../base/refusals.ts";
import type { PropertiesService } from "../../services/account/properties-service.ts";
import type { HttpReply, HttpRequest, ServiceName } from "../exchange.ts";
import type { Operation } from "../operation.ts";
import { preflightHeaders } from "../wire/cors.ts";
import { printHttpDate } from "../wire/dates.ts";
import { parseServiceProperties, printServiceProperties } from "../wire/service-properties.ts";
import { element, printXml, textElement } from "../wire/xml-print.ts";

/** What every service has at its root: properties, statistics, and the answer to a browser's preflight. */
export interface CommonServices {
  readonly properties: PropertiesService;
}

const XML = { "Content-Type": "application/xml" };

async function getServiceProperties(
  request: HttpRequest,
  { properties }: CommonServices,
): Promise<HttpReply> {
  const { account, service } = request.target;
  const body = printServiceProperties(service, await properties.get(account, service));
  return { status: 200, headers: XML, body };
}

async function setServiceProperties(
  request: HttpRequest,
  { properties }: CommonServices,
): Promise<HttpReply> {
  const { account, service } = request.target;
  const body = await request.body.read(LIMITS.servicePropertiesBytesMax);
  await properties.set(account, service, parseServiceProperties(service, body));
  return { status: 202 };
}

/** Every acknowledged write is visible everywhere, so the "secondary" is always in step. */
async function getServiceStats(request: HttpRequest): Promise<HttpReply> {
  if (!request.target.isSecondary) {
    throw badQuery("comp", "stats", "Statistics are given by the secondary endpoint only.");
  }
  const state =
    textElement("Status", "live") + textElement("LastSyncTime", printHttpDate(request.receivedAt));
  const body = printXml(element("StorageServiceStats", element("GeoReplication", state)));
  return { status: 200, headers: XML, body };
}

async function preflight(request: HttpRequest, { properties }: CommonServices): Promise<HttpReply> {
  const { account, service } = request.target;
  const { cors = [] } = await properties.get(account, service);
  const headers = preflightHeaders(cors, {
    origin: request.headers.origin,
    method: request.headers["access-control-request-method"],
    headers: request.headers["access-control-request-headers"],
  });
  return { status: 200, headers };
}

const atRoot = {
  resource: "service",
  returnsEtag: false,
  conditions: [],
  lease: "none",
} as const;

export function commonOperations(service: ServiceName): readonly Operation<CommonServices>[] {
  const stats: Operation<CommonServices> = {
    ...atRoot,
    name: "GetServiceStats",
    method: "GET",
    query: { restype: "service", comp: "stats" },
    permission: { type: "s", account: ["r"], service: [] },
    body: "none",
    bodyBytesMax: 0,
    ok: [200],
    handle: getServiceStats,
  };
  const rows: Operation<CommonServices>[] = [
    {
      ...atRoot,
      name: "GetServiceProperties",
      method: "GET",
      query: { restype: "service", comp: "properties" },
      permission: { type: "s", account: ["r"], service: [] },
      body: "none",
      bodyBytesMax: 0,
      ok: [200],
      handle: getServiceProperties,
    },
    {
      ...atRoot,
      name: "SetServiceProperties",
      method: "PUT",
      query: { restype: "service", comp: "properties" },
      permission: { type: "s", account: ["w"], service: [] },
      body: "xml",
      bodyBytesMax: LIMITS.servicePropertiesBytesMax,
      ok: [202],
      handle: setServiceProperties,
    },
    {
      ...atRoot,
      name: "Preflight",
      method: "OPTIONS",
      permission: { type: "s", account: [], service: [], isOpen: true },
      body: "none",
      bodyBytesMax: 0,
      ok: [200],
      handle: preflight,
    },
  ];
  // The File service has no read-only secondary, so it has no statistics of one.
  return service === "file" ? rows : [...rows, stats];
}
