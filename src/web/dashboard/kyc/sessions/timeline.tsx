import type { Answer } from "../../common/call.ts"
import { formatCount } from "../../common/parts.tsx"
import { Time } from "../../common/time.tsx"
import { decisions } from "../reviews/review-state.tsx"

type TimelineEvent = Answer<"sessions.timeline">["events"][number]

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

/** Events whose type says it all. */
const plain = {
  created: { title: "Created" },
  started: { title: "Started by the end user" },
  handoff_created: { title: "Link for another device created" },
  handoff_refused: {
    title: "Link for another device refused",
    detail: "A wrong number was entered.",
    tone: "problem"
  },
  handoff_cancelled: { title: "Link for another device withdrawn" },
  completed: { title: "Submitted" },
  failed: { title: "Failed", tone: "problem" },
  cancelled: { title: "Cancelled" },
  expires: { title: "Expires" },
  expired: { title: "Expired", tone: "problem" },
  redacted: { title: "Personal data destroyed" }
} as const satisfies Partial<Record<TimelineEvent["type"], Said>>

const inWords = (event: TimelineEvent, titles: TimelineProps["titles"]): Said => {
  switch (event.type) {
    case "progress":
      return {
        title: "Last answer saved",
        detail: `Answered so far: ${event.steps.map((id) => titles.get(id) ?? id).join(", ")}`
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
            title: "Searched for duplicates: found",
            detail: "Another session has the same document or person.",
            tone: "problem"
          }
        : { title: "Searched for duplicates: none", tone: "good" }
    case "file_stored":
      return { title: "File received", detail: `${fileTypes[event.content_type]}, ${kilobytes(event.size)}` }
    case "handoff_claimed":
      return { title: `Link opened on ${devices[event.device ?? "unknown"]}` }
    case "handoff_confirmed":
      return { title: `Moved to ${devices[event.device ?? "unknown"]}`, tone: "good" }
    case "review_proposed":
      return { title: `Proposed: ${decisions[event.decision].act.toLowerCase()}` }
    case "reviewed":
      return {
        title: decisions[event.decision].done,
        ...(event.decision === "resubmission"
          ? {}
          : { tone: event.decision === "approved" ? "good" : "problem" }),
        ...(event.by === "api" ? { detail: "By a platform API key." } : {})
      }
    default:
      return plain[event.type]
  }
}

export const fileTypes = {
  "image/jpeg": "JPEG",
  "image/png": "PNG",
  "image/webp": "WebP",
  "application/pdf": "PDF"
} as const

export const kilobytes = (bytes: number): string => `${formatCount(Math.max(1, Math.round(bytes / 1000)))} kB`

interface TimelineProps {
  readonly events: ReadonlyArray<TimelineEvent>
  /** The titles of the steps, by their ids. */
  readonly titles: ReadonlyMap<string, string>
}

type Line = Said & Pick<TimelineEvent, "at" | "type">

/** One line per event, but files that were received one after another share a line. */
const linesOf = (
  events: ReadonlyArray<TimelineEvent>,
  titles: TimelineProps["titles"]
): ReadonlyArray<Line> => {
  const groups: Array<Array<TimelineEvent>> = []
  for (const event of events) {
    const last = groups.at(-1)
    if (event.type === "file_stored" && last?.[0]?.type === "file_stored") last.push(event)
    else groups.push([event])
  }
  return groups.flatMap(([event, ...more]): ReadonlyArray<Line> => {
    if (event === undefined) return []
    const said =
      more.length === 0 ? inWords(event, titles) : { title: `${formatCount(more.length + 1)} files received` }
    return [{ ...said, at: event.at, type: event.type }]
  })
}

/** Events are only minutes apart: the day is said once. */
const isSameDay = (at: string, before: string | undefined): boolean =>
  before !== undefined && new Date(at).toDateString() === new Date(before).toDateString()

export const Timeline = ({ events, titles }: TimelineProps) => {
  const lines = linesOf(events, titles)
  return (
    <ol class="timeline">
      {lines.map(({ at, detail, title, tone = "", type }, index) => (
        <li key={index} class={`${tone} ${type === "expires" ? "ahead" : ""}`.trim()}>
          <p>
            {title}
            {detail === undefined ? null : <span class="under">{detail}</span>}
          </p>
          <Time at={at} precise={isSameDay(at, lines[index - 1]?.at) ? "clock" : "seconds"} />
        </li>
      ))}
    </ol>
  )
}
