/** One address is one account, whatever its case or surrounding spaces. */
export const normalEmail = (email: string): string => email.trim().toLowerCase()

/** Whether it is plausible; only a delivered mail proves that it exists. RFC 5321 allows 254 characters. */
export const isEmail = (email: string): boolean =>
  email.length <= 254 && /^[^\s\p{C}@]+@[^\s\p{C}@]+$/u.test(email)
