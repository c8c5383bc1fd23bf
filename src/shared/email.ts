/** One address is one account, in any case. */
export const normalEmail = (email: string): string => email.trim().toLowerCase()

/** Plausible; only a delivered mail proves that it exists. RFC 5321 allows 254 characters. */
export const isEmail = (email: string): boolean =>
  email.length <= 254 && /^[^\s\p{C}@]+@[^\s\p{C}@]+$/u.test(email)
