/** `givenName` or `given_name` as "Given name". */
export const labelOf = (key: string): string => {
  const words = key
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .replaceAll(/[_-]+/g, " ")
    .trim()
    .toLowerCase()
  return words === "" ? key : `${words.charAt(0).toUpperCase()}${words.slice(1)}`
}

/** A message of the API as a sentence: with one full stop at its end. */
export const sentence = (message: string): string => (/[.!?…]$/.test(message) ? message : `${message}.`)
