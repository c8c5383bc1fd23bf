/** The camera, with a button to take a picture. */
import { useEffect, useRef, useState } from "preact/hooks"
import { Button } from "../../ui/parts.tsx"
import { useInSight } from "../embedding/embedder.ts"
import { useI18n } from "../i18n/i18n.ts"
import { useFlow } from "../screens/parts.tsx"
import { type Picture, pictureFrom } from "./image.ts"

export type CameraFailure =
  | "cameraDenied"
  | "cameraBusy"
  | "cameraStopped"
  | "cameraAbsent"
  | "cameraInsecure"
export type Facing = "environment" | "user"

const failureOf = (error: unknown): CameraFailure => {
  const name = error instanceof Error ? error.name : ""
  if (name === "NotAllowedError" || name === "SecurityError") return "cameraDenied"
  return name === "NotReadableError" || name === "AbortError" ? "cameraBusy" : "cameraAbsent"
}

const stop = (stream: MediaStream) => {
  for (const track of stream.getTracks()) track.stop()
}

const open = async (facing: Facing): Promise<MediaStream> => {
  const wished = { facingMode: { ideal: facing }, width: { ideal: 1920 }, height: { ideal: 1080 } }
  try {
    return await navigator.mediaDevices.getUserMedia({ video: wished, audio: false })
  } catch (error) {
    // Some drivers reject even preferences.
    if (error instanceof Error && error.name === "OverconstrainedError") {
      return navigator.mediaDevices.getUserMedia({ video: true, audio: false })
    }
    throw error
  }
}

interface CameraProps {
  readonly facing: Facing
  readonly instruction: string
  readonly onPicture: (picture: Picture) => void
  readonly onFailure: (report: CameraFailure) => void
  readonly onClose: () => void
}

export const Camera = ({ facing, instruction, onClose, onPicture, onFailure }: CameraProps) => {
  const { t } = useI18n()
  const flow = useFlow()
  const box = useRef<HTMLDivElement>(null)
  useInSight(box)
  const video = useRef<HTMLVideoElement>(null)
  const [ready, setReady] = useState(false)
  const [shooting, setShooting] = useState(false)

  // The camera opens only once, but the callbacks may change.
  const report = useRef(onFailure)
  report.current = onFailure
  useEffect(() => {
    let stream: MediaStream | undefined
    let unmounted = false
    const fail = (kind: CameraFailure) => {
      if (unmounted) return
      flow.noteCamera(kind === "cameraDenied" ? "denied" : "unavailable")
      report.current(kind)
    }
    const start = async () => {
      // An insecure page has no `mediaDevices`, whatever the types say.
      if (!isSecureContext) return fail("cameraInsecure")
      try {
        stream = await open(facing)
        if (unmounted || video.current === null) return stop(stream)
        flow.noteCamera("granted")
        // Unplugged, or taken by the system: the last picture would freeze.
        for (const track of stream.getTracks()) track.onended = () => fail("cameraStopped")
        video.current.srcObject = stream
        await video.current.play()
      } catch (error) {
        if (stream !== undefined) stop(stream)
        fail(failureOf(error))
      }
    }
    void start()
    return () => {
      unmounted = true
      // A phone allows only one use at a time, and the next step opens the camera again.
      if (stream !== undefined) stop(stream)
    }
  }, [facing, flow])

  const shoot = async () => {
    if (video.current === null) return
    setShooting(true)
    const picture = await pictureFrom(video.current, flow.session.config.capture)
    setShooting(false)
    if (picture !== undefined) onPicture(picture)
  }

  return (
    <div class="shot" ref={box}>
      <p class="instruction">{instruction}</p>
      <div class={`viewer ${facing}`}>
        <video ref={video} muted playsInline aria-label={instruction} onPlaying={() => setReady(true)} />
        <span class="frame" aria-hidden="true" />
      </div>
      <p class="visually-hidden" role="status">
        {ready ? t("cameraReady") : t("cameraStarting")}
      </p>
      <div class="row">
        <Button look="primary" busy={!ready || shooting} onClick={shoot}>
          {t("shutter")}
        </Button>
        <Button onClick={onClose}>{t("closeCamera")}</Button>
      </div>
    </div>
  )
}
