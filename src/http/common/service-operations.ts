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
import { xmlHeaders } from "./replies.ts";
import { ACCEPTED, onService, row, xml } from "./rows.ts";

/**
 * What every service has at its root: properties, statistics, and the reply to the CORS preflight of a
 * browser.
 */
export interface CommonServices {
  readonly properties: PropertiesContext;
}

async function handleGetServiceProperties(
  request: HttpRequest,
  { properties }: CommonServices,
): Promise<HttpReply> {
  const { account, service } = request.target;
  const body = printServiceProperties(service, await getServiceProperties(properties, account, service));
  return { status: 200, headers: xmlHeaders(request), body };
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

/** Every acknowledged write is visible on the secondary endpoint, so it was synchronized just now. */
async function handleGetServiceStats(request: HttpRequest): Promise<HttpReply> {
  if (!request.target.isSecondary) {
    throw badQuery("comp", "stats", "Only the secondary endpoint gives statistics.");
  }
  const state =
    textElement("Status", "live") + textElement("LastSyncTime", printHttpDate(request.receivedAt));
  const body = printXml(element("StorageServiceStats", element("GeoReplication", state)));
  return { status: 200, headers: xmlHeaders(request), body };
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

const PROPERTIES = "service?restype=service&comp=properties";

export function commonOperations(service: ServiceName): readonly Operation<CommonServices>[] {
  const rows = [
    row("GetServiceProperties", `GET ${PROPERTIES}`, onService("r"), handleGetServiceProperties),
    row("SetServiceProperties", `PUT ${PROPERTIES}`, onService("w"), handleSetServiceProperties, {
      ...xml(LIMITS.servicePropertiesBytesMax),
      ...ACCEPTED,
    }),
    row("Preflight", "OPTIONS service", { ...onService(), isOpen: true }, handlePreflight),
  ];
  // The File service has no read-only secondary, so it has no statistics of one.
  if (service === "file") return rows;
  const stats = "GET service?restype=service&comp=stats";
  return [...rows, row("GetServiceStats", stats, onService("r"), handleGetServiceStats)];
}
