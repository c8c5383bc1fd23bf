/** The services of timelines, for the server and for commands. */
import { Layer } from "effect"
import { TimelineRepo } from "./repo.ts"
import { Timelines } from "./service.ts"

export const layer = Layer.provideMerge(Timelines.Default, TimelineRepo.Default)
