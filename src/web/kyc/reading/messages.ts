/** What the page asks a worker that reads documents, and what it answers. */
import type { ZoneFormat } from "../../../kyc/checks/zone-layouts-model.ts"

export interface Question {
  readonly picture: ImageBitmap
  readonly formats: ReadonlyArray<ZoneFormat>
  /** The address of the file that the worker needs: weights or a program. */
  readonly needs: string
}

/** What was read. Dates are `YYYY-MM-DD`; a country is written as in a zone, such as `EST` or `D`. */
export interface Fields {
  readonly number?: string | undefined
  readonly country?: string | undefined
  readonly expiry?: string | undefined
  readonly familyName?: string | undefined
  readonly givenName?: string | undefined
  readonly dateOfBirth?: string | undefined
  readonly nationality?: string | undefined
  /** The lines of the zone, if all its check digits are right. */
  readonly zone?: string | undefined
}

export interface Answer {
  /** Only fields whose own check digit is right, and those that have none. */
  readonly fields: Fields
  /** Whether everything that protects the text from misreading says that it was read right. */
  readonly whole: boolean
  /** The worker could not read: its file did not arrive, or the browser does not run it. */
  readonly failed?: true
}
