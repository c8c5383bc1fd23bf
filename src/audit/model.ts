/** Where an act comes from. */
export interface Origin {
  /** Null for the command line. */
  readonly address: string | null
  /** As `keptUserAgent` keeps it. */
  readonly userAgent: string | null
}

interface OfCompany {
  /** The company for which it is done, and in whose audit trail it is written. */
  readonly companyId: string
}

interface UserIdentity extends OfCompany {
  readonly kind: "user"
  readonly id: string
  /** Their email address. */
  readonly name: string
}

/** A verified platform key. */
export interface ApiKeyIdentity extends OfCompany {
  readonly kind: "api_key"
  readonly id: string
  readonly name: string
}

interface OperatorIdentity extends OfCompany {
  readonly kind: "operator"
  /** There is no record of operators; they are known by name only. */
  readonly id: null
  readonly name: string
}

/** Who acts, for which company. */
export type Identity = UserIdentity | ApiKeyIdentity | OperatorIdentity

/** A dashboard user who acts. */
export type ActingUser = UserIdentity & Origin

/**
 * Who acts, and from where: the first argument of everything a service writes on somebody's behalf, so that no act can forget
 * to say whose it is.
 */
export type Actor = Identity & Origin

/** Whoever runs the service, at its command line; `name` is for people to read. */
export const operator = (companyId: string, name: string): Actor => ({
  kind: "operator",
  id: null,
  name,
  companyId,
  address: null,
  userAgent: null
})

/** Of a `User-Agent` header, what is kept. */
const maxUserAgent = 300

/** What a client is recognised by in the lists of sessions and events; null when it did not say. */
export const keptUserAgent = (header: string | undefined): string | null =>
  header === undefined
    ? null
    : header.replaceAll("\u0000", "").toWellFormed().slice(0, maxUserAgent).toWellFormed()
