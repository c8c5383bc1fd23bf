import { Schema, Struct } from "effect"
import { isJsonObject, JsonObject, Timestamp } from "../../shared/schemas.ts"
import { Mode } from "../sessions/model.ts"

/** The time to claim and confirm a handoff, in seconds. */
export const lifeSeconds = 600

/** The maximum number of handoffs of one session, over its lifetime. */
export const maxHandoffsPerSession = 20

const HandoffStatus = Schema.Literal(
  "waiting",
  "claimed",
  "confirmed",
  "refused",
  "cancelled",
  "expired"
).annotations({
  identifier: "HandoffStatus",
  description:
    "`waiting` for a device to claim it; `claimed` by one, whose end user has to enter the code; `confirmed`: the session " +
    "has moved to that device; `refused`: a wrong code was entered; `cancelled` by the first device, or replaced by another; `expired`."
})

export const Device = Schema.Literal(
  "iphone",
  "ipad",
  "android_phone",
  "android_tablet",
  "computer",
  "unknown"
).annotations({
  identifier: "HandoffDevice",
  description:
    "The kind of device that claimed the handoff, as the device reports it. It helps the end user to notice a stranger's device."
})
export type Device = typeof Device.Type

/** The kind of device, as broadly as its end user would name it. An iPad may identify as a computer. */
export const deviceOf = (userAgent: string | undefined): Device => {
  if (userAgent === undefined) return "unknown"
  if (/iPhone|iPod/.test(userAgent)) return "iphone"
  if (userAgent.includes("iPad")) return "ipad"
  if (userAgent.includes("Android")) return /\bMobile\b/.test(userAgent) ? "android_phone" : "android_tablet"
  return /Windows NT|Macintosh|X11|CrOS|Linux/.test(userAgent) ? "computer" : "unknown"
}

/** A handoff as both devices see it. */
export const Handoff = Schema.Struct({
  id: Schema.String,
  status: HandoffStatus,
  expires_at: Schema.propertySignature(Timestamp).annotations({
    description:
      "When the handoff expires. Until then, a device can claim and confirm it while the session is open."
  })
}).annotations({ identifier: "KycHandoff" })
export type Handoff = typeof Handoff.Type

/** A handoff as the device that created it sees it. */
export const FollowedHandoff = Schema.Struct({
  ...Handoff.fields,
  device: Schema.NullOr(Device).annotations({
    description: "The kind of device that claimed the handoff, as the device reports it; null until then."
  }),
  code: Schema.NullOr(Schema.String).annotations({
    description:
      "Two digits that this device shows and the end user enters on the other; only while the handoff is claimed."
  })
}).annotations({ identifier: "FollowedKycHandoff" })

/** What the holder of a link may know of the session: whose it is, but no personal data. */
export const OfferedSession = Schema.Struct({
  id: Schema.String,
  mode: Mode,
  expires_at: Timestamp,
  instance_config: JsonObject.annotations({
    description:
      "The config's `title`, `locales`, `defaultLocale` and `theme`, and the company in its `legal`."
  })
}).annotations({ identifier: "OfferedKycSession" })
export type OfferedSession = typeof OfferedSession.Type

/** The part of a config that tells which company runs the session and how its page looks. */
export const offeredConfig = (config: JsonObject): JsonObject => {
  const { legal, ...rest } = Struct.pick(config, "title", "locales", "defaultLocale", "theme", "legal")
  return isJsonObject(legal) && "company" in legal ? { ...rest, legal: { company: legal.company } } : rest
}

/** Whether the instance allows handoffs; the default is yes. */
export const isEnabled = ({ handoff }: JsonObject): boolean =>
  !(isJsonObject(handoff) && handoff.enabled === false)
