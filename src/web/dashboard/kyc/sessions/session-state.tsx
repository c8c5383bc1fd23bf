import { Alert } from "../../../ui/parts.tsx"
import type { Answer } from "../../common/call.ts"
import { Badge, type Tone } from "../../common/parts.tsx"
import { Time } from "../../common/time.tsx"
import { type Reviewed, ReviewState } from "../reviews/review-state.tsx"

export const sessionPath = (id: string): string => `/dashboard/sessions/${encodeURIComponent(id)}`

/** What the list and the page of sessions call a status. A submitted session is not an approved one. */
export const states = {
  created: { tone: "neutral", word: "Created" },
  running: { tone: "warning", word: "Running" },
  completed: { tone: "info", word: "Submitted" },
  failed: { tone: "problem", word: "Failed" },
  cancelled: { tone: "neutral", word: "Cancelled" },
  expired: { tone: "problem", word: "Expired" }
} as const satisfies Readonly<Record<string, { readonly tone: Tone; readonly word: string }>>

export type State = keyof typeof states

export const isState = (name: string): name is State => Object.hasOwn(states, name)

interface Stated {
  readonly status: Exclude<State, "expired">
  readonly mode: "prod" | "dev"
  readonly expires_at?: string
  readonly review?: Reviewed | null
}

/** The status of an unfinished session does not change when it expires. */
const stateOf = ({ expires_at, status }: Stated): State => {
  const isOver = expires_at !== undefined && Date.parse(expires_at) <= Date.now()
  return isOver && (status === "created" || status === "running") ? "expired" : status
}

export const SessionState = ({ session }: { readonly session: Stated }) => {
  const { tone, word } = states[stateOf(session)]
  const review = session.review ?? null
  return (
    <span class="badges">
      {review === null || review.decision === null ? <Badge tone={tone}>{word}</Badge> : null}
      {review === null ? null : <ReviewState review={review} />}
      {session.mode === "dev" ? <Badge>Test</Badge> : null}
    </span>
  )
}

/** Stands where the personal data of a session would. */
export const DataDestroyed = ({ at }: { readonly at: string }) => (
  <Alert tone="info">
    <p>
      All personal data of this session was destroyed on <Time at={at} precise />.
    </p>
  </Alert>
)

type Flag = Answer<"sessions.list">["sessions"][number]["flags"][number]

const flagWords = {
  dedup_match: "Seen before",
  captcha_missing: "No captcha",
  steps_missing: "Steps missing",
  rule_failed: "Rule broken"
} as const satisfies Record<Flag, string>

/** What the server has noticed about a session. */
export const Flags = ({ of: flags }: { readonly of: ReadonlyArray<Flag> }) =>
  flags.length === 0 ? (
    <span class="faint nothing">–</span>
  ) : (
    <span class="badges">
      {flags.map((flag) => (
        <Badge key={flag} tone="warning">
          {flagWords[flag]}
        </Badge>
      ))}
    </span>
  )
