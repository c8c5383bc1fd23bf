/** A serving process of `patient-program`. */
import { launchWorker } from "../../src/process/worker-launch.ts"
import { patient } from "./run/timeouts.ts"

launchWorker(patient)
