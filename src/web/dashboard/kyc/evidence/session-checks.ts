/** What doorlock knows about a session and what the answers show, in words. */

import { type Json, object } from "../../../json.ts"
import { formatCount, formatDuration, type Tone } from "../../common/parts.tsx"
import type { AnsweredStep } from "./answers.ts"
import { type SessionRead, stepsOf, titleOf } from "./session-steps.ts"

export interface Check {
  readonly tone: Tone
  readonly words: string
  /** The same in few words, where there is little room; without it, the words are shown. */
  readonly brief?: Brief
}

interface Brief {
  /** What is said if nothing was found. */
  readonly passed: string
  /** What is said not to be checked; without it, there was nothing to check. */
  readonly subject?: string
}

/** The captcha counts if the page asks for it; by default it does, where the workflow has such a step. */
const asksForCaptcha = ({ instance_config, instance_workflow }: SessionRead): boolean => {
  const { required } = object(instance_config.captcha)
  const { steps } = instance_workflow
  const hasStep = !Array.isArray(steps) || steps.some((step) => object(step).type === "captcha")
  return typeof required === "boolean" ? required : hasStep
}

/** None if the page did not ask for a captcha. */
const captchaChecks = (session: SessionRead): ReadonlyArray<Check> => {
  const { score, verified } = session.assurance.captcha
  const brief = { passed: "Captcha passed", subject: "captcha" }
  if (verified) {
    const words = score === null ? "Captcha passed" : `Captcha passed, score ${score}`
    return [{ tone: "good", words, brief }]
  }
  return asksForCaptcha(session) ? [{ tone: "warning", words: "Captcha not passed", brief }] : []
}

const duplicateCheck = ({
  assurance,
  instance_config,
  next_session_id,
  previous_session_id
}: SessionRead): Check => {
  const what = object(instance_config.dedup).strategy === "person" ? "person" : "document"
  const { earlierCompleted, matchFound, seenCount } = assurance.dedup
  const isOneCase = previous_session_id === null && next_session_id === null
  const name = what === "person" ? "Person" : "Document"
  const brief = {
    passed: isOneCase ? `${name} not seen before` : `${name} not in another case`,
    subject: `whether the ${what} was seen before`
  }
  if (seenCount === 0) {
    return { tone: "neutral", words: `Not compared with other sessions for the same ${what}`, brief }
  }
  const others = seenCount - 1
  return matchFound
    ? {
        tone: "problem",
        words: `The same ${what} is in ${others === 1 ? "another session" : `${formatCount(others)} other sessions`}, and ${
          earlierCompleted ? "an" : "no"
        } earlier one was completed`,
        brief
      }
    : {
        tone: "good",
        words: `No other ${isOneCase ? "session" : "case"} has the same ${what}`,
        brief
      }
}

const stepsCheck = (session: SessionRead): Check => {
  const { missingSteps, requiredStepsPresent } = session.assurance
  const brief = { passed: "All required steps", subject: "required steps" }
  if (requiredStepsPresent) return { tone: "good", words: "All required steps were answered", brief }
  const titles = new Map(stepsOf(session).map((step) => [step.id, titleOf(step)]))
  const missing = missingSteps.map((id) => titles.get(id) ?? id)
  return {
    tone: "warning",
    words:
      missing.length === 0
        ? "It is not known whether steps are missing"
        : `Not answered in full: ${missing.join(", ")}`,
    brief
  }
}

/** Codes that are not the workflow's own. */
const ruleWords: Readonly<Record<string, string>> = {
  AGE_TOO_LOW: "Younger than a form asks for",
  AGE_TOO_HIGH: "A date is longer ago than a form allows",
  ANSWER_INVALID: "An answer that the page would have refused",
  ANSWERS_DIFFER: "The result has other values than the answers",
  COUNTRY_NOT_ALLOWED: "A country that was not offered",
  DOCUMENT_EXPIRED: "The document had expired",
  DOCUMENT_NOT_ALLOWED: "A type of document that was not offered",
  DUPLICATE_NOT_CHECKED: "Completed without the comparison with earlier sessions",
  DUPLICATE_IDENTITY: "Completed although the config ends sessions that match an earlier one"
}

/** The page stops at these: whoever got past them did not use it as it is. */
const ruleChecks = ({ failed_rules }: SessionRead): ReadonlyArray<Check> =>
  [...new Set(failed_rules)].map((code) => ({
    tone: "problem",
    words: ruleWords[code] ?? `The answers break a rule of the workflow: ${code}`
  }))

const tones: Readonly<Record<SessionRead["checks"][number]["outcome"], Tone>> = {
  agrees: "good",
  differs: "problem",
  unreadable: "warning",
  not_checked: "neutral"
}

/** What the checks of photos say in few words, by their kind. New kinds may be added. */
const briefs: Readonly<Record<string, Brief>> = {
  "document.mrz": { passed: "Zone read", subject: "machine-readable zone" },
  "document.mrz_matches": { passed: "Answers match the zone", subject: "answers against the zone" },
  "document.barcode": { passed: "Answers match the barcode", subject: "barcode" },
  "document.expiry": { passed: "Not expired", subject: "expiry" },
  "person.age": { passed: "Old enough", subject: "age" },
  "selfie.faces": { passed: "One face in each selfie", subject: "faces" },
  "selfie.similarity": { passed: "Similarity above the threshold", subject: "similarity of faces" },
  "photo.quality": { passed: "Photos sharp and evenly lit", subject: "some photos" },
  "photo.duplicate": { passed: "No same photo found", subject: "photos seen before" },
  "session.signals": { passed: "Nothing unusual in how it was answered", subject: "how it was answered" }
}

/** What was typed says less than what was read. */
const passedBy = ({ passed, ...brief }: Brief, { source }: Json): Brief => ({
  ...brief,
  passed: source === "typed" ? `${passed}, as typed` : passed
})

/** Several photos may have the same result. */
const photoChecks = ({ checks }: SessionRead): ReadonlyArray<Check> =>
  [...Map.groupBy(checks, ({ outcome, reason }) => `${outcome} ${reason}`).values()].flatMap((alike) =>
    alike.slice(0, 1).map(({ detail, kind, outcome, reason }) => {
      const { [kind]: brief } = briefs
      const words = alike.length === 1 ? reason : `${reason} (${formatCount(alike.length)} times)`
      return {
        tone: tones[outcome],
        words,
        ...(brief === undefined ? {} : { brief: passedBy(brief, object(detail)) })
      }
    })
  )

/** A decision without a photo is made without what the photo shows. */
export const missingCheck = (photos: ReadonlyArray<string>): ReadonlyArray<Check> =>
  photos.length === 0 ? [] : [{ tone: "problem", words: `Could not be loaded: ${photos.join(", ")}` }]

const gravity: Readonly<Record<Tone, number>> = { problem: 0, warning: 1, info: 2, good: 2, neutral: 3 }

/** The most serious first. */
export const checksOf = (session: SessionRead, steps: ReadonlyArray<AnsweredStep>): ReadonlyArray<Check> => {
  const { durationMs } = session.assurance
  const concerns = steps.flatMap(({ rows }) =>
    rows.flatMap(
      ({ concern }): ReadonlyArray<Check> =>
        concern === undefined ? [] : [{ tone: "problem", words: concern }]
    )
  )
  const took = durationMs === null ? undefined : formatDuration(durationMs / 1000)
  const time: Check = {
    tone: "neutral",
    words: took === undefined ? "Not finished" : `The end user took ${took}`,
    ...(took === undefined ? {} : { brief: { passed: `Took ${took}` } })
  }
  const said = new Set(concerns.map(({ words }) => words))
  return [
    ...concerns,
    ...ruleChecks(session).filter(({ words }) => !said.has(words)),
    ...photoChecks(session),
    duplicateCheck(session),
    stepsCheck(session),
    ...captchaChecks(session),
    time
  ].toSorted((left, right) => gravity[left.tone] - gravity[right.tone])
}

const isConcern = ({ tone }: Check) => tone === "problem" || tone === "warning"

/** What a reader must see in words, and all else in few words. */
export const summaryOf = (checks: ReadonlyArray<Check>) => {
  const concerns = new Set(checks.filter(isConcern).map(({ brief }) => brief?.subject))
  const inFew = new Map<string, Tone>()
  const notChecked = new Set<string>()
  for (const check of checks) {
    const { brief, tone } = check
    if (brief === undefined || isConcern(check)) continue
    if (tone === "neutral" && brief.subject !== undefined) notChecked.add(brief.subject)
    // Of several photos, one may have a concern.
    else if (brief.subject === undefined || !concerns.has(brief.subject)) inFew.set(brief.passed, tone)
  }
  return {
    inWords: checks.filter((check) => check.brief === undefined || isConcern(check)),
    inFew: [...inFew].map(([words, tone]): Check => ({ words, tone })),
    notChecked: [...notChecked]
  }
}
