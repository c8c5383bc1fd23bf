/** @jsxImportSource preact */
/** Icons and the mark, for pages made in the browser or on the server. They say nothing to screen readers: the text beside them does. */
import { type IconName, icons } from "./icons.ts"
import { letter, tile } from "./mark.ts"

export const Icon = ({ name }: { readonly name: IconName }) => (
  <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
    <path d={icons[name]} />
  </svg>
)

export const Mark = () => (
  <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
    <path d={tile} />
    <path fill-rule="evenodd" d={letter} />
  </svg>
)
