import { WorkSignal } from "./signal-service.ts"

/** Work that is done later. Other features contribute the kinds, as `Feature.work`. */
export const work = { foundation: WorkSignal.Default } as const
