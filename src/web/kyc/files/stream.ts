/** The pictures of a camera: opens it, knows its light, and stops it. */

export type CameraFailure =
  | "cameraDenied"
  | "cameraBusy"
  | "cameraStopped"
  | "cameraAbsent"
  | "cameraInsecure"
export type Facing = "environment" | "user"

export const failureOf = (error: unknown): CameraFailure => {
  const name = error instanceof Error ? error.name : ""
  if (name === "NotAllowedError" || name === "SecurityError") return "cameraDenied"
  return name === "NotReadableError" || name === "AbortError" ? "cameraBusy" : "cameraAbsent"
}

export const stop = (stream: MediaStream): void => {
  for (const track of stream.getTracks()) track.stop()
}

export const open = async (facing: Facing): Promise<MediaStream> => {
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

/** Whether the device has a second camera. Browsers tell only after the user has allowed one. */
export const hasSeveral = async (): Promise<boolean> => {
  try {
    const devices = await navigator.mediaDevices.enumerateDevices()
    return devices.filter(({ kind }) => kind === "videoinput").length > 1
  } catch {
    return false
  }
}

/** The light of a camera is not in the types of the platform yet. */
interface Light {
  readonly torch?: boolean
}

export const hasLight = (stream: MediaStream): boolean => {
  // Firefox does not know capabilities.
  const capabilities: (MediaTrackCapabilities & Light) | undefined = stream
    .getVideoTracks()[0]
    ?.getCapabilities?.()
  return capabilities?.torch === true
}

/** False if the device refuses. */
export const setLight = async (stream: MediaStream, on: boolean): Promise<boolean> => {
  try {
    const wished: MediaTrackConstraintSet & Light = { torch: on }
    await stream.getVideoTracks()[0]?.applyConstraints({ advanced: [wished] })
    return true
  } catch {
    return false
  }
}
