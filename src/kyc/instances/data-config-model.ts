/** The parts of an instance's `config` that say what becomes of the data: how it is checked, who decides, how long it is stored. */
import { DateTime, Option } from "effect"
import { flag, like, list, needed, object, oneOf, part, setting, string, wholeFrom } from "./shape-model.ts"

const reasonCode = like(
  /^[A-Za-z][A-Za-z0-9_-]{0,63}$/,
  "a letter and then up to 63 letters, digits, underscores or hyphens"
)

const Reason = object({
  code: needed(reasonCode, "Names the reason in the API, in events and in exports; unique."),
  text: needed(string(200), "What the reviewer chooses from. Plain text.")
})
export type Reason = typeof Reason.Type

const maxReasons = 50

export const Review = object({
  mode: setting(
    oneOf("none", "manual"),
    "manual: a person of the company, or its server, decides on each completed session. Default: none."
  ),
  fourEyes: flag(
    "Whether the first decision is only a proposal, which another person has to confirm. Default: false."
  ),
  reasons: part(
    list(Reason, maxReasons, "reasons"),
    "Why a session may be declined or asked for again. Default: common reasons, such as a blurred photo."
  )
})

const timeZone = like(/^[A-Za-z][A-Za-z0-9_+-]*(?:\/[A-Za-z0-9_+-]+)*$/, "a time zone like Europe/Berlin", {
  holds: (name) => Option.isSome(DateTime.zoneMakeNamed(name)),
  max: 64
})

export const Checks = object({
  photos: flag(
    "Whether the photos of completed sessions are looked at: zones, barcodes, dates, quality, faces in selfies. A photo of a document is also read before that for a browser that cannot read it. Default: true."
  ),
  similarity: flag(
    "Whether the portrait of the document is compared with the selfie, by a network that the operator provides. The score is not calibrated. Default: false."
  ),
  sameBrowser: flag(
    "Whether the hosted page keeps a random mark in the browser for 30 days, by which `session.signals` counts other sessions of the instance from the same browser. Default: false."
  ),
  timeZone: setting(
    timeZone,
    "The IANA time zone whose day decides whether a document has expired, and how old a person is. Default: UTC."
  )
})

/** In days, up to a hundred years. */
const days = wholeFrom(0, 36_500)

export const Retention = object({
  finishedDays: setting(
    days,
    "Days after its end until the personal data of a finished session is destroyed. Default: the service's own setting."
  ),
  unfinishedDays: setting(
    days,
    "Days after its expiry until the personal data of an unfinished session is destroyed. Default: the service's own setting."
  ),
  filesDays: setting(
    days,
    "Days after the end or the expiry of a session until its files are deleted. Default: the service's own setting."
  )
})
