/** What a session shows of a person: photos, answers, checks and other sessions. */
import type { ComponentChildren } from "preact"
import { useRef, useState } from "preact/hooks"
import { Button } from "../../../ui/parts.tsx"
import { type Answer, doorlock } from "../../common/call.ts"
import { Disclosure } from "../../common/disclosure.tsx"
import { Badge } from "../../common/parts.tsx"
import { Link } from "../../common/router.tsx"
import { useShortcuts } from "../../common/shortcuts.ts"
import { Time } from "../../common/time.tsx"
import { SessionState, sessionPath } from "../sessions/session-state.tsx"
import { Values } from "../sessions/values.tsx"
import { type AnsweredStep, answeredSteps } from "./answers.ts"
import { type Photo, photosOf } from "./photos.ts"
import { type Pictures, usePictures } from "./pictures.ts"
import { type Check, summaryOf } from "./session-checks.ts"
import type { SessionRead } from "./session-steps.ts"
import { Viewer, type ViewerActs } from "./viewer.tsx"

type Match = Answer<"sessions.matches">["matches"][number]

/** All that the page of a session and the page of its review show. */
export const loadEvidence = async (id: string, signal: AbortSignal) => {
  const [{ session }, { events }, { files }, { matches }] = await Promise.all([
    doorlock.sessions.get(id, { signal }),
    doorlock.sessions.timeline(id, { signal }),
    doorlock.files.list(id, { signal }),
    doorlock.sessions.matches(id, { signal })
  ])
  return { session, events, matches, photos: photosOf(session, files), steps: answeredSteps(session) }
}
export type Evidence = Awaited<ReturnType<typeof loadEvidence>>

/** Without a selfie, the first two photos are side by side. */
const sidesOf = (photos: ReadonlyArray<Photo>) => {
  const selfies = photos.filter(({ kind }) => kind === "selfie")
  const others = photos.filter(({ kind }) => kind !== "selfie")
  if (selfies.length === 0) return { left: others, right: others, second: Math.min(1, others.length - 1) }
  if (others.length === 0) return { left: selfies, right: selfies, second: Math.min(1, selfies.length - 1) }
  return { left: others, right: selfies, second: 0 }
}

interface PhotosProps {
  readonly sessionId: string
  readonly photos: ReadonlyArray<Photo>
  readonly pictures: Pictures
}

const NoPhotos = () => <p class="photos-hidden no-photos faint">The end user sent no photos or files.</p>

/** The document beside the selfie. */
export const Photos = ({ photos, pictures, sessionId }: PhotosProps) => {
  const [active, setActive] = useState<"left" | "right">("left")
  const acts = { left: useRef<ViewerActs>(null), right: useRef<ViewerActs>(null) }
  const act = (name: keyof ViewerActs) => () => acts[active].current?.[name]()
  useShortcuts({
    "+": act("enlarge"),
    "=": act("enlarge"),
    "-": act("reduce"),
    "0": act("fit"),
    t: act("turn"),
    p: act("next"),
    o: () => setActive(active === "left" ? "right" : "left")
  })
  if (photos.length === 0) return <NoPhotos />
  const { left, right, second } = sidesOf(photos)
  const shared = { sessionId, pictures }
  return (
    <div class="photos">
      <Viewer
        {...shared}
        label={
          left === right ? "Photos" : left.some(({ kind }) => kind === "document") ? "Document" : "Files"
        }
        photos={left}
        active={active === "left"}
        onUse={() => setActive("left")}
        acts={acts.left}
      />
      {photos.length === 1 ? null : (
        <Viewer
          {...shared}
          label={left === right ? "Photos, second view" : "Selfie"}
          photos={right}
          first={second}
          active={active === "right"}
          onUse={() => setActive("right")}
          acts={acts.right}
        />
      )}
    </div>
  )
}

/** Loads the photos only when the user asks for them: every read of a photo is in the audit trail. */
export const PhotosOnRequest = ({ photos, sessionId }: Omit<PhotosProps, "pictures">) => {
  const [wanted, setWanted] = useState(false)
  const pictures = usePictures(sessionId, photos, wanted)
  if (photos.length === 0) return <NoPhotos />
  if (wanted) return <Photos sessionId={sessionId} photos={photos} pictures={pictures} />
  return (
    <p class="photos-hidden">
      <Button onClick={() => setWanted(true)}>
        {photos.length === 1 ? "Show the photo" : `Show the ${photos.length} photos and files`}
      </Button>
      <span class="under">The audit trail records who has seen them.</span>
    </p>
  )
}

interface AnswersProps {
  readonly session: SessionRead
  readonly steps: ReadonlyArray<AnsweredStep>
}

/** What a session that asks for some steps again says of each step. */
const originNames = {
  again: { words: "Answered again", tone: "info" },
  carried: { words: "Carried over", tone: "neutral" }
} as const

/** The person's card: each answer. */
export const Answers = ({ session, steps }: AnswersProps): ComponentChildren => {
  if (steps.length === 0) {
    return session.result === null ? <p class="faint">No answers yet.</p> : <Values of={session.result} />
  }
  return steps.map(({ id, origin, rows, title }) => (
    <section key={id} class="answers">
      <h3>
        {title}{" "}
        {origin === undefined ? null : (
          <Badge tone={originNames[origin].tone}>{originNames[origin].words}</Badge>
        )}
      </h3>
      <dl>
        {rows.map(({ concern, entered, label }) => (
          <div key={label} class={concern === undefined ? "" : "problem"}>
            <dt>{label}</dt>
            <dd>
              <bdi>{entered}</bdi>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  ))
}

const toneNames = {
  good: "OK",
  warning: "Warning",
  problem: "Red flag",
  info: "Note",
  neutral: "Note"
} as const

export const Checks = ({ checks }: { readonly checks: ReadonlyArray<Check> }) => (
  <ul class="checks">
    {checks.map(({ tone, words }) => (
      <li key={words} class={tone}>
        <span class="visually-hidden">{toneNames[tone]}: </span>
        {words}
      </li>
    ))}
  </ul>
)

/** The same in little room: what was found in words, and all else in few. All of it is one click away. */
export const CheckSummary = ({ checks }: { readonly checks: ReadonlyArray<Check> }) => {
  const { inFew, inWords, notChecked } = summaryOf(checks)
  return (
    <>
      <Checks checks={inWords} />
      <ul class="checks in-few" aria-label="Nothing found">
        {inFew.map(({ tone, words }) => (
          <li key={words} class={tone}>
            {words}
          </li>
        ))}
      </ul>
      {notChecked.length === 0 ? null : <p class="not-checked">Not checked: {notChecked.join(", ")}</p>}
      <Disclosure summary="All checks in words">{() => <Checks checks={checks} />}</Disclosure>
    </>
  )
}

/** A session that asked for steps again has the same document, but is no duplicate (`duplicateCheck` in `session-checks.ts`). */
const relation = (match: Match, session: SessionRead): string | undefined => {
  if (match.id === session.next_session_id) return "Resubmission of this session"
  if (match.id === session.previous_session_id) return "This session is its resubmission"
  return session.assurance.dedup.matchFound ? undefined : "Part of the same case"
}

export const Matches = ({
  matches,
  session
}: {
  readonly matches: ReadonlyArray<Match>
  readonly session: SessionRead
}) =>
  matches.length === 0 ? (
    <p class="faint">None.</p>
  ) : (
    <ul class="matches">
      {matches.map((match) => (
        <li key={match.id}>
          <Link to={sessionPath(match.id)}>{match.external_reference || "No reference"}</Link>{" "}
          <SessionState session={match} />
          {relation(match, session) === undefined ? null : (
            <span class="under">{relation(match, session)}</span>
          )}
          <span class="under">
            <Time at={match.created_at} precise />
          </span>
        </li>
      ))}
    </ul>
  )

/** What the page of a session and its report show. */
export const loadSession = async (id: string, signal: AbortSignal) => {
  const [evidence, { options, review }, { notes }] = await Promise.all([
    loadEvidence(id, signal),
    doorlock.reviews.get(id, { signal }),
    doorlock.reviews.listNotes(id, { signal })
  ])
  return { ...evidence, notes, options, review }
}
