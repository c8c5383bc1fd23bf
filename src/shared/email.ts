/** One address is one account, however it is typed. */
export const normalEmail = (email: string): string => email.trim().toLowerCase()

/** A plausible address: the only proof of one is a mail that arrives. RFC 5321 allows 254 characters. */
export const isEmail = (email: string): boolean =>
  email.length <= 254 && /^[^\s\p{C}@]+@[^\s\p{C}@]+$/u.test(email)
