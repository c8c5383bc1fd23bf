/** Pictures side by side: each can be enlarged, moved and turned, by pointer and by keyboard. */
import createPanzoom, { type PanzoomObject } from "@panzoom/panzoom"
import type { Ref } from "preact"
import { useEffect, useImperativeHandle, useRef, useState } from "preact/hooks"
import { Button } from "../../../ui/parts.tsx"
import { useMayWrite } from "../../common/account.ts"
import { links } from "../../common/call.ts"
import { fileTypes, kilobytes } from "../sessions/timeline.tsx"
import type { Photo } from "./photos.ts"
import { isShown, type Picture, type Pictures } from "./pictures.ts"

/** What a viewer does for buttons and keys. */
export interface ViewerActs {
  readonly enlarge: () => void
  readonly reduce: () => void
  readonly fit: () => void
  readonly turn: () => void
  readonly next: () => void
}

/** The classes of a picture that is turned by 0 to 3 quarters, clockwise. */
const turns = ["", "turned-1", "turned-2", "turned-3"]

/** Pixels by which an arrow key moves a picture. */
const moveBy = 60

const Progress = ({ of }: { readonly of: Picture & { readonly state: "loading" } }) => {
  const { loaded, total } = of
  return (
    <p class="viewer-message">
      <label>
        Loading…
        <progress max={total} {...(total === undefined ? {} : { value: loaded })} />
      </label>
    </p>
  )
}

interface FilmProps {
  readonly onError: () => void
  readonly photo: Photo
  readonly url: string
  readonly quarters: number
  readonly zoom: { current: PanzoomObject | undefined }
}

/** One picture. */
const Film = ({ onError, photo, quarters, url, zoom }: FilmProps) => {
  const film = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const { current } = film
    const stage = current?.parentElement
    if (current === null || stage == null) return undefined
    const made = createPanzoom(current, {
      maxScale: 8,
      minScale: 1,
      contain: "outside",
      panOnlyWhenZoomed: true,
      cursor: "zoom-in",
      // On a phone, a finger scrolls the page until the picture is enlarged.
      touchAction: "pan-y pinch-zoom"
    })
    zoom.current = made
    const adapt = () => {
      const isEnlarged = made.getScale() > 1
      made.setOptions({
        cursor: isEnlarged ? "move" : "zoom-in",
        touchAction: isEnlarged ? "none" : "pan-y pinch-zoom"
      })
    }
    // A touchpad's pinch is a turned wheel with Ctrl.
    const wheel = (event: WheelEvent) => {
      if (event.ctrlKey || event.metaKey) made.zoomWithWheel(event)
    }
    const twice = (event: MouseEvent) => {
      if (made.getScale() > 1) made.reset()
      else made.zoomToPoint(3, event)
    }
    current.addEventListener("panzoomchange", adapt)
    stage.addEventListener("wheel", wheel, { passive: false })
    stage.addEventListener("dblclick", twice)
    return () => {
      zoom.current = undefined
      stage.removeEventListener("wheel", wheel)
      stage.removeEventListener("dblclick", twice)
      made.destroy()
    }
  }, [])
  return (
    <div class="viewer-film" ref={film}>
      <img class={turns[quarters]} src={url} alt={photo.what} draggable={false} onError={onError} />
    </div>
  )
}

interface ViewerProps {
  readonly label: string
  readonly sessionId: string
  readonly photos: ReadonlyArray<Photo>
  readonly pictures: Pictures
  /** The index of the photo that is shown first. */
  readonly first?: number
  /** Whether the page's shortcuts act on this viewer. */
  readonly active?: boolean
  readonly onUse?: () => void
  readonly acts?: Ref<ViewerActs>
}

/** A choice of photos, of which one is shown. */
export const Viewer = ({
  active = false,
  acts = null,
  first = 0,
  label,
  onUse,
  photos,
  pictures,
  sessionId
}: ViewerProps) => {
  // The API has the same rule.
  const mayReadOriginals = useMayWrite()
  const [chosen, setChosen] = useState(first)
  const [turned, setTurned] = useState<Readonly<Record<string, number>>>({})
  const zoom = useRef<PanzoomObject>(undefined)
  const photo = photos[Math.min(chosen, photos.length - 1)]

  const own: ViewerActs = {
    enlarge: () => void zoom.current?.zoomIn({ step: 0.6 }),
    reduce: () => void zoom.current?.zoomOut({ step: 0.6 }),
    fit: () => void zoom.current?.reset(),
    turn: () => {
      if (photo === undefined) return
      zoom.current?.reset()
      setTurned((before) => ({ ...before, [photo.id]: ((before[photo.id] ?? 0) + 1) % 4 }))
    },
    next: () => setChosen((before) => (before + 1) % Math.max(1, photos.length))
  }
  useImperativeHandle(acts, () => own, [photo?.id, photos.length])

  if (photo === undefined) {
    return (
      <section class="viewer" aria-label={label}>
        <p class="viewer-message">No photos.</p>
      </section>
    )
  }
  const picture = pictures.of(photo)
  const address = links.file(sessionId, photo.id)
  const move = (x: number, y: number) => zoom.current?.pan(x, y, { relative: true, force: true })
  const keys: Readonly<Record<string, () => void>> = {
    "+": own.enlarge,
    "=": own.enlarge,
    "-": own.reduce,
    "0": own.fit,
    ArrowLeft: () => move(moveBy, 0),
    ArrowRight: () => move(-moveBy, 0),
    ArrowUp: () => move(0, moveBy),
    ArrowDown: () => move(0, -moveBy)
  }
  return (
    <section
      class={active ? "viewer active" : "viewer"}
      aria-label={label}
      onPointerDown={onUse}
      onFocusIn={onUse}
    >
      <div class="viewer-choice">
        {photos.map((one, index) => (
          <button
            key={one.id}
            type="button"
            class="viewer-tab"
            aria-pressed={one.id === photo.id}
            onClick={() => setChosen(index)}
          >
            {one.short} {one.carried ? <span class="viewer-carried">carried over</span> : null}
          </button>
        ))}
      </div>
      <section
        class="viewer-stage"
        aria-label={`${photo.what}: plus and minus change its size, arrow keys move it`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: Arrow keys move the picture, as they scroll a part of a page.
        tabIndex={0}
        onKeyDown={(event) => {
          if (event.ctrlKey || event.metaKey || event.altKey) return
          const act = keys[event.key]
          if (act === undefined) return
          event.preventDefault()
          act()
        }}
      >
        {picture.state === "shown" ? (
          <Film
            key={photo.id}
            photo={photo}
            url={picture.url}
            quarters={turned[photo.id] ?? 0}
            zoom={zoom}
            onError={() => pictures.refuse(photo)}
          />
        ) : picture.state === "loading" ? (
          <Progress of={picture} />
        ) : picture.state === "failed" ? (
          <div class="viewer-message" role="alert">
            <p>
              {photo.what} could not be loaded. {picture.message}
            </p>
            <Button onClick={() => pictures.retry(photo)}>Try again</Button>
          </div>
        ) : (
          <p class="viewer-message">
            {isShown(photo)
              ? "Loading…"
              : `${fileTypes[photo.type]}, ${kilobytes(photo.size)}: download it to see it.`}
          </p>
        )}
      </section>
      <div class="viewer-tools">
        {isShown(photo) ? (
          <>
            <Tool label={`Enlarge ${photo.what}`} sign="+" onClick={own.enlarge} />
            <Tool label={`Reduce ${photo.what}`} sign="−" onClick={own.reduce} />
            <Tool label={`Fit ${photo.what}`} sign="Fit" onClick={own.fit} />
            <Tool label={`Turn ${photo.what}`} sign="Turn" onClick={own.turn} />
          </>
        ) : null}
        <a class="viewer-tool" href={address} download>
          Download <span class="visually-hidden">{photo.what}</span>
        </a>
        {mayReadOriginals && isShown(photo) ? (
          <a
            class="viewer-tool"
            href={`${address}?original=true`}
            title="As it was uploaded, with the camera's metadata"
            download
          >
            Original <span class="visually-hidden">of {photo.what}</span>
          </a>
        ) : null}
      </div>
    </section>
  )
}

interface ToolProps {
  readonly label: string
  readonly sign: string
  readonly onClick: () => void
}

const Tool = ({ label, onClick, sign }: ToolProps) => (
  <button type="button" class="viewer-tool" title={label} onClick={onClick}>
    <span aria-hidden="true">{sign}</span>
    <span class="visually-hidden">{label}</span>
  </button>
)
