/** A serving process of `workers/supervisor`. */
import { launchWorker } from "./worker-launch.ts"

launchWorker()
