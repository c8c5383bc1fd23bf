import { useLayoutEffect, useState } from "preact/hooks"
import { Photo } from "../files/photo.tsx"
import { HandoffOffer } from "../handoffs/offer.tsx"
import { useI18n } from "../i18n/i18n.ts"
import { useErrors, useFlow } from "../screens/parts.tsx"
import { type FileAnswer, readFiles } from "../sessions/answers.ts"
import { Shell, type StepProps } from "./step-layout.tsx"

export const Upload = ({ draft, step }: StepProps<"upload">) => {
  const { t } = useI18n()
  const flow = useFlow()
  const files = readFiles(draft.files)
  const { errors, find, clearError, review } = useErrors()
  const idAt = (index: number) => `${step.id}-${index}`
  const firstId = idAt(0)
  /** The place whose file was changed: another box is there now, and takes the focus that the one before it had. */
  const [changed, setChanged] = useState<{ readonly at: number }>()
  useLayoutEffect(() => {
    if (changed === undefined || document.activeElement !== document.body) return
    document.getElementById(idAt(changed.at))?.focus({ preventScroll: true })
  }, [changed])

  /** Replaces a file, adds one at the end, or removes one. */
  const change = (place: number, file: FileAnswer | undefined) => {
    const old = files[place]
    clearError(firstId)
    setChanged({ at: place })
    flow.edit(step, (before) => {
      const present = readFiles(before.files)
      const at = present.findIndex(({ id }) => id === old?.id)
      const put = file === undefined ? [] : [file]
      return {
        files: at === -1 ? [...present, ...put] : [...present.slice(0, at), ...put, ...present.slice(at + 1)]
      }
    })
  }

  const submit = () => {
    find(files.length === 0 ? new Map([[firstId, t("uploadMissing")]]) : new Map())
    if (files.length > 0) void flow.submit(step, { files })
  }

  const places = Math.min(step.maxFiles, files.length + 1)
  return (
    <Shell intro={t("uploadIntro", { max: step.maxFiles })} review={review} onSubmit={submit}>
      <HandoffOffer />
      {Array.from({ length: places }, (_, index) => {
        const id = idAt(index)
        return (
          <Photo
            key={files[index]?.id ?? id}
            id={id}
            label={t("uploadAdd")}
            instruction={t("photoHint")}
            facing="environment"
            guide="page"
            documents
            value={files[index]}
            error={errors.get(id)}
            onChange={(file) => change(index, file)}
            onRemove={() => change(index, undefined)}
          />
        )
      })}
    </Shell>
  )
}
