/** One picture or file: taken or chosen, looked at, sent, and replaced if it is no good. */
import { useEffect, useRef, useState } from "preact/hooks"
import type { FileAnswer } from "./answers.client.ts"
import type { Failure } from "./api.client.ts"
import { Camera, type CameraTrouble, type Facing } from "./camera.client.tsx"
import { FilePicker } from "./file-picker.client.tsx"
import { useI18n } from "./i18n.client.ts"
import { flawOf, fromFile, type Picture } from "./image.client.ts"
import { type FileRefusal, refusalOf } from "./refusal.client.ts"
import { wordsFor } from "./trouble.client.tsx"
import { Alert, Button, useFlow } from "./ui.client.tsx"

type Phase =
  | { readonly kind: "idle" }
  | { readonly kind: "camera" }
  | { readonly kind: "preparing" }
  | { readonly kind: "preview"; readonly picture: Picture; readonly name: string | undefined }
  | { readonly kind: "sending"; readonly blob: Blob }
  | { readonly kind: "failed"; readonly failure: Failure; readonly again: () => void }

interface PhotoProps {
  /** Of the control that an error leads to. */
  readonly id: string
  readonly label: string
  readonly instruction: string
  readonly facing: Facing
  /** Whether files other than pictures may be chosen. */
  readonly documents?: boolean
  readonly value: FileAnswer | undefined
  readonly error?: string | undefined
  readonly onChange: (file: FileAnswer | undefined) => void
}

/** An address for a picture of this page, given back when it is no longer shown. */
const useObjectUrl = (blob: Blob | undefined): string | undefined => {
  const [url, setUrl] = useState<string>()
  useEffect(() => {
    if (blob === undefined) return setUrl(undefined)
    const made = URL.createObjectURL(blob)
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [blob])
  return url
}

export const Photo = (props: PhotoProps) => {
  const { documents = false, error, facing, id, instruction, label, onChange, value } = props
  const i18n = useI18n()
  const { t } = i18n
  const flow = useFlow()
  const { capture } = flow.session.config
  const [phase, setPhase] = useState<Phase>({ kind: "idle" })
  const [trouble, setTrouble] = useState<CameraTrouble>()
  const [refusal, setRefusal] = useState<FileRefusal>()
  const [shown, setShown] = useState<Blob>()
  const opener = useRef<HTMLDivElement>(null)
  const picture = phase.kind === "preview" ? phase.picture : undefined
  const preview = useObjectUrl(picture?.blob ?? (value === undefined ? undefined : shown))

  const send = async (blob: Blob, about: Partial<FileAnswer>) => {
    setPhase({ kind: "sending", blob })
    const stored = await flow.api.upload(blob)
    if (stored.ok) {
      setShown(blob.type.startsWith("image/") ? blob : undefined)
      setPhase({ kind: "idle" })
      return onChange({ ...about, ...stored.value, at: new Date().toISOString() })
    }
    const { failure } = stored
    if (flow.takeFailure(failure)) return
    if (failure.kind === "tooLarge" || failure.kind === "wrongType") {
      setRefusal(failure.kind === "tooLarge" ? "fileTooLarge" : "fileType")
      return setPhase({ kind: "idle" })
    }
    setPhase({ kind: "failed", failure, again: () => void send(blob, about) })
  }

  const choose = async (file: File) => {
    setTrouble(undefined)
    setRefusal(undefined)
    if (file.type === "application/pdf" && documents) {
      const refused = refusalOf(file, capture)
      return refused === undefined ? send(file, { name: file.name }) : setRefusal(refused)
    }
    setPhase({ kind: "preparing" })
    const made = await fromFile(file, capture)
    if (made !== undefined) return setPhase({ kind: "preview", picture: made, name: file.name })
    setRefusal("fileUnreadable")
    setPhase({ kind: "idle" })
  }

  const sendPicture = (made: Picture, name: string | undefined) =>
    void send(made.blob, {
      w: made.width,
      h: made.height,
      blur: made.sharpness,
      ...(name === undefined ? undefined : { name })
    })

  const startOver = () => {
    setRefusal(undefined)
    setTrouble(undefined)
    onChange(undefined)
    setPhase({ kind: "idle" })
  }

  const ways = (
    <div class="row" ref={opener}>
      {capture.camera && (trouble === undefined || trouble === "cameraDenied" || trouble === "cameraBusy") ? (
        <Button
          onClick={() => {
            setTrouble(undefined)
            setPhase({ kind: "camera" })
          }}
        >
          <span class="icon camera-icon" aria-hidden="true" />
          {trouble === undefined ? t("takePhoto") : t("retry")}
        </Button>
      ) : null}
      {capture.camera && trouble !== undefined ? (
        <FilePicker id={`${id}-capture`} accept="image/jpeg,image/png" capture={facing} onFile={choose}>
          {t("takePhoto")}
        </FilePicker>
      ) : null}
      {capture.upload || trouble !== undefined ? (
        <FilePicker
          id={id}
          accept={documents ? capture.mime.join(",") : "image/jpeg,image/png"}
          describedBy={error === undefined ? undefined : `${id}-error`}
          onFile={choose}
        >
          {t("useFile")}
        </FilePicker>
      ) : null}
      {trouble !== undefined && flow.mayHandOff ? (
        <Button onClick={flow.handOff}>{t("handoffOpen")}</Button>
      ) : null}
    </div>
  )

  return (
    <fieldset class={error === undefined ? "photo" : "photo wrong"}>
      <legend>{label}</legend>
      {phase.kind === "camera" ? (
        <Camera
          facing={facing}
          instruction={instruction}
          onPicture={(made) => setPhase({ kind: "preview", picture: made, name: undefined })}
          onTrouble={(kind) => {
            setTrouble(kind)
            setPhase({ kind: "idle" })
          }}
          onClose={() => setPhase({ kind: "idle" })}
        />
      ) : null}
      {phase.kind === "preparing" ? <p role="status">{t("processing")}</p> : null}
      {phase.kind === "preview" ? (
        <Preview
          url={preview}
          picture={phase.picture}
          onUse={() => sendPicture(phase.picture, phase.name)}
          onRetake={() => setPhase({ kind: phase.name === undefined ? "camera" : "idle" })}
        />
      ) : null}
      {phase.kind === "sending" ? (
        <p class="busy" role="status">
          <span class="spinner" aria-hidden="true" /> {t("uploading")}
        </p>
      ) : null}
      {phase.kind === "failed" ? (
        <Alert title={t("fileFailed")}>
          <p>{wordsFor(phase.failure, i18n)[1]}</p>
          <div class="row">
            <Button onClick={phase.again}>{t("retry")}</Button>
            <Button onClick={startOver}>{t("retake")}</Button>
          </div>
        </Alert>
      ) : null}
      {phase.kind === "idle" && value !== undefined ? (
        <div class="stored">
          {preview === undefined ? (
            <span class="icon tick" aria-hidden="true" />
          ) : (
            <img src={preview} alt={t("preview")} />
          )}
          <p role="status">
            <strong>{t("uploaded")}</strong> {value.name ?? ""}
          </p>
          <Button onClick={startOver}>{t("replace")}</Button>
        </div>
      ) : null}
      {phase.kind === "idle" && value === undefined ? (
        <>
          {trouble === undefined ? null : <Alert tone="warning">{t(trouble)}</Alert>}
          {refusal === undefined ? null : <Refused refusal={refusal} />}
          {trouble === undefined && refusal === undefined ? <p class="hint">{instruction}</p> : null}
          {ways}
        </>
      ) : null}
      {error === undefined ? null : (
        <p class="error" id={`${id}-error`}>
          {error}
        </p>
      )}
    </fieldset>
  )
}

const Refused = ({ refusal }: { readonly refusal: FileRefusal }) => {
  const { locale, t } = useI18n()
  const { maxBytes, mime } = useFlow().session.config.capture
  const size = new Intl.NumberFormat(locale, { style: "unit", unit: "megabyte", maximumFractionDigits: 1 })
  const types = mime.map((type) => type.replace(/^.*\//, "").toUpperCase()).join(", ")
  return <Alert>{t(refusal, { size: size.format(maxBytes / 1_048_576), types })}</Alert>
}

interface PreviewProps {
  readonly url: string | undefined
  readonly picture: Picture
  readonly onUse: () => void
  readonly onRetake: () => void
}

const Preview = ({ onRetake, onUse, picture, url }: PreviewProps) => {
  const { t } = useI18n()
  const flaw = flawOf(picture, useFlow().session.config.capture.minEdge)
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => box.current?.focus(), [])
  return (
    <div class="preview" tabIndex={-1} ref={box}>
      <img src={url} alt={t("preview")} width={picture.width} height={picture.height} />
      {flaw === undefined ? null : <Alert tone="warning">{t(flaw)}</Alert>}
      <div class="row">
        <Button look="primary" onClick={onUse}>
          {t("usePhoto")}
        </Button>
        <Button onClick={onRetake}>{t("retake")}</Button>
      </div>
    </div>
  )
}
