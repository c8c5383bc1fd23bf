import { useEffect, useRef, useState } from "preact/hooks"
import { doorlock, failureOf } from "../../common/call.ts"
import type { Photo } from "./photos.ts"
import { read } from "./reading.ts"

/** A PDF can contain scripts: it is downloaded, and never shown here. */
export const isShown = ({ type }: Photo): boolean => type !== "application/pdf"

/** A picture that is loaded from a route for signed-in users. */
export type Picture =
  | { readonly state: "waiting" }
  | { readonly state: "loading"; readonly loaded: number; readonly total: number | undefined }
  | { readonly state: "shown"; readonly url: string }
  | { readonly state: "failed"; readonly message: string }

export type Pictures = ReturnType<typeof usePictures>

const waiting: Picture = { state: "waiting" }

/** How many are loaded at a time. */
const together = 2

/** Loads the pictures of a session in their order, once they are `wanted`, and forgets them when the page is left. */
export const usePictures = (sessionId: string, photos: ReadonlyArray<Photo>, wanted: boolean) => {
  const [pictures, setPictures] = useState<ReadonlyMap<string, Picture>>(new Map())
  const urls = useRef<Array<string>>([])
  const left = useRef(new AbortController())

  const put = (id: string, picture: Picture) => setPictures((before) => new Map(before).set(id, picture))

  const load = async ({ id }: Photo) => {
    const { signal } = left.current
    put(id, { state: "loading", loaded: 0, total: undefined })
    try {
      const response = await doorlock.files.download(sessionId, id, {}, { signal })
      const blob = await read(response, (loaded, total) => put(id, { state: "loading", loaded, total }))
      const url = URL.createObjectURL(blob)
      urls.current.push(url)
      put(id, { state: "shown", url })
    } catch (cause) {
      if (!signal.aborted) put(id, { state: "failed", message: failureOf(cause).message })
    }
  }

  const ids = photos.map(({ id }) => id).join()
  useEffect(() => {
    if (!wanted) return undefined
    left.current = new AbortController()
    const { signal } = left.current
    const queue = photos.filter(isShown)
    const work = async () => {
      for (let next = queue.shift(); next !== undefined && !signal.aborted; next = queue.shift())
        await load(next)
    }
    for (let worker = 0; worker < together; worker++) void work()
    return () => {
      left.current.abort()
      for (const url of urls.current.splice(0)) URL.revokeObjectURL(url)
      setPictures(new Map())
    }
  }, [sessionId, ids, wanted])

  const of = ({ id }: Photo): Picture => pictures.get(id) ?? waiting
  return {
    of,
    /** What the photos show that could not be loaded. */
    missing: photos.filter((photo) => of(photo).state === "failed").map(({ what }) => what),
    /** The browser cannot show it, although it was loaded. */
    refuse: ({ id }: Photo) =>
      put(id, { state: "failed", message: "Its data is damaged, or not that of a picture." }),
    retry: (photo: Photo) => void load(photo)
  }
}
