import { useState } from "preact/hooks"
import { oneOf, text, texts } from "../../json.ts"
import { Button } from "../../ui/parts.tsx"
import type { Picture } from "../files/image.ts"
import { Photo } from "../files/photo.tsx"
import { HandoffOffer } from "../handoffs/offer.tsx"
import { useI18n } from "../i18n/i18n.ts"
import { useErrors, useFlow } from "../screens/parts.tsx"
import { type FileAnswer, type Prompt, prompts, readFiles } from "../sessions/answers.ts"
import { hex } from "../sha256.ts"
import { Shell, type StepProps } from "./step-layout.tsx"

const randomBelow = (limit: number): number => (crypto.getRandomValues(new Uint32Array(1))[0] ?? 0) % limit

const choosePrompts = (count: number): ReadonlyArray<Prompt> => {
  const [straight, ...turns] = prompts
  const chosen: Array<Prompt> = [straight]
  while (chosen.length <= count && turns.length > 0)
    chosen.push(...turns.splice(randomBelow(turns.length), 1))
  return chosen
}

/** Random poses, so that photos from elsewhere seldom fit. They do not show that a person is present: a picture or a film of one can be held up. */
export const Selfie = ({ draft, state, step }: StepProps<"selfie">) => {
  const { t } = useI18n()
  const flow = useFlow()
  const files = readFiles(draft.files)
  const [nonce] = useState(() => text(draft.nonce) ?? hex(crypto.getRandomValues(new Uint8Array(16))))
  const [asked] = useState(() => {
    const before = texts(draft.asked ?? files.map(({ prompt }) => prompt)).flatMap(
      (prompt) => oneOf(prompt, prompts) ?? []
    )
    return before.length === step.prompts + 1 ? before : choosePrompts(step.prompts)
  })
  const { errors, find, clearError, review } = useErrors()

  /** By the one camera that takes them all. */
  const [taken, setTaken] = useState<Readonly<Partial<Record<string, Picture>>>>({})

  const controlId = (prompt: Prompt) => `${step.id}-${prompt}`
  const shotOf = (prompt: Prompt) => ({ key: controlId(prompt), instruction: t(`prompt.${prompt}`) })
  const fileOf = (prompt: Prompt) => files.find((file) => file.prompt === prompt)
  const change = (prompt: Prompt, file: FileAnswer) => {
    clearError(controlId(prompt))
    flow.edit(step, (before) => {
      const others = readFiles(before.files).filter((other) => other.prompt !== prompt)
      return { nonce, asked, files: [...others, { ...file, prompt }] }
    })
  }

  const missing = asked.filter(
    (prompt) => fileOf(prompt) === undefined && taken[controlId(prompt)] === undefined
  )

  const submit = () => {
    const absent = asked.filter((prompt) => fileOf(prompt) === undefined)
    find(
      new Map(absent.map((prompt) => [controlId(prompt), t("photoMissing", { side: t(`prompt.${prompt}`) })]))
    )
    if (absent.length === 0)
      void flow.submit(step, { nonce, files: asked.flatMap((prompt) => fileOf(prompt) ?? []) })
  }

  return (
    <Shell
      intro={t("selfieIntro")}
      review={review}
      onSubmit={submit}
      after={
        step.skipIfNoCamera && !step.optional && files.length === 0 && state.uploads === 0 ? (
          <Button busy={state.saving} onClick={() => flow.submit(step, { skipped: true })}>
            {t("noCameraSkip")}
          </Button>
        ) : null
      }
    >
      <HandoffOffer />
      {asked.map((prompt, index) => (
        <Photo
          key={prompt}
          id={controlId(prompt)}
          label={t("photoOf", { number: index + 1, total: asked.length })}
          instruction={t(`prompt.${prompt}`)}
          facing="user"
          guide="face"
          more={fileOf(prompt) === undefined ? missing.filter((other) => other !== prompt).map(shotOf) : []}
          onMore={(key, picture) => setTaken((before) => ({ ...before, [key]: picture }))}
          taken={taken[controlId(prompt)]}
          value={fileOf(prompt)}
          error={errors.get(controlId(prompt))}
          onChange={(file) => change(prompt, file)}
        />
      ))}
    </Shell>
  )
}
