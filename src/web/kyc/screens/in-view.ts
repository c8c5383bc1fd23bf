/**
 * Scrolls what comes next into view, the most important last, for those who tap. Who uses the keyboard, or types, stays where their focus is.
 */
export const bringIntoView = (...elements: ReadonlyArray<Element | null>): void => {
  if (document.activeElement?.matches(":focus-visible") === true) return
  for (const element of elements) element?.scrollIntoView({ block: "nearest" })
}
