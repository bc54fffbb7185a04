import { LIMITS } from "../../base/limits.ts";
import { badQuery } from "../../base/refusals.ts";
import {
  getServiceProperties,
  type PropertiesContext,
} from "../../services/account/get-service-properties.ts";
import { setServiceProperties } from "../../services/account/set-service-properties.ts";
import type { HttpReply, HttpRequest, ServiceName } from "../exchange.ts";
import type { Operation } from "../operation.ts";
import { preflightHeaders } from "../wire/cors.ts";
import { printHttpDate } from "../wire/dates.ts";
import { parseServiceProperties, printServiceProperties } from "../wire/service-properties.ts";
import { element, printXml, textElement } from "../wire/xml-print.ts";
import { XML } from "./replies.ts";
import { onService, row } from "./rows.ts";

/** What every service has at its root: properties, statistics, and the answer to a browser's preflight. */
export interface CommonServices {
  readonly properties: PropertiesContext;
}

async function handleGetServiceProperties(
  request: HttpRequest,
  { properties }: CommonServices,
): Promise<HttpReply> {
  const { account, service } = request.target;
  const body = printServiceProperties(service, await getServiceProperties(properties, account, service));
  return { status: 200, headers: XML, body };
}

async function handleSetServiceProperties(
  request: HttpRequest,
  { properties }: CommonServices,
): Promise<HttpReply> {
  const { account, service } = request.target;
  const body = await request.body.read(LIMITS.servicePropertiesBytesMax);
  await setServiceProperties(properties, account, service, parseServiceProperties(service, body));
  return { status: 202 };
}

/** Every acknowledged write is visible everywhere, so the "secondary" is always in step. */
async function handleGetServiceStats(request: HttpRequest): Promise<HttpReply> {
  if (!request.target.isSecondary) {
    throw badQuery("comp", "stats", "Statistics are given by the secondary endpoint only.");
  }
  const state =
    textElement("Status", "live") + textElement("LastSyncTime", printHttpDate(request.receivedAt));
  const body = printXml(element("StorageServiceStats", element("GeoReplication", state)));
  return { status: 200, headers: XML, body };
}

async function handlePreflight(request: HttpRequest, { properties }: CommonServices): Promise<HttpReply> {
  const { account, service } = request.target;
  const { cors = [] } = await getServiceProperties(properties, account, service);
  const headers = preflightHeaders(cors, {
    origin: request.headers.origin,
    method: request.headers["access-control-request-method"],
    headers: request.headers["access-control-request-headers"],
  });
  return { status: 200, headers };
}

export function commonOperations(service: ServiceName): readonly Operation<CommonServices>[] {
  const stats = row<CommonServices>({
    name: "GetServiceStats",
    method: "GET",
    resource: "service",
    query: { restype: "service", comp: "stats" },
    permission: onService(["r"]),
    handle: handleGetServiceStats,
  });
  const rows = [
    row<CommonServices>({
      name: "GetServiceProperties",
      method: "GET",
      resource: "service",
      query: { restype: "service", comp: "properties" },
      permission: onService(["r"]),
      handle: handleGetServiceProperties,
    }),
    row<CommonServices>({
      name: "SetServiceProperties",
      method: "PUT",
      resource: "service",
      query: { restype: "service", comp: "properties" },
      permission: onService(["w"]),
      body: "xml",
      bodyBytesMax: LIMITS.servicePropertiesBytesMax,
      ok: [202],
      handle: handleSetServiceProperties,
    }),
    row<CommonServices>({
      name: "Preflight",
      method: "OPTIONS",
      resource: "service",
      permission: { ...onService([]), isOpen: true },
      handle: handlePreflight,
    }),
  ];
  // The File service has no read-only secondary, so it has no statistics of one.
  return service === "file" ? rows : [...rows, stats];
}
