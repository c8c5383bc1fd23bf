/** One picture or file: taken or chosen, reviewed, uploaded, and replaced if it is not good enough. */
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks"
import { Alert, Button } from "../../ui/parts.tsx"
import { HandoffButton, mayOfferPhone } from "../handoffs/offer.tsx"
import { useI18n } from "../i18n/i18n.ts"
import type { Reading } from "../reading/use-reading.ts"
import type { Failure } from "../request.ts"
import { ControlError, useFlow, Waiting } from "../screens/parts.tsx"
import type { FileAnswer } from "../sessions/answers.ts"
import { Camera, type Guide, type Shot } from "./camera.tsx"
import { FilePicker } from "./file-picker.tsx"
import { type Picture, pictureFrom } from "./image.ts"
import { useObjectUrl } from "./object-url.ts"
import { type FileRejection, NotSent, Preview, Rejected, rejections } from "./photo-notices.tsx"
import type { CameraFailure, Facing } from "./stream.ts"

type Phase =
  | { readonly kind: "idle" }
  | { readonly kind: "preparing" }
  /** A file was chosen. The camera shows its pictures itself. */
  | { readonly kind: "preview"; readonly picture: Picture; readonly name: string }
  | { readonly kind: "sending" }
  /** `busy`: it is being sent again. */
  | { readonly kind: "failed"; readonly failure: Failure; readonly busy: boolean; readonly again: () => void }

interface PhotoProps {
  /** Errors link to this id. */
  readonly id: string
  readonly label: string
  readonly instruction: string
  readonly facing: Facing
  readonly guide: Guide
  /** What the camera takes after this, without closing. */
  readonly more?: ReadonlyArray<Shot>
  /** A picture of `more`. */
  readonly onMore?: (key: string, picture: Picture) => void
  /** This picture, taken by a camera that another photo opened. */
  readonly taken?: Picture | undefined
  /** Reads the document that the photo shows. */
  readonly reading?: Reading | undefined
  /** Whether files other than pictures are allowed. */
  readonly documents?: boolean
  readonly value: FileAnswer | undefined
  readonly error?: string | undefined
  /** A picture was taken or chosen, and is on its way. */
  readonly onSend?: () => void
  readonly onChange: (file: FileAnswer) => void
  /** Removes the file, if it is optional. */
  readonly onRemove?: () => void
}

/** A box that takes the focus when its focused element disappears. */
const useFocusKept = (...changes: ReadonlyArray<unknown>) => {
  const box = useRef<HTMLFieldSetElement>(null)
  // Checked before the change, which loses the focus.
  const had = box.current?.contains(document.activeElement) === true
  useLayoutEffect(() => {
    if (had && document.activeElement === document.body) box.current?.focus({ preventScroll: true })
  }, changes)
  return box
}

/** Not `image/*`: for these types iOS converts a HEIC to a JPEG. */
const pictures = "image/jpeg,image/png"
const pdf = "application/pdf"

export const Photo = (props: PhotoProps) => {
  const { documents = false, error, facing, guide, id, instruction, label, onChange, onRemove, value } = props
  const { more = [], onMore, onSend, reading, taken } = props
  const i18n = useI18n()
  const { t } = i18n
  const flow = useFlow()
  const { capture } = flow.session.config
  const [phase, setPhase] = useState<Phase>({ kind: "idle" })
  /** What the open camera is to take; undefined while it is closed. */
  const [shots, setShots] = useState<ReadonlyArray<Shot>>()
  const [cameraFailure, setCameraFailure] = useState<CameraFailure>()
  const [rejection, setRejection] = useState<FileRejection>()
  /** The old file stays until the new one is uploaded. */
  const [replacing, setReplacing] = useState(false)
  const picture = phase.kind === "preview" ? phase.picture : undefined
  const sent = value === undefined ? undefined : flow.picture(value.id)
  const small = value === undefined || picture !== undefined ? undefined : flow.thumbnail(value.id)
  const preview = useObjectUrl(picture?.blob ?? sent) ?? small
  const box = useFocusKept(phase.kind, replacing, shots)

  const send = async (blob: Blob, about: Partial<FileAnswer>) => {
    setPhase((before) => (before.kind === "failed" ? { ...before, busy: true } : { kind: "sending" }))
    const stored = await flow.upload(blob)
    if (stored.ok) {
      setReplacing(false)
      setPhase({ kind: "idle" })
      reading?.sent(stored.value.id)
      return onChange({ ...about, ...stored.value, at: new Date().toISOString() })
    }
    const { failure } = stored
    if (flow.takeFailure(failure)) return
    const rejected = rejections[failure.kind]
    if (rejected !== undefined) {
      setRejection(rejected)
      return setPhase({ kind: "idle" })
    }
    setPhase({ kind: "failed", failure, busy: false, again: () => void send(blob, about) })
  }

  const choose = async (file: File) => {
    setCameraFailure(undefined)
    setRejection(undefined)
    if (file.type === pdf && documents) {
      if (!capture.mime.includes(pdf)) return setRejection("fileType")
      if (file.size > capture.maxBytes) return setRejection("fileTooLarge")
      return send(file, { name: file.name })
    }
    setPhase({ kind: "preparing" })
    const made = await pictureFrom(file, capture)
    if (made !== undefined) return setPhase({ kind: "preview", picture: made, name: file.name })
    setRejection("fileUnreadable")
    setPhase({ kind: "idle" })
  }

  const sendPicture = ({ blob, height, sharpness, width }: Picture, name: string | undefined) => {
    onSend?.()
    reading?.look(blob)
    void send(blob, { w: width, h: height, blur: sharpness, name })
  }

  useEffect(() => {
    if (taken !== undefined) sendPicture(taken, undefined)
  }, [taken])

  const startOver = (replace: boolean) => {
    setRejection(undefined)
    setCameraFailure(undefined)
    setReplacing(replace)
    setPhase({ kind: "idle" })
  }

  const ways = (
    <div class="row">
      {capture.camera && cameraFailure !== "cameraAbsent" && cameraFailure !== "cameraInsecure" ? (
        <Button
          onClick={() => {
            setCameraFailure(undefined)
            setShots([{ key: id, instruction, reading }, ...more])
          }}
        >
          <span class="icon camera-icon" aria-hidden="true" />
          {cameraFailure === undefined ? t("takePhoto") : t("retry")}
        </Button>
      ) : null}
      {/* Opens a phone's own camera app, for which the page needs no permission. */}
      {capture.camera && cameraFailure !== undefined ? (
        <FilePicker id={`${id}-capture`} accept={pictures} capture={facing} onFile={choose}>
          {t("takePhoto")}
        </FilePicker>
      ) : null}
      {capture.upload || cameraFailure !== undefined ? (
        <FilePicker
          id={`${id}-file`}
          accept={documents && capture.mime.includes(pdf) ? `${pictures},${pdf}` : pictures}
          aria-describedby={error === undefined ? undefined : `${id}-error`}
          onFile={choose}
        >
          {t("useFile")}
        </FilePicker>
      ) : null}
      {replacing ? <Button onClick={() => startOver(false)}>{t("keepSent")}</Button> : null}
      {cameraFailure !== undefined && mayOfferPhone(flow) ? (
        <HandoffButton>{t("handoffOpen")}</HandoffButton>
      ) : null}
    </div>
  )

  return (
    <fieldset class={error === undefined ? "photo" : "photo wrong"} id={id} tabIndex={-1} ref={box}>
      <legend>{label}</legend>
      {shots === undefined ? null : (
        <Camera
          facing={facing}
          guide={guide}
          shots={shots}
          onPicture={(key, made) => {
            if (key === id) sendPicture(made, undefined)
            else onMore?.(key, made)
          }}
          onFailure={(kind) => {
            setCameraFailure(kind)
            setShots(undefined)
          }}
          onClose={() => setShots(undefined)}
        />
      )}
      {phase.kind === "preparing" ? <p role="status">{t("processing")}</p> : null}
      {phase.kind === "preview" ? (
        <Preview
          url={preview}
          picture={phase.picture}
          onUse={() => sendPicture(phase.picture, phase.name)}
          onRetake={() => setPhase({ kind: "idle" })}
        />
      ) : null}
      {phase.kind === "sending" ? <Waiting>{t("uploading")}</Waiting> : null}
      {phase.kind === "failed" ? (
        <NotSent
          failure={phase.failure}
          busy={phase.busy}
          onRetry={phase.again}
          onOther={() => startOver(value !== undefined)}
        />
      ) : null}
      {phase.kind === "idle" && value !== undefined && !replacing ? (
        <div class="stored">
          {preview === undefined ? (
            <span class="icon tick" aria-hidden="true" />
          ) : (
            <img src={preview} alt={t("preview")} />
          )}
          <p role="status">
            <strong>{t("uploaded")}</strong> {value.name ?? ""}
          </p>
          <div class="row">
            <Button onClick={() => startOver(true)}>{t("replace")}</Button>
            {onRemove === undefined ? null : <Button onClick={onRemove}>{t("remove")}</Button>}
          </div>
        </div>
      ) : null}
      {phase.kind === "idle" && (value === undefined || replacing) ? (
        <>
          {cameraFailure === undefined ? null : <Alert tone="warning">{t(cameraFailure)}</Alert>}
          {rejection === undefined ? null : <Rejected rejection={rejection} />}
          {cameraFailure === undefined && rejection === undefined ? <p class="hint">{instruction}</p> : null}
          {ways}
        </>
      ) : null}
      <ControlError id={id} error={error} />
    </fieldset>
  )
}
