/** The steps of a session, and what they are called. */
import { type Json, object } from "../../../json.ts"
import { inLanguage, type LocalText } from "../../../kyc/instances/config.ts"
import { readWorkflow, type Step } from "../../../kyc/instances/workflow.ts"
import type { Answer } from "../../common/call.ts"
import { readerLocales } from "../../common/surroundings.ts"
import { labelOf } from "../../common/words.ts"

export type SessionRead = Answer<"sessions.get">["session"]

export const inWords = (value: LocalText | undefined): string | undefined =>
  inLanguage(value, ["en", ...readerLocales()])

/** A map, like those of sides and poses: an answer may have the name of something that every object inherits. */
export const documentNames: ReadonlyMap<string, string> = new Map([
  ["passport", "Passport"],
  ["id_card", "Identity card"],
  ["driving_licence", "Driving licence"],
  ["residence_permit", "Residence permit"]
])

export const titleOf = (step: Step): string => inWords(step.title) ?? labelOf(step.id)

const wholeWorkflow = ({ first_workflow, instance_workflow }: SessionRead) =>
  readWorkflow(first_workflow ?? instance_workflow)

/** All steps that a session has answers to: those of its page, and those whose answers are from the session before. Without the captcha. */
export const stepsOf = (session: SessionRead): ReadonlyArray<Step> => wholeWorkflow(session).steps

/** Whether the server found a whole answer to a step at completion. It asks for none where the step is optional or a rule may skip it. */
export const isAnswered = (session: SessionRead, { id, optional }: Step): boolean =>
  session.status === "completed" &&
  !optional &&
  !wholeWorkflow(session).rules.some(({ then: { skip } }) => skip?.includes(id)) &&
  !session.assurance.missingSteps.includes(id)

/** Of a session that asks for some steps again: whether it asked for a step. Undefined of all other sessions. */
export type Origin = "carried" | "again" | undefined

export const originOf = ({ first_workflow, instance_workflow }: SessionRead, { id }: Step): Origin => {
  if (first_workflow === null) return undefined
  return readWorkflow(instance_workflow).steps.some((step) => step.id === id) ? "again" : "carried"
}

export const answerTo = ({ progress }: SessionRead, { id }: Step): Json => object(progress?.[`s_${id}`])

/** The titles of a session's steps, by their ids. */
export const titlesOf = (session: SessionRead): ReadonlyMap<string, string> =>
  new Map(stepsOf(session).map((step) => [step.id, titleOf(step)]))
