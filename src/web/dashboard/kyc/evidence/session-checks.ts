/** What doorlock knows about a session and what the answers show, in words. */

import { object } from "../../../json.ts"
import { formatCount, formatDuration, type Tone } from "../../common/parts.tsx"
import type { AnsweredStep } from "./answers.ts"
import { type SessionRead, stepsOf, titleOf } from "./session-steps.ts"

export interface Check {
  readonly tone: Tone
  readonly words: string
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
  if (verified) {
    return [{ tone: "good", words: score === null ? "Captcha passed" : `Captcha passed, score ${score}` }]
  }
  return asksForCaptcha(session) ? [{ tone: "warning", words: "Captcha not passed" }] : []
}

const duplicateCheck = ({
  assurance,
  instance_config,
  next_session_id,
  previous_session_id
}: SessionRead): Check => {
  const what = object(instance_config.dedup).strategy === "person" ? "person" : "document"
  const { matchFound, seenCount } = assurance.dedup
  if (seenCount === 0) return { tone: "neutral", words: `Not checked for other sessions of the same ${what}` }
  const others = seenCount - 1
  return matchFound
    ? {
        tone: "problem",
        words: `The same ${what} is in ${others === 1 ? "another session" : `${formatCount(others)} other sessions`}`
      }
    : {
        tone: "good",
        words:
          previous_session_id === null && next_session_id === null
            ? `No other session has the same ${what}`
            : `No other case has the same ${what}`
      }
}

const stepsCheck = (session: SessionRead): Check => {
  const { missingSteps, requiredStepsPresent } = session.assurance
  if (requiredStepsPresent) return { tone: "good", words: "All required steps were answered" }
  const titles = new Map(stepsOf(session).map((step) => [step.id, titleOf(step)]))
  const missing = missingSteps.map((id) => titles.get(id) ?? id)
  return {
    tone: "warning",
    words:
      missing.length === 0
        ? "It is not known whether steps are missing"
        : `Not answered: ${missing.join(", ")}`
  }
}

const tones: Readonly<Record<SessionRead["checks"][number]["outcome"], Tone>> = {
  agrees: "good",
  differs: "problem",
  unreadable: "warning",
  not_checked: "neutral"
}

const photoChecks = ({ checks }: SessionRead): ReadonlyArray<Check> =>
  checks.map(({ outcome, reason }) => ({ tone: tones[outcome], words: reason }))

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
  const time: Check = {
    tone: "neutral",
    words: durationMs === null ? "Not finished" : `The end user took ${formatDuration(durationMs / 1000)}`
  }
  return [
    ...concerns,
    ...photoChecks(session),
    duplicateCheck(session),
    stepsCheck(session),
    ...captchaChecks(session),
    time
  ].toSorted((left, right) => gravity[left.tone] - gravity[right.tone])
}
