import * as Schema from "effect/Schema"

/** What a user may do: owners everything, members all but members and money, viewers only look. */
export const Role = Schema.Literal("owner", "member", "viewer")
export type Role = typeof Role.Type

export const User = Schema.Struct({
  id: Schema.String,
  email: Schema.String,
  role: Role
}).annotations({ identifier: "User" })
export type User = typeof User.Type

export const Company = Schema.Struct({
  id: Schema.String,
  name: Schema.String
}).annotations({ identifier: "Company" })
export type Company = typeof Company.Type

/** A user and the company they act for. */
export interface Account {
  readonly user: User
  readonly company: Company
}

/** One address is one account, however it is typed. */
export const normalEmail = (email: string): string => email.trim().toLowerCase()

/** A plausible address: the only proof of one is a mail that arrives. RFC 5321 allows 254 characters. */
export const isEmail = (email: string): boolean =>
  email.length <= 254 && /^[^\s\p{C}@]+@[^\s\p{C}@]+$/u.test(email)
