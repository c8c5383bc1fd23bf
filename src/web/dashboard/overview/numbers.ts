/** A share from 0 to 1, such as "82%". */
export const percentage = (share: number): string => `${Math.round(share * 100)}%`
