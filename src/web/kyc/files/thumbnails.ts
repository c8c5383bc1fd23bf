/**
 * Small copies of the pictures that were sent, so that they are still to be seen after a reload: the page cannot read files from the server. Only
 * the tab stores them, until the session ends.
 */
import { object, parse, text } from "../../json.ts"
import type { Session } from "../sessions/session.ts"
import { tab } from "../sessions/token.ts"

/** Of the longer edge, in pixels: print on a document cannot be read. */
const edge = 160

const smallCopy = async (picture: Blob): Promise<string | undefined> => {
  try {
    const bitmap = await createImageBitmap(picture)
    const scale = Math.min(1, edge / Math.max(bitmap.width, bitmap.height))
    const canvas = document.createElement("canvas")
    canvas.width = Math.max(1, Math.round(bitmap.width * scale))
    canvas.height = Math.max(1, Math.round(bitmap.height * scale))
    canvas.getContext("2d")?.drawImage(bitmap, 0, 0, canvas.width, canvas.height)
    bitmap.close()
    return canvas.toDataURL("image/jpeg", 0.7)
  } catch {
    return undefined
  }
}

export const thumbnails = ({ id }: Pick<Session, "id">) => {
  const key = `kyc:${id}:thumbnails`
  let forgotten = false
  const all = () => object(parse(tab.read(key) ?? ""))

  return {
    keep: async (fileId: string, picture: Blob): Promise<void> => {
      const copy = await smallCopy(picture)
      if (copy !== undefined && !forgotten) tab.write(key, JSON.stringify({ ...all(), [fileId]: copy }))
    },
    /** Its address. */
    find: (fileId: string): string | undefined => text(all()[fileId]),
    forget: (): void => {
      forgotten = true
      tab.forget(key)
    }
  }
}
