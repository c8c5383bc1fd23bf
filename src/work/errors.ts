import { Data } from "effect"

/** No job with such an id is set aside. */
export class JobNotFound extends Data.TaggedError("JobNotFound") {}
