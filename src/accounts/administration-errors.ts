import { Data } from "effect"

/** No company has this id or name. */
export class CompanyNotFound extends Data.TaggedError("CompanyNotFound")<{ readonly named: string }> {}

/** Several companies have this name, or no company was named and there are several. */
export class CompanyAmbiguous extends Data.TaggedError("CompanyAmbiguous")<{
  readonly named: string | undefined
  /** The first few of them. */
  readonly companies: ReadonlyArray<{ readonly id: string; readonly name: string }>
}> {}

export class NoCompany extends Data.TaggedError("NoCompany") {}

export class UserNotFound extends Data.TaggedError("UserNotFound")<{ readonly email: string }> {}
