/** The camera, across the whole screen: one or several pictures without closing it. */
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks"
import { Alert, Button } from "../../ui/parts.tsx"
import { useHints } from "../hints/use-hints.ts"
import { useI18n } from "../i18n/i18n.ts"
import type { Reading } from "../reading/use-reading.ts"
import { useFlow } from "../screens/parts.tsx"
import { type Flaw, flawOf, type Picture, pictureFrom } from "./image.ts"
import { useObjectUrl } from "./object-url.ts"
import { type CameraFailure, type Facing, setLight } from "./stream.ts"
import { useCamera, useFullScreen } from "./use-camera.ts"

/** The outline that the document or the face should fill. */
export type Guide = "card" | "page" | "face"

export interface Shot {
  readonly key: string
  readonly instruction: string
  /** Reads what this picture is to show. */
  readonly reading?: Reading | undefined
}

interface CameraProps {
  readonly facing: Facing
  readonly guide: Guide
  /** What to take, in this order. */
  readonly shots: ReadonlyArray<Shot>
  /** Called with each picture that the end user keeps. */
  readonly onPicture: (key: string, picture: Picture) => void
  readonly onFailure: (report: CameraFailure) => void
  /** The end user closed the camera, or all pictures are taken. */
  readonly onClose: () => void
}

const outlines = {
  card: "guide",
  page: "guide guide-page",
  face: "guide guide-face"
} as const satisfies Record<Guide, string>

export const Camera = (props: CameraProps) => {
  const { facing: wanted, guide, onClose, onFailure, onPicture, shots } = props
  const { t } = useI18n()
  const { capture } = useFlow().session.config
  const [facing, setFacing] = useState(wanted)
  // In the middle of a series, a flaw that another attempt would not mend is no reason to stop.
  const [alone] = useState(shots.length === 1)
  const [at, setAt] = useState(0)
  const [shooting, setShooting] = useState(false)
  const [lit, setLit] = useState(false)
  const [taken, setTaken] = useState<{ readonly picture: Picture; readonly flaw: Flaw | undefined }>()
  const lost = useRef<CameraFailure>(undefined)
  const { opened, video } = useCamera(facing, (kind) => {
    // A picture that was taken before is still good.
    if (taken === undefined) onFailure(kind)
    else lost.current = kind
  })
  const dialog = useFullScreen()
  const url = useObjectUrl(taken?.picture.blob)
  const review = useRef<HTMLDivElement>(null)
  const outline = useRef<HTMLSpanElement>(null)
  const shot = shots[at]
  const reading = shot?.reading
  const stream = opened?.stream
  const ready = stream !== undefined

  useLayoutEffect(() => {
    if (taken === undefined) dialog.current?.focus({ preventScroll: true })
    else review.current?.focus({ preventScroll: true })
  }, [taken])

  const looking = ready && taken === undefined && !shooting
  useEffect(() => {
    if (!looking || video.current === null || outline.current === null) return
    return reading?.watch(video.current, outline.current)
  }, [looking, reading, shot?.key])

  const hint = useHints({
    video,
    outline,
    subject: guide === "face" ? "face" : "document",
    shot: looking ? shot?.key : undefined,
    afterMoving: at > 0,
    isReading: () => reading !== undefined && !reading.isDone(),
    onGood: () => void shoot(true)
  })

  if (shot === undefined) return null

  const keep = (picture: Picture) => {
    setTaken(undefined)
    onPicture(shot.key, picture)
    if (at + 1 === shots.length) onClose()
    else if (lost.current !== undefined) onFailure(lost.current)
    else setAt(at + 1)
  }

  /** A picture that the camera takes by itself is kept, unless something is wrong with it. */
  const shoot = async (byItself = false) => {
    if (video.current === null) return
    setShooting(true)
    const picture = await pictureFrom(video.current, capture)
    setShooting(false)
    if (picture === undefined) return
    const flaw = flawOf(picture, alone ? capture.minEdge : 0)
    if ((alone && !byItself) || flaw !== undefined) setTaken({ picture, flaw })
    else keep(picture)
  }

  const again = () => {
    if (lost.current !== undefined) return onFailure(lost.current)
    setTaken(undefined)
  }

  const light = async () => {
    if (stream !== undefined && (await setLight(stream, !lit))) setLit(!lit)
  }

  const turn = () => {
    setLit(false)
    setFacing(facing === "user" ? "environment" : "user")
  }

  return (
    <dialog
      class={`camera ${facing}`}
      ref={dialog}
      tabIndex={-1}
      aria-label={shot.instruction}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
    >
      <div class="camera-words">
        {alone ? null : <p class="camera-count">{t("photoOf", { number: at + 1, total: shots.length })}</p>}
        <p class="instruction">{shot.instruction}</p>
        <p class="camera-hint" role="status">
          {taken !== undefined ? "" : ready ? hint && t(hint) : t("cameraStarting")}
        </p>
        <p class="visually-hidden" role="status">
          {ready && taken === undefined ? `${t("cameraReady")} ${shot.instruction}` : ""}
        </p>
      </div>
      <div class="viewer">
        <video ref={video} muted playsInline aria-label={shot.instruction} />
        {taken === undefined ? <span class={outlines[guide]} aria-hidden="true" ref={outline} /> : null}
        {taken === undefined ? null : (
          <div class="preview" tabIndex={-1} ref={review}>
            <img src={url} alt={t("preview")} width={taken.picture.width} height={taken.picture.height} />
          </div>
        )}
      </div>
      {taken === undefined ? (
        <div class="camera-tools">
          <button
            type="button"
            class="shutter"
            aria-disabled={!ready || shooting}
            onClick={() => {
              if (ready && !shooting) void shoot()
            }}
          >
            <span class="visually-hidden">{t("shutter")}</span>
          </button>
          {opened?.light === true ? (
            <button type="button" class="tool light" aria-pressed={lit} onClick={light}>
              {t("light")}
            </button>
          ) : null}
          {opened?.several === true ? (
            <button type="button" class="tool turn" onClick={turn}>
              {t("switchCamera")}
            </button>
          ) : null}
          <button type="button" class="tool close" onClick={onClose}>
            {t("closeCamera")}
          </button>
        </div>
      ) : (
        <div class="camera-review">
          {taken.flaw === undefined ? null : <Alert tone="warning">{t(taken.flaw)}</Alert>}
          <div class="row">
            <Button look="primary" onClick={() => keep(taken.picture)}>
              {t("usePhoto")}
            </Button>
            <Button onClick={again}>{t("retake")}</Button>
          </div>
        </div>
      )}
    </dialog>
  )
}
