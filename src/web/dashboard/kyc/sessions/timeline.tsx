/** The events of a session, in words. */
import type { Answer } from "../../common/contract.ts"
import { count } from "../../common/parts.tsx"
import { Time } from "../../common/time.tsx"

export type TimelineEvent = Answer<"kyc-timeline.get">["events"][number]

const devices = {
  iphone: "an iPhone",
  ipad: "an iPad",
  android_phone: "an Android phone",
  android_tablet: "an Android tablet",
  computer: "a computer",
  unknown: "another device"
} as const

interface Said {
  readonly title: string
  readonly detail?: string
  readonly tone?: "good" | "problem"
}

const inWords = (event: TimelineEvent): Said => {
  switch (event.type) {
    case "created":
      return { title: "Created" }
    case "started":
      return { title: "Begun by the end user" }
    case "progress":
      return {
        title: `${event.steps.length === 1 ? "One step" : `${count(event.steps.length)} steps`} answered by then`,
        detail: event.steps.join(", ")
      }
    case "captcha_verified":
      return {
        title: "Captcha passed",
        tone: "good",
        ...(event.score === null ? {} : { detail: `Score ${event.score}` })
      }
    case "dedup_checked":
      return event.matchFound
        ? {
            title: "Looked for earlier sessions: found",
            detail: "Another session had the same document or person before.",
            tone: "problem"
          }
        : { title: "Looked for earlier sessions: none", tone: "good" }
    case "file_stored":
      return { title: "File received", detail: `${fileTypes[event.content_type]}, ${kilobytes(event.size)}` }
    case "handoff_created":
      return { title: "Link for another device made" }
    case "handoff_claimed":
      return { title: `Link opened on ${devices[event.device ?? "unknown"]}` }
    case "handoff_confirmed":
      return { title: `Went over to ${devices[event.device ?? "unknown"]}`, tone: "good" }
    case "handoff_refused":
      return {
        title: "Link for another device refused",
        detail: "A wrong number was entered.",
        tone: "problem"
      }
    case "handoff_cancelled":
      return { title: "Link for another device withdrawn" }
    case "completed":
      return { title: "Completed", tone: "good" }
    case "failed":
      return { title: "Failed", tone: "problem" }
    case "cancelled":
      return { title: "Cancelled" }
    case "expires":
      return { title: "Expires" }
    case "expired":
      return { title: "Expired", tone: "problem" }
  }
}

export const fileTypes = {
  "image/jpeg": "JPEG",
  "image/png": "PNG",
  "image/webp": "WebP",
  "image/heic": "HEIC",
  "application/pdf": "PDF"
} as const

/** A file size in kilobytes. */
export const kilobytes = (bytes: number): string => `${count(Math.max(1, Math.round(bytes / 1000)))} kB`

interface TimelineProps {
  readonly events: ReadonlyArray<TimelineEvent>
}

export const Timeline = ({ events }: TimelineProps) => (
  <ol class="timeline">
    {events.map((event, index) => {
      const { detail, title, tone = "" } = inWords(event)
      return (
        <li key={index} class={`${tone} ${event.type === "expires" ? "ahead" : ""}`.trim()}>
          <p>
            {title}
            {detail === undefined ? null : <span class="under">{detail}</span>}
          </p>
          {/* The events of a session are only minutes apart. */}
          <Time at={event.at} precise="seconds" />
        </li>
      )
    })}
  </ol>
)
