/** doorlock's mark: a "d" with a keyhole on a tile, each as one path on a grid of 32 units. */

export const tile = "M8 0h16a8 8 0 0 1 8 8v16a8 8 0 0 1-8 8H8a8 8 0 0 1-8-8V8a8 8 0 0 1 8-8Z"

/** To be filled by the rule `evenodd`, so that the keyhole is a hole. */
export const letter =
  "M20 6.25A1.25 1.25 0 0 1 21.25 5h2.25a1.25 1.25 0 0 1 1.25 1.25v19a1.25 1.25 0 0 1-1.25 1.25h-9a8 8 0 1 1 5.5-13.81ZM14.9 14.75a2.75 2.75 0 0 0-1.25 5.2l-.7 4.3h3.9l-.7-4.3a2.75 2.75 0 0 0-1.25-5.2Z"

/** The mark in a page, where a style sheet colours it. */
export const markHtml = `<svg class="mark" viewBox="0 0 32 32" aria-hidden="true"><path d="${tile}"/><path fill-rule="evenodd" d="${letter}"/></svg>`

/** The mark as a file. */
export const markFile = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><title>doorlock</title><path fill="#1f4fd8" d="${tile}"/><path fill="#fff" fill-rule="evenodd" d="${letter}"/></svg>`
