import { formatCount } from "../common/parts.tsx"

/** A share from 0 to 1, such as "82 %". */
export const percentage = (share: number): string => `${Math.round(share * 100)} %`

/** Seconds, such as "41 s", "2 min 5 s" or "3 h 10 min". */
export const lengthOf = (given: number): string => {
  const seconds = Math.round(given)
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  return minutes < 60
    ? `${minutes} min ${seconds % 60} s`
    : `${formatCount(Math.floor(minutes / 60))} h ${minutes % 60} min`
}
