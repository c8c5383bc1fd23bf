import type { ComponentChildren } from "preact"

/** A text that may be a name in another script, with a direction of its own: it then reorders nothing beside it, nor its own digits and signs. */
export const isolated = (content: ComponentChildren): ComponentChildren =>
  typeof content === "string" ? <bdi>{content}</bdi> : content
