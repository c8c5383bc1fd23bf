import { useState } from "preact/hooks"
import { type FileAnswer, readFiles } from "../answers.client.ts"
import { HandoffOffer } from "../handoff/offer.client.tsx"
import { useI18n } from "../i18n.client.ts"
import { Photo } from "../photo.client.tsx"
import { type Errors, useFlow } from "../ui.client.tsx"
import type { UploadStep } from "../workflow.client.ts"
import { Shell, type StepProps } from "./shell.client.tsx"

/** Further files, such as a proof of address. */
export const Upload = ({ draft, state, step }: StepProps<UploadStep>) => {
  const { t } = useI18n()
  const flow = useFlow()
  const [files, setFiles] = useState<ReadonlyArray<FileAnswer>>(() => readFiles(draft.files))
  const [errors, setErrors] = useState<Errors>(new Map())
  const firstId = `${step.id}-0`

  const change = (index: number, file: FileAnswer | undefined) => {
    const next =
      file === undefined ? files.filter((_, other) => other !== index) : [...files.slice(0, index), file]
    setFiles(next)
    flow.drafts.set(step.id, { files: next })
  }

  const submit = () => {
    setErrors(files.length === 0 ? new Map([[firstId, t("uploadMissing")]]) : new Map())
    if (files.length > 0) void flow.submit(step, { files })
  }

  const places = Math.min(step.maxFiles, files.length + 1)
  return (
    <Shell
      step={step}
      state={state}
      title={t("uploadTitle")}
      intro={t("uploadIntro", { max: step.maxFiles })}
      errors={errors}
      action={t("continue")}
      onSubmit={submit}
    >
      <HandoffOffer />
      {Array.from({ length: places }, (_, index) => {
        const id = `${step.id}-${index}`
        return (
          <Photo
            key={files[index]?.id ?? id}
            id={id}
            label={t("uploadAdd")}
            instruction={t("photoHint")}
            facing="environment"
            documents
            value={files[index]}
            error={errors.get(id)}
            onChange={(file) => change(index, file)}
          />
        )
      })}
    </Shell>
  )
}
