/** What the command loads when it runs: the SDK. */
export { serve } from "./stdio.ts"
