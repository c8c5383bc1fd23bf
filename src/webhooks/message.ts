/** The HTTP message of a delivery (contract.md#webhook-delivery). */
import { version } from "../../package.json"
import type { Event } from "../events/model.ts"
import type { JsonObject } from "../shared/schemas.ts"
import type { Sign } from "./signature.ts"

interface StoredEvent {
  /** As companies see it. */
  readonly event_id: string
  readonly event_type: string
  readonly created_at: Date
  readonly data: JsonObject
}

export const eventOf = ({ created_at, data, event_id, event_type }: StoredEvent): Event => ({
  id: event_id,
  type: event_type,
  timestamp: created_at,
  data
})

/** The event as the feed shows it: the same bytes for every attempt. */
export const bodyOf = ({ data, id, timestamp, type }: Event): string =>
  JSON.stringify({ id, type, timestamp, data })

/** The number of a delivery, and its signature in place of the body's. */
export const sequenceHeaders = (sign: Sign, id: string, timestamp: number, sequence: number) => ({
  "doorlock-sequence": String(sequence),
  "doorlock-sequence-signature": sign(id, timestamp, String(sequence))
})

/** A POST with these headers, one code unit per octet. */
export const messageOf = (url: URL, headers: Readonly<Record<string, string>>, body: string): string => {
  const octets = Buffer.from(body)
  const lines = Object.entries({
    host: url.host,
    "user-agent": `doorlock/${version}`,
    "content-type": "application/json",
    "content-length": String(octets.length),
    ...headers
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  return `POST ${url.pathname}${url.search} HTTP/1.1\r\n${lines.join("")}\r\n${octets.toString("latin1")}`
}
