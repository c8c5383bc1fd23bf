/** Where the end users of an instance stop. */
import { readWorkflow } from "../../kyc/instances/workflow.ts"
import { Chart } from "../charts/chart.tsx"
import { type Answer, doorlock } from "../common/call.ts"
import { Select } from "../common/fields.tsx"
import { Empty, formatCount, formatDuration, Section } from "../common/parts.tsx"
import { Loaded, useResource } from "../common/resource.tsx"
import { Link } from "../common/router.tsx"
import { Table } from "../common/table.tsx"
import { labelOf } from "../common/words.ts"
import { titleOf } from "../kyc/evidence/session-steps.ts"

type Funnel = Answer<"figures.funnel">["funnel"]

interface StepsProps extends Funnel {
  /** What a step is called. */
  readonly name: (step: string) => string
}

const load = async (instanceId: string, days: number, signal: AbortSignal) => {
  const from = new Date(Date.now() - days * 86_400_000).toISOString()
  const [{ funnel }, { instance }] = await Promise.all([
    doorlock.figures.funnel(instanceId, { from }, { signal }),
    doorlock.instances.get(instanceId, { signal })
  ])
  const titles = new Map(readWorkflow(instance.workflow).steps.map((step) => [step.id, titleOf(step)]))
  return { funnel, name: (step: string) => titles.get(step) ?? labelOf(step) }
}

const StepTable = ({ name, steps }: Pick<StepsProps, "name" | "steps">) => (
  <Table
    label="Steps"
    rows={steps.map((step) => ({ id: step.step, ...step }))}
    columns={[
      { label: "Step", cell: ({ step }) => name(step) },
      { label: "Reached", numeric: true, cell: ({ came }) => formatCount(came) },
      { label: "Answered", numeric: true, cell: ({ answered }) => formatCount(answered) },
      { label: "Gave up", numeric: true, cell: ({ left }) => formatCount(left) },
      { label: "Failed", numeric: true, cell: ({ failed }) => formatCount(failed) },
      {
        label: "Typical time",
        numeric: true,
        cell: ({ median_seconds }) => (median_seconds === null ? "–" : formatDuration(median_seconds))
      }
    ]}
  />
)

const Steps = ({ name, sessions, steps }: StepsProps) => (
  <Chart
    told={`Sessions that reached each step: ${steps
      .map(
        ({ answered, came, step }) => `${name(step)} ${formatCount(came)}, answered ${formatCount(answered)}`
      )
      .join("; ")}.`}
    of="Step"
    labels={steps.map(({ step }) => name(step))}
    series={[
      { name: "Answered", look: "outcome-completed", values: steps.map(({ answered }) => answered) },
      {
        name: "Reached, but not answered",
        look: "outcome-left",
        values: steps.map(({ answered, came }) => came - answered)
      }
    ]}
    table={<StepTable name={name} steps={steps} />}
  >
    <span class="faint">{sessions === 1 ? "of one session" : `of ${formatCount(sessions)} sessions`}</span>
  </Chart>
)

interface FunnelProps {
  readonly instances: Answer<"reviews.choices">["instances"]
  /** The instance on display; undefined if there is none. */
  readonly instanceId: string | undefined
  readonly onInstance: (id: string) => void
  /** How many days it is about. */
  readonly days: number
}

const Loading = ({ days, instanceId }: { readonly days: number; readonly instanceId: string }) => {
  const loaded = useResource((signal) => load(instanceId, days, signal), [instanceId, days], { keeps: true })
  return (
    <Loaded of={loaded}>
      {({ funnel, name }) =>
        funnel.steps.length === 0 ? (
          <Empty
            title="This instance has no steps yet"
            action={
              <Link to={`/dashboard/instances/${instanceId}`} class="button">
                Go to the instance
              </Link>
            }
          >
            Steps say what your users are asked for.
          </Empty>
        ) : funnel.sessions === 0 ? (
          <Empty icon="sessions" title="No session in this period">
            Once people start a verification, you see here at which step they stop, and how long each step
            takes.
          </Empty>
        ) : (
          <Steps {...funnel} name={name} />
        )
      }
    </Loaded>
  )
}

export const FunnelSection = ({ days, instanceId, instances, onInstance }: FunnelProps) =>
  instanceId === undefined ? null : (
    <Section
      title="Where people stop"
      actions={
        instances.length > 1 ? (
          <Select
            aria-label="Instance"
            value={instanceId}
            choices={instances.map(({ id, name }) => [id, name] as const)}
            onChange={onInstance}
          />
        ) : null
      }
    >
      <Loading days={days} instanceId={instanceId} />
    </Section>
  )
